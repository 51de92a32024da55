package suite

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
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

// mean returns a policy's mean log10 regret over some replications.
func (r row) mean(policy string, numbers []int) float64 {
	var finals []float64
	for _, n := range numbers {
		finals = append(finals, r.runs[policy][n].Final())
	}
	return stat.Mean(finals, nil) // NaN of none
}

// regrets has a row for each problem and a column for each policy: mean log10 regret over the replications that all policies have
// or, if there are none, over each policy's own.
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
			if means[i] = r.mean(policy, numbers); means[i] < least {
				least = means[i]
			}
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

// ranksByProblem has a row for each problem and a column for each policy.
func (g *grid) ranksByProblem() *show.Table {
	t := &show.Table{Header: append([]string{"problem", "runs"}, g.policies...)}
	for _, r := range g.rows {
		cells := []string{r.Name, fmt.Sprint(len(r.numbers(g.policies...)))}
		for _, ranks := range r.ranks(g.policies, Run.Final) {
			cells = append(cells, within(stats.Bootstrap(ranks)))
		}
		t.Add(cells...)
	}
	return t
}

// pairs has a row for each problem and a column for each policy but the reference.
func (g *grid) pairs() *show.Table {
	t := &show.Table{Header: []string{"problem"}}
	for _, policy := range g.policies {
		if policy != g.against {
			t.Header = append(t.Header, policy)
		}
	}
	for _, r := range g.rows {
		cells := []string{r.Name}
		for _, policy := range t.Header[1:] {
			i := stats.Bootstrap(r.differences(policy, g.against))
			text := within(i)
			if i.Low > 0 || i.High < 0 {
				text = "**" + text + "**"
			}
			cells = append(cells, text)
		}
		t.Add(cells...)
	}
	return t
}

// Bounds beyond which the reference counts as not good enough on a problem.
const (
	behindBy  = 0.15 // in log10 regret
	wastePart = 0.03
)

// reference has a row for each problem. It compares the reference policy with the best of the others.
func (g *grid) reference() *show.Table {
	t := &show.Table{Header: []string{"problem", "runs", "log10 regret", "best of the others", "behind by", "wasted", "trials", "money left"}}
	for _, r := range g.rows {
		own := r.numbers(g.against)
		if len(own) == 0 {
			continue
		}
		best, behind := r.bestOther(g.policies, g.against)
		gap := within(behind)
		if behind.Mean > behindBy && behind.Low > 0 {
			gap = "**" + gap + "**"
		}
		wasted := r.average(g.against, Run.wasted)
		waste := percent(wasted)
		if wasted > wastePart {
			waste = "**" + waste + "**"
		}
		trials := r.average(g.against, func(r Run) float64 { return float64(r.Trials) })
		left := r.average(g.against, func(r Run) float64 { return r.Left })
		t.Add(r.Name, fmt.Sprint(len(own)), show.Fixed(r.mean(g.against, own), 2), best, gap, waste, show.Fixed(trials, 1), percent(left))
	}
	return t
}

// bestOther returns the best policy apart from the reference, and how far the reference is behind it.
func (r row) bestOther(policies []string, against string) (best string, behind stats.Interval) {
	best, behind = show.Missing, stats.Interval{Mean: math.NaN()}
	for _, policy := range policies {
		if policy == against {
			continue
		}
		if i := stats.Bootstrap(r.differences(against, policy)); math.IsNaN(behind.Mean) || i.Mean > behind.Mean {
			best, behind = policy, i
		}
	}
	return best, behind
}
