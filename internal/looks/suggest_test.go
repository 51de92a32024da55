package looks_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/looks"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
	"github.com/eke-bo/eke/policy"
)

// Cheap looks that tell are taken, looks as dear as the top are not, nor are looks that leave no money for the top.
func TestWhenToLook(t *testing.T) {
	for _, name := range []string{"log-ei-puc", "look-tree"} {
		t.Run(name, func(t *testing.T) { checkWhenToLook(t, name) })
	}
}

func checkWhenToLook(t *testing.T, name string) {
	suggest := func(change func(*model.State)) model.Suggestion {
		t.Helper()
		s := modeltest.Leveled(3, 6, 5)
		change(&s)
		made, err := policy.New(name, model.Settings{Threads: 1, Design: -1})
		if err != nil {
			t.Fatal(err)
		}
		out, err := made.Suggest(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	cheap := suggest(func(*model.State) {})
	if cheap.Level == 1 || cheap.Look == nil || !(cheap.Look.Gain > 1) || cheap.Predicted.Cost > 0.8 {
		t.Errorf("with cheap looks: level %v, %+v, expected to cost %v", cheap.Level, cheap.Look, cheap.Predicted.Cost)
	}
	dear := suggest(func(s *model.State) {
		for i := range s.Looks {
			s.Looks[i].LnCost = math.Log(3)
		}
	})
	if dear.Level != 1 || dear.Look != nil {
		t.Errorf("with looks that cost more than the top: level %v, %+v", dear.Level, dear.Look)
	}
	rich := suggest(func(s *model.State) { // nothing is dear then, but an evaluation at the top tells more for the same money
		s.Initial, s.Remaining = 1000, 900
		for i := range s.Looks {
			s.Looks[i].LnCost = math.Log(1.2)
		}
	})
	if rich.Level != 1 || rich.Look != nil {
		t.Errorf("with much money, and looks that cost more than the top: level %v, %+v", rich.Level, rich.Look)
	}
	last := suggest(func(s *model.State) { s.Remaining = 1.02 })
	if last.Level != 1 {
		t.Errorf("with money for one evaluation at the top: level %v, %+v", last.Level, last.Look)
	}
	again := suggest(func(*model.State) {})
	if !slices.Equal(again.X, cheap.X) || again.Level != cheap.Level {
		t.Errorf("the same state gives %v, %v and %v, %v", cheap.X, cheap.Level, again.X, again.Level)
	}
}

// The design are looks, and then the best of their points for its price is evaluated at the top.
func TestDesignWithLevels(t *testing.T) {
	made, err := policy.New("log-ei-puc", model.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := modeltest.Leveled(0, 0, 1)
	s.Remaining = s.Initial
	dear := func(x []float64) bool { return x[0] > 0.5 }
	levels, seen := []float64(nil), [][]float64(nil)
	for range 7 {
		out, err := made.Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		levels = append(levels, out.Level)
		if out.Policy != "design" {
			t.Errorf("trial %d is by %s", s.Trial, out.Policy)
		}
		if known := len(s.Looks) >= model.LeastDesign; out.Looked != (out.Level == 1) || out.Cheapest != (known && out.Level < 1) {
			t.Errorf("trial %d at level %v says that it was looked at: %v, and that it is cheap: %v", s.Trial, out.Level, out.Looked, out.Cheapest)
		}
		if s.Trial++; out.Level == 1 {
			if !slices.ContainsFunc(seen, func(x []float64) bool { return slices.Equal(x, out.X) }) || dear(out.X) || !out.Predicted.Known {
				t.Errorf("the first evaluation at the top is at %v, of %v, expected %+v", out.X, seen, out.Predicted)
			}
			continue
		}
		lnCost := math.Log(0.1 + 0.1*out.Level)
		if dear(out.X) {
			lnCost += 3
		}
		seen = append(seen, out.X)
		s.Looks = append(s.Looks, model.Look{X: out.X, Level: out.Level, Y: modeltest.AtLevel(out.X, out.Level), LnCost: lnCost})
	}
	if !slices.Equal(levels, []float64{0, 0.5, 0, 0.5, 0, 0.5, 1}) {
		t.Errorf("the design has levels %v", levels)
	}
}

// While nothing is known at the top, points that fail there are not tried again, and those under way are not tried twice.
func TestFirstTops(t *testing.T) {
	made, err := policy.New("log-ei-puc", model.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := modeltest.Leveled(0, 6, 1)
	for range 3 {
		out, err := made.Suggest(context.Background(), s)
		if err != nil || out.Level != 1 {
			t.Fatalf("level %v, %v", out.Level, err)
		}
		if taken := slices.Concat(s.Failures(), s.Pending); slices.ContainsFunc(taken, func(x []float64) bool { return slices.Equal(x, out.X) }) {
			t.Errorf("%v is tried twice: %v", out.X, taken)
		}
		if s.Trial++; len(s.Failed) == 0 {
			s.Failed = append(s.Failed, model.Failure{X: out.X, LnCost: 0})
		} else {
			s.Pending = append(s.Pending, out.X)
		}
	}
	s.Looks[0].LnCost, s.Looks[1].LnCost = math.NaN(), math.NaN() // some costs are not known
	if out, err := made.Suggest(context.Background(), s); err != nil || out.Level != 1 {
		t.Errorf("level %v, %v", out.Level, err)
	}
}

// When looks are too dear, or were many, the next trial is at the top.
func TestTheTurnOfTheTop(t *testing.T) {
	made, err := policy.New("log-ei-puc", model.Settings{Threads: 1, Design: -1})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		state model.State
		top   bool
	}{"no money for the top": {looks.DearTops(), true}, "few looks": {looks.SomeLooks(false), false}, "many looks": {looks.SomeLooks(true), true}} {
		if out, err := made.Suggest(t.Context(), c.state); err != nil || (out.Level == 1) != c.top {
			t.Errorf("%s: level %v, %+v, %v", name, out.Level, out.Look, err)
		}
	}
}
