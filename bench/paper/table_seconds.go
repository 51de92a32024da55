package paper

import (
	"bytes"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/eke-bo/eke/bench/show"
)

// paperSeconds are the paper's mean seconds per suggestion (its supplement's table).
var paperSeconds = map[string]map[string]float64{
	"dropwave": secondsRow(4.1, 5.5, 6.2, 24.1, 26.7, 42.6, 87.2),
	"alpine1":  secondsRow(7.2, 9.9, 10.8, 36.4, 44.1, 106.1, 236.7),
	"ackley":   secondsRow(6.4, 7.3, 5.7, 16.6, 26.0, 95.8, 103.5),
	"shekel5":  secondsRow(4.5, 5.5, 5.6, 18.3, 12.8, 105.8, 165.5),
	"lda":      secondsRow(5.4, 5.9, 5.5, 20.7, 29.6, 141.9, 202.1),
	"cnn":      secondsRow(11.7, 26.9, 19.3, 79.3, 95.0, 286.1, 443.2),
	"robot":    secondsRow(5.9, 4.0, 4.7, 32.2, 34.3, 108.2, 193.7),
	"boston":   secondsRow(1.8, 1.6, 1.5, 15.7, 19.7, 65.1, 90.5),
}

// secondsRow names the columns of the paper's table.
func secondsRow(ei, puc, cooled, path2, tree2, path4, tree4 float64) map[string]float64 {
	return map[string]float64{
		"ei": ei, "ei-puc": puc, "ei-puc-cc": cooled,
		"2-bmsei-p": path2, "2-bmsei": tree2, "4-bmsei-p": path4, "4-bmsei": tree4,
	}
}

// secondsTable writes the typical time of a suggestion next to the paper's.
func secondsTable(out *bytes.Buffer, list []race) {
	list = mainRaces(list)
	if len(list) == 0 {
		return
	}
	out.WriteString("## Seconds per suggestion\n\n" +
		"Median over replications on one core, since other programs may have run at the same time. In brackets: the paper's seconds for the policy of that name, on other hardware.\n\n")
	t := newRaceTable(list)
	for _, c := range contendersIn(list) {
		row := []string{lookOf(c).label}
		for _, k := range list {
			text := show.Missing
			if runs := k.runs[c]; len(runs) > 0 {
				text = seconds(medianSeconds(runs))
			}
			if theirs, ok := paperSeconds[k.problem][c.Policy]; ok {
				text += fmt.Sprintf(" (%.1f)", theirs)
			}
			row = append(row, text)
		}
		t.Add(row...)
	}
	t.Markdown(out, 1)
}

func medianSeconds(runs []Replication) float64 {
	list := make([]float64, len(runs))
	for i, r := range runs {
		list[i] = r.Seconds
	}
	slices.Sort(list)
	return stat.Quantile(0.5, stat.Empirical, list, nil)
}

// seconds writes a time with two significant digits.
func seconds(s float64) string {
	switch {
	case s < 0.001:
		return "<0.001"
	case s < 0.1:
		return show.Fixed(s, 3)
	case s < 10:
		return show.Fixed(s, 2)
	}
	return show.Fixed(s, 1)
}
