package suite

import (
	"fmt"
	"math"

	"github.com/eke-bo/eke/bench/show"
)

// forecasts adds up a policy's forecasts: of values and costs, early and late.
func (g *grid) forecasts(policy string) (values, costs [2]Bands) {
	g.all(policy, func(r Run) {
		for i := range 2 {
			values[i], costs[i] = values[i].plus(r.Values[i]), costs[i].plus(r.Costs[i])
		}
	})
	return values, costs
}

// held writes how often bands held, in per cent.
func held(b Bands) string {
	if b.N() == 0 {
		return show.Missing
	}
	h := b.Held()
	return fmt.Sprintf("%.0f / %.0f / %.0f", 100*h[0], 100*h[1], 100*h[2])
}

// calibration has two rows for each policy: early and late forecasts.
func (g *grid) calibration() *show.Table {
	t := &show.Table{Header: []string{"policy", "when", "values: 50 / 80 / 95 %", "CRPS", "log score", "costs: 50 / 80 / 95 %", "CRPS", "log score", "forecasts"}}
	for _, policy := range g.policies {
		values, costs := g.forecasts(policy)
		for i, when := range []string{"early", "late"} {
			v, c := values[i], costs[i]
			if v.N() == 0 {
				continue
			}
			n := float64(v.N())
			t.Add(policy, when, held(v), show.Fixed(v.CRPS/n, 4), show.Fixed(v.Log/n, 2), held(c), show.Fixed(c.CRPS/n, 3), show.Fixed(c.Log/n, 2), fmt.Sprint(v.N()))
		}
	}
	return t
}

// fitSums adds up a policy's chances to fit.
func (g *grid) fitSums(policy string) [][3]int {
	sums := make([][3]int, len(fitEdges)+1)
	g.all(policy, func(r Run) {
		for i, bin := range r.Fits {
			for j := range bin {
				sums[i][j] += bin[j]
			}
		}
	})
	return sums
}

// fits has a row for each policy and a column for each range of chances.
func (g *grid) fits() *show.Table {
	t := &show.Table{Header: []string{"policy"}}
	for i := range len(fitEdges) + 1 {
		low, high := 0.0, 1.0
		if i > 0 {
			low = fitEdges[i-1]
		}
		if i < len(fitEdges) {
			high = fitEdges[i]
		}
		t.Header = append(t.Header, fmt.Sprintf("%.0f to %.0f %%", 100*low, 100*high))
	}
	for _, policy := range g.policies {
		cells := []string{policy}
		for _, bin := range g.fitSums(policy) {
			n := float64(bin[0])
			if n == 0 {
				cells = append(cells, show.Missing)
				continue
			}
			cells = append(cells, fmt.Sprintf("%.0f %% → %.0f %% (%d)", math.Round(float64(bin[1])/n/10), 100*float64(bin[2])/n, bin[0]))
		}
		t.Add(cells...)
	}
	return t
}
