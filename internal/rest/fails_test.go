package rest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/rest"
)

// Values rise towards an edge beyond which everything fails. The rest of the money is expected to gain less by a model that knows of the failures.
func TestRestKnowsOfFailures(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	s := model.State{Dim: 2, Initial: 60, Remaining: 15, Seed: 4, Trial: 30}
	for range 30 {
		x := []float64{rng.Float64(), rng.Float64()}
		if x[0] > 0.5 {
			s.Failed, s.FailedCost = append(s.Failed, model.Failure{X: x, LnCost: math.NaN()}), append(s.FailedCost, 0)
			continue
		}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, 2*x[0]+0.2*math.Sin(6*x[1])), append(s.LnCost, 0)
	}
	gain := func(s model.State) float64 {
		f, err := model.NewFitter(model.Settings{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		out, err := rest.Forecast(t.Context(), f.Fit(t.Context(), &s), []float64{15}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return out.After[0].Gain
	}
	with := gain(s)
	s.Failed, s.FailedCost = nil, nil
	if without := gain(s); !(with < 0.75*without) {
		t.Errorf("the rest is expected to gain %v, and %v if nothing failed", with, without)
	}
}
