package suite

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/eke-bo/eke/internal/bench/problem"
	"github.com/eke-bo/eke/internal/bench/show"
	"github.com/eke-bo/eke/internal/bench/stats"
)

// List writes the problems of an experiment.
func List(w io.Writer, e Experiment) error {
	problems, err := e.Problems()
	if err != nil {
		return err
	}
	t := show.Table{Header: []string{"problem", "family", "set", "about"}}
	for _, info := range problems {
		t.Add(info.Name, info.Family, setOf(info), info.About)
	}
	t.Text(w)
	return nil
}

func setOf(info problem.Info) string {
	if info.Validation {
		return Validation
	}
	return Tuning
}

// within writes an interval.
func within(i stats.Interval) string {
	if math.IsNaN(i.Mean) {
		return show.Missing
	}
	return fmt.Sprintf("%s [%s, %s]", show.Fixed(i.Mean, 2), show.Fixed(i.Low, 2), show.Fixed(i.High, 2))
}

// overview has a row for each policy.
func (g *grid) overview() *show.Table {
	t := &show.Table{Header: []string{"policy", "mean rank", "log10 regret", "against " + g.against, "pairs", "wasted", "trials", "left", "seconds a trial"}}
	ranks, _ := g.meanRanks()
	for i, policy := range g.policies {
		var finals, wasted, trials, left []float64
		seconds := 0.0
		g.all(policy, func(r Run) {
			finals, trials, left = append(finals, r.Final()), append(trials, float64(r.Trials)), append(left, r.Left)
			seconds += r.Seconds
			if r.Wasted != nil {
				wasted = append(wasted, *r.Wasted)
			}
		})
		if len(finals) == 0 {
			continue
		}
		difference, pairs := g.difference(policy)
		versus, count := within(difference), fmt.Sprint(pairs)
		if policy == g.against {
			versus, count = show.Missing, show.Missing
		}
		t.Add(policy, within(ranks[i]), show.Fixed(stat.Mean(finals, nil), 2), versus, count,
			percent(stat.Mean(wasted, nil)), show.Fixed(stat.Mean(trials, nil), 1), percent(stat.Mean(left, nil)),
			show.Fixed(seconds/(stat.Mean(trials, nil)*float64(len(trials))), 3))
	}
	return t
}

func percent(part float64) string {
	if math.IsNaN(part) {
		return show.Missing
	}
	return fmt.Sprintf("%.1f %%", 100*part)
}

// regrets has a row for each problem and a column for each policy: mean log10 regret over the replications that all policies have or, where there are
// none, over each one's own.
func (g *grid) regrets(mark string) *show.Table {
	t := &show.Table{Header: append([]string{"problem", "runs"}, g.policies...)}
	for _, r := range g.rows {
		means, least := make([]float64, len(g.policies)), math.Inf(1)
		common := r.numbers(g.policies...)
		for i, policy := range g.policies {
			numbers := common
			if len(common) == 0 {
				numbers = r.numbers(policy)
			}
			var finals []float64
			for _, n := range numbers {
				finals = append(finals, r.runs[policy][n].Final())
			}
			means[i] = stat.Mean(finals, nil)
			least = math.Min(least, means[i])
		}
		cells := []string{r.Name, fmt.Sprint(len(common))}
		for _, m := range means {
			text := show.Fixed(m, 2)
			if m == least {
				text = mark + text + mark
			}
			cells = append(cells, text)
		}
		t.Add(cells...)
	}
	return t
}
