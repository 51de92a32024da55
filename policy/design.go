package policy

import (
	"context"
	"math/rand/v2"

	"github.com/eke-bo/eke/acq"
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

// design returns the next point of the initial design, a scrambled Sobol sequence
// that depends on the study's seed alone. It is also the answer when there is
// nothing yet to model.
func (p *policy) design(ctx context.Context, s *State) (Suggestion, error) {
	if s.Dim > sobol.MaxDim {
		out, err := p.random(ctx, acq.Belief{}, s)
		out.Policy = "design"
		return out, err
	}
	points := sobol.New(s.Dim, mix(s.Seed+seedDesign))
	points.Skip(s.Trial)
	return p.newPoint(ctx, s, points.Next(nil), "design")
}

// random is the policy that ignores what was observed.
func (p *policy) random(ctx context.Context, _ acq.Belief, s *State) (Suggestion, error) {
	rng := rand.New(rand.NewPCG(s.seed(seedRandom), 1))
	x := make([]float64, s.Dim)
	for j := range x {
		x[j] = rng.Float64()
	}
	return p.newPoint(ctx, s, x, "")
}

// newPoint suggests x or, where its setting was tried before, the nearest that was not.
func (p *policy) newPoint(ctx context.Context, s *State, x []float64, name string) (Suggestion, error) {
	t := p.newSettler(ctx, s, s.seed(seedRandom), nil)
	if x = t.snapped(x); !t.isFresh(x) {
		near, ok := t.nearestNew(x)
		switch {
		case ok:
			x = near
		case s.Snap != nil:
			return Suggestion{}, ErrExhausted
		}
	}
	return Suggestion{X: x, Policy: name}, nil
}
