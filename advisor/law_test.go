package advisor_test

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// A solver takes a hundredth of a second to start, and up to an hour for the finest grid. The cheapest settings are tried first, and all are far from the limit of the
// error. What finer grids cost is forecast nevertheless: no trial costs many times what was said, the budget holds, and the best setting is found.
func TestCostsFarFromAllThatWasTried(t *testing.T) {
	if testing.Short() {
		t.Skip("whole studies take long under the race detector")
	}
	solve := func(x space.Setting) (seconds, err float64) {
		n, _ := x["n"].Number()
		dt, _ := x["dt"].Number()
		tol, _ := x["tol"].Number()
		return 0.02 + 1e-8*n*n/dt*0.5*n*math.Log10(1/tol)/4, 0.8/n/n + 0.05*dt + 3*tol
	}
	for seed := range uint64(2) {
		s := &study.Study{
			Name: "solver", Objective: study.Objective{Name: "seconds", Goal: study.Minimize}, Limits: study.Limits{"error": study.Max(6e-4)},
			Cost: study.Cost{Unit: "dollars", Source: study.Reported}, Budget: study.Budget{Total: 20}, Policy: study.Policy{Name: "auto"}, Seed: seed + 1, Parallel: 1,
			Parameters: []space.Param{
				{Name: "n", Kind: space.KindInt, Min: 8, Max: 400, Log: true}, {Name: "dt", Kind: space.KindFloat, Min: 1e-3, Max: 0.5, Log: true},
				{Name: "tol", Kind: space.KindFloat, Min: 1e-8, Max: 1e-2, Log: true},
			},
		}
		a, err := advisor.New(s)
		if err != nil {
			t.Fatal(err)
		}
		r := study.NewRecord(s.Budget.Total, false)
		r.Judge(s.Limits)
		for number := 1; ; number++ {
			asked, err := a.Next(t.Context(), r)
			if err != nil {
				break
			}
			seconds, off := solve(asked.Setting)
			note(t, r, study.Event{Kind: study.EventAsked, Trial: number, Asked: &asked})
			note(t, r, study.Event{Kind: study.EventFinished, Trial: number, Finished: &study.Finished{State: study.Done, Value: seconds, Charged: 3 * seconds, Metrics: study.Metrics{"error": off}}})
			if why, _ := advisor.WhyOf(asked.Why); number > 10 && 3*seconds > 10*why.Expected.CostHigh {
				t.Errorf("seed %d, trial %d: it cost %v, where %v was said to be above nine in ten", s.Seed, number, 3*seconds, why.Expected.CostHigh)
			}
		}
		if best, ok := r.Best(study.Minimize); !ok || best.Value > 0.25 || r.Ledger.Spent > r.Ledger.Total {
			t.Errorf("seed %d: spent %v of %v, best %v", s.Seed, r.Ledger.Spent, r.Ledger.Total, best.Value)
		}
	}
}
