package advisor

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
	a, err := New(s)
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
	got, err := a.State(r)
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

// A random trial needs to know what it will cost, and for that the last observations do; it is no other trial for that.
func TestRandomTrialsAreQuicklyThoughtOf(t *testing.T) {
	s := &study.Study{
		Name: "kiln", Objective: study.Objective{Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported},
		Budget: study.Budget{Total: 1e6}, Policy: study.Policy{Name: "random"}, Seed: 5,
		Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}},
	}
	a, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(1e6, false)
	for i := range 300 {
		x, cost := (float64(i)+0.5)/300, 1000.0
		if i >= 200 {
			cost = 1
		}
		r.Trials = append(r.Trials, study.Trial{Number: i + 1, State: study.Done, Setting: space.Setting{"x": space.Float(x)}, Point: []float64{x}, Value: x, Charged: cost})
	}
	asked, err := a.Next(t.Context(), r)
	if err != nil || asked.Reserved > 1.5 {
		t.Errorf("%+v, %v", asked, err)
	}
	all, err := a.State(r)
	if err != nil {
		t.Fatal(err)
	}
	want, err := a.names["random"].Suggest(t.Context(), all)
	if err != nil || want.X[0] != asked.Point[0] {
		t.Errorf("%v, %v, with all observations %v", asked.Point, err, want.X)
	}
	few := a.latest(all)
	if len(few.X) != priceOnly || len(few.Y) != priceOnly || len(few.LnCost) != priceOnly || len(few.X)+len(few.Tried) != 300 || few.Trial != all.Trial {
		t.Errorf("%d observations, %d points tried", len(few.X), len(few.Tried))
	}
	for i := 100; i < 300; i++ { // none of these has a price
		all.LnCost[i] = math.NaN()
	}
	if few := a.latest(all); len(few.X) != 201 || math.IsNaN(few.LnCost[0]) {
		t.Errorf("%d observations, and no price among them", len(few.X))
	}
}

// Random trials go on until the budget is spent, also where costs have nothing to do with settings.
func TestRandomTrialsSpendTheBudget(t *testing.T) {
	s := &study.Study{
		Name: "kiln", Objective: study.Objective{Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported},
		Budget: study.Budget{Total: 60}, Policy: study.Policy{Name: "random"}, Parallel: 1,
		Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}},
	}
	a, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	for n := 1; ; n++ {
		asked, err := a.Next(t.Context(), r)
		if err != nil {
			if left := r.Ledger.Left(); left > 1 { // the dearest trial costs 0.9
				t.Errorf("after %d trials with %v left: %v", n-1, left, err)
			}
			return
		}
		x, _ := asked.Setting["x"].Number()
		for _, e := range []study.Event{
			{Kind: study.EventAsked, Trial: n, Asked: &asked},
			{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: x, Charged: float64(1+n%9) / 10}},
		} {
			e.Seq, e.At = r.Version+1, time.Unix(int64(n), 0)
			if err := r.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
	}
}
