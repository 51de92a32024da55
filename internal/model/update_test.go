package model_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/policy"
)

// Hyperparameters that were kept give the models that the same hyperparameters give anew, and are searched again when the data have
// grown by a tenth or surprise.
func TestModelsAreUpdated(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	s := model.State{Dim: 2, Initial: 100, Remaining: 60, Seed: 1}
	observe := func(bump float64) {
		x := []float64{rng.Float64(), rng.Float64()}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, math.Sin(4*x[0])+x[1]*x[1]+bump), append(s.LnCost, x[0])
		s.Trial++
	}
	for range 40 {
		observe(0)
	}
	p, err := policy.New("ei", model.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	suggest := func() int {
		out, err := p.Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		s.Previous = out.Plan
		return out.Plan.Searched
	}
	for i, want := range []int{40, 40, 40, 40, 44, 44} {
		if got := suggest(); got != want {
			t.Fatalf("suggestion %d: searched at %d data, want %d", i, got, want)
		}
		observe(0)
	}
	observe(30)
	if got := suggest(); got != len(s.X) {
		t.Errorf("a surprise left the hyperparameters as they were at %d data", got)
	}
}
