package compare

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/choose"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
)

func newPath(t *testing.T, s *model.State, steps int) *changePath {
	d := modeltest.Believe(t, s, model.Settings{})
	return &changePath{Beliefs: d, steps: steps, points: pathPoints(d)}
}

// A change is weighed with the steps that it makes cheap: a path that goes on where it has gone is worth more than one that would have to pay again.
func TestPathPaysAChangeOnce(t *testing.T) {
	s, change := modeltest.Oven(20), []float64{0.7, 0.5}
	one, three := newPath(t, &s, 1).rate(change), newPath(t, &s, 3).rate(change)
	alone := newPath(t, &s, 1)
	lnCost, _ := alone.Belief.LnCostAt(change)
	if want := math.Exp(choose.Budgeted(alone.Belief, alone.Beliefs).Log().Eval(nil, change) - lnCost); math.Abs(one/want-1) > 1e-9 {
		t.Errorf("one step has a rate of %v, want its improvement for its price, %v", one, want)
	}
	again := modeltest.Oven(20)
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
		s := modeltest.Oven(c.amount)
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
