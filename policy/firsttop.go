package policy

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/normal"
)

// Nothing is known when a study begins, neither which points are good nor what they cost. A first evaluation at the top may then take a
// good part of the money for a point that is worth nothing. Where there are looks, they come first: those of the initial design. What
// they have taught decides where the first evaluation at the top is, MATH.md §12.

// begin returns the next trial of a study without a value at the top, if there are looks to go by.
func (p *policy) begin(ctx context.Context, d *decision) (out Suggestion, ok bool, err error) {
	if d.Levels == nil || !p.looks() || d.pricedLooks() < leastDesign {
		return out, false, nil
	}
	d.fitted = p.fitModels(ctx, d.State, d.history)
	points := make([][]float64, len(d.Looks))
	for i, l := range d.Looks {
		points[i] = l.X
	}
	if err = p.believe(d, bestOf(d.objective, points).value); err != nil {
		return out, true, err
	}
	if p.designs(d) {
		out, err = p.design(ctx, d)
	} else if out, ok = p.firstTop(d, points); !ok {
		return out, false, nil
	}
	if err != nil {
		return out, true, err
	}
	out.Predicted = p.predict(d.warp, d.belief.At(out.Level), out.X, d.widths())
	out.CutShort = ctx.Err() != nil
	return out, true, nil
}

// pricedLooks is the number of looks whose cost is known.
func (s *State) pricedLooks() (n int) {
	for _, l := range s.Looks {
		if !math.IsNaN(l.LnCost) {
			n++
		}
	}
	return n
}

// firstTop returns the first evaluation at the top: of the points that were looked at, the one that is expected to improve most on a
// middling one for its price.
func (p *policy) firstTop(d *decision, points [][]float64) (Suggestion, bool) {
	mean, sd := posterior(d.belief.Objective, points)
	lnCost, lnCostSD := posterior(d.belief.LnCost, points)
	d.lessPaid(points, lnCost)
	sorted := slices.Sorted(slices.Values(mean))
	middle := sorted[len(sorted)/2]
	chosen, highest := -1, math.Inf(-1)
	for j, x := range points {
		if !maximise.FarFrom(slices.Concat(d.Pending, d.Tried, d.failures()), x, sameDistance) || !d.feasible(x) {
			continue
		}
		ln, _, _ := acq.LogEI(mean[j], sd[j], middle)
		fits := normal.CDF((math.Log(d.belief.Remaining) - lnCost[j]) / math.Max(lnCostSD[j], 1e-6))
		if rate := ln - lnCost[j] + math.Log(math.Max(fits, math.SmallestNonzeroFloat64)); rate > highest {
			chosen, highest = j, rate
		}
	}
	if chosen < 0 {
		return Suggestion{}, false
	}
	return Suggestion{X: slices.Clone(points[chosen]), Policy: "design", Level: 1}, true
}
