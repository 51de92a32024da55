package choose

import (
	"context"
	"slices"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/lookahead"
)

// A path that begins with a step which gains nothing begins with the step that gains; one that begins well stays as it is.
func TestTheEarningStepComesFirst(t *testing.T) {
	x := [][]float64{{0}, {0.4}, {0.5}, {1}}
	b := acq.Belief{Best: 1, Remaining: 10}
	b.Objective, _ = gp.Fit(x, []float64{0, 0.9, 1, 0.2}, 1, gp.Settings{})
	b.LnCost, _ = gp.Fit(x, []float64{0, 0.1, 0, 0.1}, 1, gp.Settings{})
	shape, err := lookahead.NewShape([]int{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := lookahead.New(b, shape, lookahead.SobolSamples(shape.Fantasies(), 1), lookahead.Options{})
	if err != nil {
		t.Fatal(err)
	}
	walk := tree.NewWalk()
	d := &model.Beliefs{Models: &model.Models{State: &model.State{Dim: 1}}}
	s := NewSelector(context.Background(), d, 1, nil)
	order := func(x ...float64) []float64 {
		return earningFirst(maximise.Peak{X: x, Value: walk.LogValue(nil, x)}, walk, s, 0.2).X
	}
	const useless, good = 0.001, 0.6 // next to a point that is known to be bad, and beside the best
	if got := order(useless, good, useless); !slices.Equal(got, []float64{good, useless, useless}) {
		t.Errorf("%v", got)
	}
	if got := order(good, useless, 0.61); !slices.Equal(got, []float64{good, useless, 0.61}) {
		t.Errorf("%v", got)
	}
	d.Taken = [][]float64{{good}}
	s = NewSelector(context.Background(), d, 1, nil)
	if got := order(useless, good, 0.62); !slices.Equal(got, []float64{0.62, useless, good}) {
		t.Errorf("a step that was taken before comes first: %v", got)
	}
}
