package eke

import (
	"math"
	"testing"
	"time"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// What the models are told of trials that ended without a value.
func TestWhatTrialsSayOfTheirSettings(t *testing.T) {
	s := &study.Study{
		Name: "kiln", Objective: study.Objective{Goal: study.Minimize}, Cost: study.Cost{Source: study.Walltime},
		Budget:     study.Budget{Total: 100, PerTrial: 10, Timeout: time.Minute},
		Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}},
	}
	thinker, err := NewThinker(s)
	if err != nil {
		t.Fatal(err)
	}
	at := func(x float64, state study.State, value, charged float64) study.Trial {
		return study.Trial{State: state, Setting: space.Setting{"x": space.Float(x)}, Point: []float64{x}, Value: value, Charged: charged}
	}
	r := &study.Record{Measured: true, Ledger: study.Ledger{Total: 100, Spent: 30}, Trials: []study.Trial{
		at(0.1, study.Done, 3, 5), at(0.2, study.Done, 7, 6),
		at(0.3, study.Failed, 0, 2), // as bad as the worst, at a price that is not known
		at(0.4, study.Cut, 0, 9.5),  // at its limit: as bad as the worst, at that price
		at(0.5, study.Cut, 0, 1),    // at the end of the budget: nothing
		at(0.6, study.Abandoned, 0, 4),
		at(0.7, study.Running, 0, 0),
	}}
	for i := range r.Trials {
		r.Trials[i].Number = i + 1
	}
	got, err := thinker.state(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.X) != 4 || len(got.Tried) != 1 || got.Tried[0][0] != 0.5 || len(got.Pending) != 1 || got.Trial != 6 {
		t.Fatalf("%+v", got)
	}
	for i, want := range [][2]float64{{-3, math.Log(5)}, {-7, math.Log(6)}, {-7, math.NaN()}, {-7, math.Log(9.5)}} {
		if got.Y[i] != want[0] || (got.LnCost[i] != want[1] && !(math.IsNaN(got.LnCost[i]) && math.IsNaN(want[1]))) {
			t.Errorf("trial %d: %v at %v, want %v", i+1, got.Y[i], got.LnCost[i], want)
		}
	}
}
