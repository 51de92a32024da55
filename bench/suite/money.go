package suite

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
)

// money has a row for each problem and a column for each other policy: the fraction of the money that the reference needs for the mean log10
// regret that the other has at the end.
func (g *grid) money() *show.Table {
	t := &show.Table{Header: []string{"problem"}}
	for _, policy := range g.policies {
		if policy != g.against {
			t.Header = append(t.Header, policy, "runs")
		}
	}
	for _, r := range g.rows {
		cells := []string{r.Name}
		for _, policy := range g.policies {
			if policy == g.against {
				continue
			}
			needed, pairs := r.needed(g.against, policy)
			cells = append(cells, share(needed), fmt.Sprint(pairs))
		}
		t.Add(cells...)
	}
	return t
}

// needed returns the fraction of the money that a policy needs for the mean log10 regret that another has at the end, with a bootstrap interval
// over the replications that both have. It is infinite if all of the money is not enough.
func (r row) needed(policy, other string) (stats.Interval, int) {
	numbers := r.numbers(policy, other)
	return stats.Resample(len(numbers), func(drawn []int) float64 {
		var goal float64
		var curve [curvePoints]float64
		for _, i := range drawn {
			goal += r.runs[other][numbers[i]].Final()
			for k, v := range r.runs[policy][numbers[i]].Curve {
				curve[k] += v
			}
		}
		return reached(curve[:], goal+tieWithin)
	}), len(numbers)
}

// reached returns the fraction of the money with which a falling curve of log10 regret reaches a goal. It begins at 0, the log10 regret of a
// median setting.
func reached(curve []float64, goal float64) float64 { return reachedFrom(0, curve, goal) }

// reachedFrom returns the fraction of the money with which a falling curve reaches a goal. Between its points the curve is taken to be straight, as
// the mean of many runs nearly is; bench/NOTES.md says how nearly. The fraction is infinite if the curve ends above the goal.
func reachedFrom(begin float64, curve []float64, goal float64) float64 {
	before := begin
	for k, v := range curve {
		if v <= goal {
			step := 0.0 // the goal was reached before
			if before > goal {
				step = (before - goal) / (before - v)
			}
			return (float64(k) + step) / float64(len(curve))
		}
		before = v
	}
	return math.Inf(1)
}

// share writes a part of the money with its interval.
func share(i stats.Interval) string {
	one := func(v float64) string {
		if math.IsInf(v, 1) {
			return "more"
		}
		return show.Fixed(100*v, 0) + " %"
	}
	switch {
	case math.IsNaN(i.Mean):
		return show.Missing
	case math.IsNaN(i.Low):
		return one(i.Mean)
	}
	return fmt.Sprintf("%s [%s, %s]", one(i.Mean), one(i.Low), one(i.High))
}

// hasFidelities says whether the problems have fidelities, where it is the money that matters.
func (g *grid) hasFidelities() bool {
	return len(g.rows) > 0 && slices.Contains([]string{problem.Cheap, problem.LCBench, problem.Live}, g.rows[0].Family)
}
