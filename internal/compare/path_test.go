package compare

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/choose"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
)

// oven is a study of a temperature, the first coordinate, and a time. Any other temperature than that of the last evaluation costs an amount.
func oven(amount float64) model.State {
	s := model.State{Dim: 2, Initial: 200, Remaining: 100, Seed: 5, Trial: 9}
	for i, x := range maximise.RawPoints(9, 2, 3) {
		if i == 8 {
			x = []float64{0.6, 0.9}
		}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, -10*math.Pow(x[0]-0.7, 2)-4*math.Pow(x[1]-0.4, 2)), append(s.LnCost, 0)
	}
	at := s.X[8]
	price := func(from, to []float64) float64 {
		if from[0] == to[0] {
			return 0
		}
		return amount
	}
	s.Change = &model.Change{At: at, Keep: [][]int{{0}}, Between: price, Setup: func(_, x []float64) (float64, float64) { return price(at, x), 0 }}
	return s
}

func newPath(t *testing.T, s *model.State, steps int) *changePath {
	d := modeltest.Believe(t, s, model.Settings{})
	return &changePath{Beliefs: d, steps: steps, points: pathPoints(d)}
}

// A change is weighed with the steps that it makes cheap: a path that goes on where it has gone is worth more than one that would have to pay again.
func TestPathPaysAChangeOnce(t *testing.T) {
	s, change := oven(20), []float64{0.7, 0.5}
	one, three := newPath(t, &s, 1).rate(change), newPath(t, &s, 3).rate(change)
	alone := newPath(t, &s, 1)
	lnCost, _ := alone.Belief.LnCostAt(change)
	if want := math.Exp(choose.Budgeted(alone.Belief, alone.Beliefs).Log().Eval(nil, change) - lnCost); math.Abs(one/want-1) > 1e-9 {
		t.Errorf("one step has a rate of %v, want its improvement for its price, %v", one, want)
	}
	again := oven(20)
	again.Change.Between = func(_, _ []float64) float64 { return 20 }
	if pays := newPath(t, &again, 3).rate(change); !(three > 1.2*pays && three >= one) {
		t.Errorf("three steps have a rate of %v, one alone %v, and three that pay again %v", three, one, pays)
	}
}

// What competes is at the least one step that stays with what is set, and one that changes it; and where a change costs nothing, the path changes.
func TestPathChooses(t *testing.T) {
	for _, c := range []struct {
		amount float64
		stays  bool
	}{{0, false}, {60, true}} {
		s := oven(c.amount)
		p := newPath(t, &s, 4)
		kinds := map[uint]bool{}
		for _, x := range p.roots(t.Context(), s.X[0]) {
			kinds[p.kind(x)] = true
		}
		if len(kinds) != 2 {
			t.Errorf("a change costs %v: first steps of %d kinds compete", c.amount, len(kinds))
		}
		rule, err := choose.Policy{Plans: true, Changing: ChangePath(4)}.New("4-bmsei-p", model.Settings{Design: -1})
		if err != nil {
			t.Fatal(err)
		}
		got, err := rule.Suggest(t.Context(), s)
		if err != nil || (got.X[0] == s.Change.At[0]) != c.stays {
			t.Errorf("a change costs %v: from %v to %v, %v", c.amount, s.Change.At, got.X, err)
		}
	}
}
