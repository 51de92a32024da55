package lookahead_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/golden"
	"github.com/eke-bo/eke/lookahead"
)

// maximise searches like the default preset. The tree is the paper's, as in the reference's figures: it plans with the
// median cost, and all steps count the same.
func maximise(t *testing.T, b acq.Belief, fantasies []int, base lookahead.Samples, s lookahead.Settings) lookahead.Solution {
	t.Helper()
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := lookahead.New(b, shape, base, lookahead.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.LogForm, s.Grown, s.Threads = true, true, 2
	return lookahead.Maximise(context.Background(), tree, s)
}

// With no more starts than the reference used, the maximiser finds trees as good as the
// reference's best.
func TestGoldenOptima(t *testing.T) {
	optima, states, err := golden.AllOptima(golden.Dir("../testdata/golden"))
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range optima {
		s := states[i]
		begin := time.Now()
		got := maximise(t, s.Belief(o.RemainingBudget), o.Fantasies, golden.Samples(o.BaseSamples), lookahead.Settings{Starts: len(o.AllValues), Seed: 1})
		value := math.Exp(got.Best.Value)
		t.Logf("%s %v: %.6g, reference %.6g, ratio %.5f, %d evaluations, %d starts, %d searches in all, %v", s.Name, o.Fantasies, value, o.BestValue, value/o.BestValue, got.Evaluations, got.Starts, got.Searches, time.Since(begin).Round(time.Millisecond))
		if value < 0.999*o.BestValue {
			t.Errorf("%s %v: reached %v, reference %v", s.Name, o.Fantasies, value, o.BestValue)
		}
		if got.Starts > len(o.AllValues) {
			t.Errorf("%s %v: %d starts, reference %d", s.Name, o.Fantasies, got.Starts, len(o.AllValues))
		}
	}
}

// A plan of four steps contains the plan of two: its maximised value cannot be lower. The
// reference's maximiser violates this.
func TestGoldenDeeperIsNotWorse(t *testing.T) {
	states, err := golden.AllStates(golden.Dir("../testdata/golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range states {
		for seed := range uint64(6) {
			budget := s.BudgetedEI.RemainingBudget * []float64{1, 0.3, 2}[seed%3]
			value := func(fantasies ...int) float64 {
				return maximise(t, s.Belief(budget), fantasies, lookahead.SobolSamples(fantasies, 1), lookahead.Settings{Starts: 6, Seed: seed}).Best.Value
			}
			if two, four := value(1), value(1, 1, 1); four < two {
				t.Errorf("%s seed %d: four steps are worth e^%v, two e^%v", s.Name, seed, four, two)
			}
			if seed > 1 {
				continue
			}
			if two, four := value(3), value(3, 2, 1); four < two {
				t.Errorf("%s seed %d: a tree of four steps is worth e^%v, of two e^%v", s.Name, seed, four, two)
			}
		}
	}
}
