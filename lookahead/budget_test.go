package lookahead_test

import (
	"context"
	"math"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/lookahead"
)

// nearby is a base policy that goes from point to point.
func nearby(_ context.Context, b acq.Belief, step, _ int) (x []float64, searches, evaluations int) {
	return []float64{0.1 + 0.2*float64(step), math.Mod(b.Best, 1)}, 1, 2
}

func TestRollouts(t *testing.T) {
	b := smallStudy()
	r := lookahead.Rollouts{Base: nearby, Steps: 3, Count: 5, Threads: 1, Seed: 1}
	b.Remaining = 1e6
	rich := r.Budget(context.Background(), b)
	r.Threads = 4
	if again := r.Budget(context.Background(), b); again != rich {
		t.Errorf("%+v on four threads, %+v on one", again, rich)
	}
	// The first step is shared; each rollout searches for two more.
	if rich.Searches != 1+5*2 || rich.Evaluations != 2*rich.Searches || rich.CutShort {
		t.Errorf("%+v", rich)
	}
	if !(rich.Refill > 0 && 3*rich.Refill <= rich.Budget) {
		t.Errorf("three steps cost %v, the cheapest of them %v", rich.Budget, rich.Refill)
	}
	b.Remaining = rich.Budget / 2
	if poor := r.Budget(context.Background(), b); poor.Budget != b.Remaining || poor.Refill != rich.Refill {
		t.Errorf("%+v of %v", poor, b.Remaining)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if none := r.Budget(ended, b); none.Budget != b.Remaining || !none.CutShort {
		t.Errorf("without time: %+v of %v", none, b.Remaining)
	}
}

func TestLeftOfFantasyBudget(t *testing.T) {
	f := lookahead.FantasyBudget{Budget: 10, Refill: 2}
	for _, c := range []struct {
		spent, remaining, left float64
		ok                     bool
	}{
		{0, 100, 10, true}, {7, 93, 3, true}, {7, 1, 1, true}, {8, 92, 2, false}, {12, 88, -2, false},
	} {
		if left, ok := f.Left(c.spent, c.remaining); left.Budget != c.left || left.Refill != 2 || ok != c.ok {
			t.Errorf("after %v, with %v remaining: %+v, %v", c.spent, c.remaining, left, ok)
		}
	}
}
