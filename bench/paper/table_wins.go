package paper

import (
	"bytes"
	"fmt"
	"math"

	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
)

// duel is ours against another policy in one race, pair by pair. Replications with the same number have the same costs and
// the same initial design.
type duel struct {
	against            Contender
	differences        []float64 // log10 regret, ours minus the other's: below zero is a win
	wins, ties, losses int
}

// tieWithin is the largest difference of log10 regrets that counts as none. It may be rounding of
// the results file.
const tieWithin = 1e-9

func newDuel(a, b []Replication, against Contender) duel {
	d := duel{against: against}
	theirs := map[int]Replication{}
	for _, r := range b {
		theirs[r.Number] = r
	}
	for _, r := range a {
		other, ok := theirs[r.Number]
		if !ok {
			continue
		}
		difference := r.LogRegret(r.Budget) - other.LogRegret(other.Budget)
		switch {
		case math.Abs(difference) <= tieWithin:
			difference = 0
			d.ties++
		case difference < 0:
			d.wins++
		default:
			d.losses++
		}
		d.differences = append(d.differences, difference)
	}
	return d
}

// duels returns ours against all others that have a replication in common with it.
func duels(k race) []duel {
	var list []duel
	for _, c := range contendersIn([]race{k}) {
		if c == ours {
			continue
		}
		if d := newDuel(k.runs[ours], k.runs[c], c); len(d.differences) > 0 {
			list = append(list, d)
		}
	}
	return list
}

// winsTable writes how ours does against every other policy.
func winsTable(out *bytes.Buffer, list []race) {
	t := show.Table{Header: []string{"problem", "eke against", "pairs", "difference", "wins", "ties", "losses",
		"Wilcoxon", "Holm", "paired t", "Holm"}}
	for _, k := range list {
		addDuels(&t, k)
	}
	if len(t.Rows) == 0 {
		return
	}
	out.WriteString("## eke against the others, pair by pair\n\n" +
		"Difference: log10 regret of eke minus that of the other, mean over the replications that both have, ± the half-width of its 95 % t-interval. Below " +
		"zero eke is better. p-values are two-sided, from the Wilcoxon signed-rank test and from the paired t-test, each followed by " +
		"Holm's correction for the policies of a problem. Bold: below 0.05.\n\n")
	t.Markdown(out, 2)
}

func addDuels(t *show.Table, k race) {
	list := duels(k)
	ranks, students := make([]float64, len(list)), make([]float64, len(list))
	for i, d := range list {
		ranks[i], students[i] = stats.Wilcoxon(d.differences), stats.PairedT(d.differences)
	}
	ranksHolm, studentsHolm := stats.Holm(ranks), stats.Holm(students)
	for i, d := range list {
		t.Add(k.title(), lookOf(d.against).label, fmt.Sprint(len(d.differences)), show.PlusMinus(stats.Interval95(d.differences)),
			fmt.Sprint(d.wins), fmt.Sprint(d.ties), fmt.Sprint(d.losses),
			chance(ranks[i]), decided(ranksHolm[i]), chance(students[i]), decided(studentsHolm[i]))
	}
}

// chance writes a p-value with as many digits as are meaningful.
func chance(p float64) string {
	switch {
	case math.IsNaN(p):
		return show.Missing
	case p < 0.0001:
		return "<0.0001"
	case p < 0.001:
		return show.Fixed(p, 4)
	case p < 0.1:
		return show.Fixed(p, 3)
	}
	return show.Fixed(p, 2)
}

func decided(p float64) string {
	if p < 0.05 {
		return "**" + chance(p) + "**"
	}
	return chance(p)
}
