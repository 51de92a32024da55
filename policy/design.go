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
func (p *policy) design(s *State) (Suggestion, error) {
	if s.Dim > sobol.MaxDim {
		return p.random(context.Background(), acq.Belief{}, s)
	}
	points := sobol.New(s.Dim, mix(s.Seed+seedDesign))
	points.Skip(s.Trial)
	x, err := p.firstFresh(s, func() []float64 { return points.Next(nil) })
	return Suggestion{X: x, Policy: "design"}, err
}

// random is the policy that ignores what was observed.
func (p *policy) random(_ context.Context, _ acq.Belief, s *State) (Suggestion, error) {
	rng := rand.New(rand.NewPCG(s.seed(seedRandom), 1))
	x, err := p.firstFresh(s, func() []float64 {
		x := make([]float64, s.Dim)
		for j := range x {
			x[j] = rng.Float64()
		}
		return x
	})
	return Suggestion{X: x}, err
}

// firstFresh returns the first point of a sequence whose setting is new.
func (p *policy) firstFresh(s *State, next func() []float64) ([]float64, error) {
	t := p.newSettler(s, 0, func([]float64) float64 { return 0 })
	var x []float64
	for range draws {
		q := t.snapped(peak{x: next()})
		if x = q.x; t.isFresh(q) {
			return x, nil
		}
	}
	if s.Snap != nil {
		return x, ErrExhausted
	}
	return x, nil
}
