package choose

import (
	"context"
	"math"
	"reflect"
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
		return earningFirst(maximise.Peak{X: x, Value: walk.LogValue(nil, x)}, walk, s).X
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

// Rollouts work at the same time and share the local models of many data. The suggestion does not depend on the number of threads.
func TestRolloutsShareLocalModels(t *testing.T) {
	s := model.State{Dim: 2, Initial: 1e6, Remaining: 1e6 - 700, Seed: 7, Trial: 700}
	for i := range s.Trial {
		x := []float64{math.Mod(float64(i)*math.Sqrt2, 1), math.Mod(float64(i)*math.Sqrt(3), 1)}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, -math.Hypot(x[0]-0.3, x[1]-0.6)+0.1*math.Sin(9*x[0])), append(s.LnCost, x[0]-x[1])
	}
	rule, err := MultiStep([]int{1})
	if err != nil {
		t.Fatal(err)
	}
	var got [2]model.Suggestion
	for i, threads := range []int{1, 4} {
		p, err := Policy{Rule: rule, Plans: true}.New("2-bmsei-p", model.Settings{Threads: threads, RawPoints: 40, Starts: 4, Iterations: 20})
		if err == nil {
			got[i], err = p.Suggest(t.Context(), s)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(got[0], got[1]) {
		t.Errorf("%+v on one thread, %+v on four", got[0], got[1])
	}
}
