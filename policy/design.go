package policy

import (
	"context"
	"math/rand/v2"

	"github.com/eke-bo/eke/internal/sobol"
)

// designSize returns the number of points of the initial design: 2(d+1) in the paper.
func (s *Settings) designSize(d int) int {
	switch {
	case s.Design > 0:
		return s.Design
	case s.Design < 0:
		return 0
	}
	return 2 * (d + 1)
}

// leastDesign is the number of points that a design has whatever they cost. A model needs two to see a difference.
const leastDesign = 2

// designIsPaid says whether another point of the initial design would use more of the budget than the design's share.
func (p *policy) designIsPaid(d *decision) bool {
	n := float64(len(d.X) + len(d.Pending))
	if p.Preset.DesignShare <= 0 || n < leastDesign {
		return false
	}
	spent := d.Initial - d.belief.Remaining // with the expected cost of pending points
	return spent+spent/n > p.Preset.DesignShare*d.Initial
}

// design returns the next point of the initial design, a scrambled Sobol sequence that depends only
// on the study's seed. It is also used while there is nothing to model yet.
func (p *policy) design(ctx context.Context, d *decision) (Suggestion, error) {
	if d.Dim > sobol.MaxDim {
		out, err := p.random(ctx, d)
		out.Policy = "design"
		return out, err
	}
	points := sobol.New(d.Dim, mix(d.Seed+seedDesign))
	if d.Feasible != nil {
		if x, ok := d.nthFeasible(points, d.Trial); ok {
			return p.newPoint(ctx, d, x, "design")
		}
		points = sobol.New(d.Dim, mix(d.Seed+seedDesign))
	}
	points.Skip(d.Trial)
	return p.newPoint(ctx, d, points.Next(nil), "design")
}

// random is the policy that ignores what was observed.
func (p *policy) random(ctx context.Context, d *decision) (Suggestion, error) {
	rng := rand.New(rand.NewPCG(d.seed(seedRandom), 1))
	x := make([]float64, d.Dim)
	for range mostDesign {
		for j := range x {
			x[j] = rng.Float64()
		}
		if d.feasible(d.snap(x)) {
			break
		}
	}
	return p.newPoint(ctx, d, x, "")
}

// newPoint suggests x or, if its setting was tried before, the nearest setting that was not.
func (p *policy) newPoint(ctx context.Context, d *decision, x []float64, name string) (Suggestion, error) {
	t := newSelector(ctx, d, d.seed(seedRandom), nil)
	if x = t.snapped(x); !t.isFresh(x) {
		near, ok := t.nearestNew(x)
		switch {
		case ok:
			x = near
		case d.Snap != nil || d.Feasible != nil:
			return Suggestion{}, ErrExhausted
		}
	}
	return Suggestion{X: x, Policy: name}, nil
}
