package policy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/maximise"
)

// The Gittins index of Pandora's box (Weitzman 1979; Xie, Astudillo, Frazier, Scully, Terenin 2024), MATH.md (16).
//
// An evaluation is a box that can be opened for a price and holds a value. If the boxes were independent, and money had the
// price λ, it would be optimal to always open the box with the highest index, and to stop when the best value is above all
// indices. Evaluations are not independent, and money is limited rather than priced: as a policy, the index is a heuristic
// whose λ has to be chosen.

// lastGain is a fixed price of money as a fraction of what money has to earn on average. The last of the money earns less
// than the average and should still be spent: the whole budget for a tenth of the gain is a fair price. A price that
// decays can begin with the average.
const lastGain = 0.1

// leastGain is a floor under the expected gain, in standard deviations of the values, because a price
// must be above zero.
const leastGain = 1e-6

// gittins chooses the point with the highest index. With decay, the price of money is halved whenever the index said
// that nothing was worth it.
func (p *policy) gittins(decays bool) chooser {
	return func(ctx context.Context, d *decision) (Suggestion, error) {
		lambda := p.priceOfMoney(d, decays)
		index := func(b acq.Belief, _ *decision) *acq.Function { return acq.Gittins(p.floored(b, floorsTree), lambda) }
		out, err := p.oneStep(index)(ctx, d)
		if err != nil {
			return Suggestion{}, err
		}
		margin := index(d.belief, d).Eval(nil, out.X)
		out.Plan.Lambda = lambda
		out.Plan.Index = capped(d.warp.From(d.belief.Best + margin*d.objective.Standard().Scale))
		return out, nil
	}
}

// priceOfMoney returns λ, in standard deviations of the values for a unit of cost. It is the price of the last plan, halved
// if the last index was not above what is now the best value (PBGI-D). Without a plan it is computed from the expected gain.
func (p *policy) priceOfMoney(d *decision, decays bool) float64 {
	if last := d.Previous; last != nil && last.Lambda > 0 && finite(last.Lambda) {
		if decays && d.Y[highest(d.Y)] >= last.Index {
			return math.Max(last.Lambda/2, math.SmallestNonzeroFloat64)
		}
		return last.Lambda
	}
	lambda := d.expectedGain() / d.belief.Remaining
	if !decays {
		lambda *= lastGain
	}
	return math.Max(capped(lambda), math.SmallestNonzeroFloat64)
}

// gainPoints and gainDraws are the effort for an expected gain: the number of points, and the number of draws
// of their highest value.
const gainPoints, gainDraws = 128, 512

// expectedGain returns how far the highest value of all points is expected to lie above the best so far, in standard deviations of
// the values, MATH.md (17): the mean over draws of the objective from its posterior. The points are stretched a little beyond the
// cube's edges and clipped there, since the top is often on an edge.
func (d *decision) expectedGain() float64 {
	points := maximise.RawPoints(gainPoints, d.Dim, d.seed(seedGain))
	for i, x := range points {
		for j, v := range x {
			x[j] = min(max(0.5+1.05*(v-0.5), 0), 1)
		}
		if d.Snap != nil {
			points[i] = d.Snap(x)
		}
	}
	rng := rand.New(rand.NewPCG(d.seed(seedGain), 1))
	sampler := d.belief.Objective.NewSampler(points)
	std, sum := d.objective.Standard(), 0.0
	best := std.To(d.belief.Best)
	for range gainDraws {
		top := slices.Max(sampler.Draw(rng))
		sum += math.Max(std.To(top)-best, 0)
	}
	return math.Max(sum/gainDraws, leastGain)
}
