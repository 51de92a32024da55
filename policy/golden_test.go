package policy_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/golden"
	"github.com/eke-bo/eke/lookahead"
	"github.com/eke-bo/eke/policy"
)

// The reference plans with the median cost; its trees are compared on its own terms.
func referenceTrees() policy.Settings {
	preset := policy.Default()
	preset.MeanCost, preset.Discount = false, 0
	return policy.Settings{Preset: &preset}
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
		settings := referenceTrees()
		settings.Starts = len(o.AllValues)
		begin := time.Now()
		got, err := policy.MaximiseTree(context.Background(), s.Belief(o.RemainingBudget), o.Fantasies, golden.Samples(o.BaseSamples), 1, settings)
		if err != nil {
			t.Fatal(err)
		}
		value := math.Exp(got.LogValue)
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
	cheap := referenceTrees()
	cheap.Starts = 6
	for _, s := range states {
		for seed := range uint64(6) {
			budget := s.BudgetedEI.RemainingBudget * []float64{1, 0.3, 2}[seed%3]
			value := func(fantasies ...int) float64 {
				got, err := policy.MaximiseTree(context.Background(), s.Belief(budget), fantasies, lookahead.SobolSamples(fantasies, 1), seed, cheap)
				if err != nil {
					t.Fatal(err)
				}
				return got.LogValue
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
