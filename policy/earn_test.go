package policy_test

import (
	"context"
	"math"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/policy"
)

// The initial design ends when it would cost more than its share of the budget.
func TestTheDesignPaysItsWay(t *testing.T) {
	for _, c := range []struct {
		budget float64
		least  int // trials of the design
		most   int
	}{{12, 2, 3}, {1000, 10, 10}} {
		s := policy.State{Dim: 4, Initial: c.budget, Remaining: c.budget, Seed: 3}
		p := must(t, "ei-puc-cc", small(policy.Settings{}))
		design := 0
		for range 12 {
			out, err := p.Suggest(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			if out.Policy != "design" {
				break
			}
			design++
			tell(&s, out.X)
			s.Trial++
			s.Remaining -= math.Exp(s.LnCost[len(s.LnCost)-1])
		}
		if design < c.least || design > c.most {
			t.Errorf("a budget of %v: %d trials of design, want %d to %d", c.budget, design, c.least, c.most)
		}
	}
}

// With little money left, a one-step policy looks for what it can still pay.
func TestEndGame(t *testing.T) {
	for seed := range uint64(4) {
		s := study(14, 2, seed)
		s.Remaining = 1.2 // the cheapest costs 1, the best about 4
		plain := suggestion(t, "ei", small(policy.Settings{Paper: true}), s)
		careful := suggestion(t, "ei", small(policy.Settings{}), s)
		if careful.Predicted.Fits < plain.Predicted.Fits-1e-9 {
			t.Errorf("seed %d: a chance to fit of %v, in the paper %v", seed, careful.Predicted.Fits, plain.Predicted.Fits)
		}
		if careful.LastTries == 0 || plain.LastTries != 0 {
			t.Errorf("seed %d: money for %v tries, in the paper %v", seed, careful.LastTries, plain.LastTries)
		}
	}
}

// The price of the last try does not matter, as long as it can be paid: the whole rest of the money goes into the improvement.
func TestLastTryIsNotTheCheapest(t *testing.T) {
	improvement := func(p policy.Prediction, s policy.State) float64 {
		best := math.Inf(-1)
		for _, y := range s.Y {
			best = math.Max(best, y)
		}
		v, _, _ := acq.LogEI(p.Value, p.ValueSD, best)
		return math.Exp(v)
	}
	var last, usual, spent, spentUsually float64
	for seed := range uint64(6) {
		s := study(14, 2, seed)
		s.Remaining = 6 // any setting can be paid once
		careful := suggestion(t, "log-ei-puc", small(policy.Settings{}), s)
		early := s
		early.Remaining = s.Initial
		plain := suggestion(t, "log-ei-puc", small(policy.Settings{}), early)
		last, usual = last+improvement(careful.Predicted, s), usual+improvement(plain.Predicted, s)
		spent, spentUsually = spent+careful.Predicted.Cost, spentUsually+plain.Predicted.Cost
	}
	t.Logf("expected improvement %.3g for %.3g, per cost %.3g for %.3g", last, spent, usual, spentUsually)
	if last < usual || spent < spentUsually {
		t.Errorf("expected improvement %.3g for %.3g, per cost %.3g for %.3g", last, spent, usual, spentUsually)
	}
}

func suggestion(t *testing.T, name string, set policy.Settings, s policy.State) policy.Suggestion {
	t.Helper()
	out, err := must(t, name, set).Suggest(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
