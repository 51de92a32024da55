package policy

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/gp"
)

// Evaluating a point a second time teaches next to nothing when evaluations are deterministic, but the
// models, which always grant some noise, do not quite know that: in a corner of the box, where a
// search ends on exactly the same numbers again, the best point may be the last one.

// taken returns the points not to suggest again: those evaluated and those pending. The paper
// preset does not look, and noisy evaluations may be worth repeating.
func (p *policy) taken(s *State) [][]float64 {
	if !p.Preset.Fresh || (p.Noise != nil && p.Noise.Max > gp.Deterministic.Max) {
		return nil
	}
	return slices.Concat(s.X, s.Pending)
}

// sameDistance is how near two points are that are taken for one: a millionth of the cube's edge.
const sameDistance = 1e-6

// fresh returns the best peak whose first point is not taken. When all are, the best
// one is nudged away; value tells what it is worth there.
func (f found) fresh(taken [][]float64, seed uint64, value func(x []float64) float64) peak {
	if len(taken) == 0 {
		return f.top()
	}
	dim := len(taken[0])
	for _, i := range best(f.values(), len(f.peaks)) {
		if farFrom(taken, f.peaks[i].x[:dim], sameDistance) {
			return f.peaks[i]
		}
	}
	top := f.top()
	rng := rand.New(rand.NewPCG(seed, 5))
	for step := 1e-3; ; step *= 1.5 {
		x := slices.Clone(top.x)
		for j := range dim {
			x[j] = math.Min(math.Max(x[j]+step*rng.NormFloat64(), 0), 1)
		}
		// Beyond one edge the step is arbitrary, and so many points have no room between them.
		if farFrom(taken, x[:dim], sameDistance) || step > 1e3 {
			return peak{x, value(x)}
		}
	}
}
