package paper

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
)

// regretTables writes the mean log10 regret when the money is gone, and how many evaluations it bought, with one row per policy
// and one column per problem.
func regretTables(out *bytes.Buffer, list []race, heading string) {
	if len(list) == 0 {
		return
	}
	out.WriteString("## Regret when " + heading + " is gone\n\n" +
		"Mean of log10(f* − best found) ± the half-width of its 95 % t-interval; in brackets the number of replications. The lowest mean of a " +
		"column is bold; where policies have unequal numbers of replications, the pairs further down compare like with like.\n\n")
	regret, bought := newRaceTable(list), newRaceTable(list)
	best := lowestMeans(list)
	for _, c := range contendersIn(list) {
		regretRow, boughtRow := []string{lookOf(c).label}, []string{lookOf(c).label}
		for i, k := range list {
			runs := k.runs[c]
			if len(runs) == 0 {
				regretRow, boughtRow = append(regretRow, show.Missing), append(boughtRow, show.Missing)
				continue
			}
			mean, halfWidth := stats.Interval95(finals(runs))
			text := show.PlusMinus(mean, halfWidth)
			if mean == best[i] {
				text = "**" + text + "**"
			}
			regretRow = append(regretRow, fmt.Sprintf("%s (%d)", text, len(runs)))
			boughtRow = append(boughtRow, show.Fixed(meanBought(runs), 1))
		}
		regret.Add(regretRow...)
		bought.Add(boughtRow...)
	}
	regret.Markdown(out, 1)
	out.WriteString("## Evaluations within " + heading + "\n\nMean number, without the initial design.\n\n")
	bought.Markdown(out, 1)
}

// newRaceTable returns a table with one column per race.
func newRaceTable(list []race) *show.Table {
	t := &show.Table{Header: []string{"policy"}}
	for _, k := range list {
		t.Header = append(t.Header, k.title())
	}
	return t
}

// lowestMeans returns the lowest mean log10 regret of each race.
func lowestMeans(list []race) []float64 {
	best := make([]float64, len(list))
	for i, k := range list {
		best[i] = math.Inf(1)
		for _, runs := range k.runs {
			best[i] = math.Min(best[i], stat.Mean(finals(runs), nil))
		}
	}
	return best
}

// meanBought returns how many evaluations the budget paid for on average.
func meanBought(runs []Replication) float64 {
	sum := 0
	for _, r := range runs {
		spent := 0.0
		for _, c := range r.Costs {
			if spent += c; spent > r.Budget {
				break
			}
			sum++
		}
	}
	return float64(sum) / float64(len(runs))
}

// writeSummary writes only the means, for a terminal. The lowest of a column has a star.
func writeSummary(out io.Writer, corner string, list []race) {
	if len(list) == 0 {
		return
	}
	t, best := newRaceTable(list), lowestMeans(list)
	t.Header[0] = corner
	for _, c := range contendersIn(list) {
		row := []string{lookOf(c).label}
		for i, k := range list {
			if len(k.runs[c]) == 0 {
				row = append(row, show.Missing)
				continue
			}
			mean := stat.Mean(finals(k.runs[c]), nil)
			text := show.Fixed(mean, 2)
			if mean == best[i] {
				text += "*"
			}
			row = append(row, text)
		}
		t.Add(row...)
	}
	t.Text(out)
}
