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
func (p *policy) design(s *State) Suggestion {
	return Suggestion{X: p.sequencePoint(s, seedDesign), Policy: "design"}
}

func (p *policy) sequencePoint(s *State, purpose uint64) []float64 {
	if s.Dim > sobol.MaxDim {
		return uniformPoint(s, purpose)
	}
	points := sobol.New(s.Dim, mix(s.Seed+purpose))
	points.Skip(s.Trial)
	return points.Next(nil)
}

func uniformPoint(s *State, purpose uint64) []float64 {
	rng := rand.New(rand.NewPCG(s.seed(purpose), 1))
	x := make([]float64, s.Dim)
	for j := range x {
		x[j] = rng.Float64()
	}
	return x
}

// random is the policy that ignores what was observed.
func (p *policy) random(_ context.Context, _ acq.Belief, s *State) Suggestion {
	return Suggestion{X: uniformPoint(s, seedRandom)}
}
