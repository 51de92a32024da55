package compare

import (
	"context"
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/choose"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
)

// rolloutState has results of a parabola in one dimension, with the same price everywhere.
func rolloutState(price float64) *model.State {
	s := &model.State{Dim: 1, Initial: 20, Remaining: 6, Seed: 4, Trial: 5}
	for _, x := range []float64{0.05, 0.2, 0.45, 0.7, 0.95} {
		s.X, s.Y, s.LnCost = append(s.X, []float64{x}), append(s.Y, -(x-0.3)*(x-0.3)), append(s.LnCost, price)
	}
	return s
}

var rolloutSettings = model.Settings{RawPoints: 60, Starts: 6, Iterations: 40, Threads: 2}

// A first step where there is nothing to gain is worth less than one near the top, and a simulation that begins with one has it as its
// first point.
func TestRolloutPrefersTheBetterFirstStep(t *testing.T) {
	d := modeltest.Believe(t, rolloutState(0), rolloutSettings)
	d.State.Remaining, d.Belief.Remaining = 1.5, 1.5 // the next try is the last
	gains := simulatedGains(context.Background(), d, [][]float64{{0.99}, {0.3}})
	if !(gains[1] > gains[0]) || gains[0] < 0 {
		t.Errorf("gains %v, want the second to be higher", gains)
	}
}

func TestRolloutSuggests(t *testing.T) {
	s := rolloutState(0)
	p, err := choose.Policy{Rule: Rollout}.New("rollout", rolloutSettings)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Suggest(context.Background(), *s)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(out.X[0]-0.3) > 0.1 || out.Policy != "rollout" || out.Plan == nil {
		t.Errorf("%+v", out)
	}
}
