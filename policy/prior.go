package policy

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/eke-bo/eke/internal/maximise"
)

// Prior is what an earlier, similar study found. Where it predicts the new study, the models follow it; see follow.go. It must
// not be changed once it is in use, and is safe for concurrent use.
type Prior struct {
	// X are the points of its evaluations, in the cube of the new study.
	X [][]float64

	// Y are their values, of which high ones are good.
	Y []float64

	// LnCost are the logarithms of their costs. NaN stands for an unknown cost.
	LnCost []float64

	// Noisy says that its evaluations had noise.
	Noisy bool

	mu     sync.Mutex
	models *fitted // fitted once; nil before
}

// leastPrior is the number of results below which an earlier study says nothing, and mostPrior how many of them are modelled. The
// models are asked at every point that a search looks at.
const leastPrior, mostPrior = 4, 400

// usable says whether there are enough results to learn from.
func (e *Prior) usable() bool { return e != nil && len(e.X) >= leastPrior }

func (e *Prior) check(dim int) error {
	if e == nil {
		return nil
	}
	if len(e.Y) != len(e.X) || len(e.LnCost) != len(e.X) {
		return fmt.Errorf("policy: %d earlier points, %d values, %d costs: there must be as many of each", len(e.X), len(e.Y), len(e.LnCost))
	}
	for i, v := range e.Y {
		if !finite(v) || math.IsInf(e.LnCost[i], 0) {
			return fmt.Errorf("policy: earlier result %d is %v at a log cost of %v, must be finite", i, v, e.LnCost[i])
		}
	}
	return checkPoints("earlier point", e.X, dim)
}

// fitted returns the models of the earlier study, which depend on nothing but its results. If the context ends before they are fitted, they are not
// kept.
func (e *Prior) fitted(ctx context.Context, dim, threads int) *fitted {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.models != nil {
		return e.models
	}
	set := Settings{Threads: threads}
	if e.Noisy {
		set.Noise = Noisy()
	}
	set, err := set.complete()
	if err != nil {
		panic(err) // these settings are constants
	}
	all := make([]int, len(e.X))
	for i := range all {
		all[i] = i
	}
	kept := sample(e.Y, all, mostPrior)
	s := State{Dim: dim, X: maximise.Pick(e.X, kept), Y: maximise.Pick(e.Y, kept), LnCost: maximise.Pick(e.LnCost, kept)}
	p := &policy{Settings: set}
	f := p.fitModels(ctx, &s, p.newHistory(&s))
	if ctx.Err() == nil {
		e.models = &f
	}
	return &f
}

// best returns the point of the earlier study's best value that may be tried, among those that cost no more than an amount. With
// noise it is the best by its models.
func (e *Prior) best(ctx context.Context, s *State, most float64, threads int) (x []float64, ok bool) {
	values := e.Y
	if e.Noisy {
		values, _ = posterior(e.fitted(ctx, s.Dim, threads).objective, e.X)
	}
	highest := math.Inf(-1)
	for i, v := range values {
		if v <= highest || e.LnCost[i] > math.Log(most) {
			continue
		}
		if place := s.snap(e.X[i]); s.feasible(place) {
			x, highest, ok = place, v, true
		}
	}
	return x, ok
}
