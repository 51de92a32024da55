package advisor

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/fault"
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
		at(0.3, study.Failed, 0, 2), // a failure, at a price that is not known
		at(0.4, study.Cut, 0, 9.5),  // at its limit: a failure, at that price
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
	if len(got.X) != 2 || len(got.Failed) != 2 || len(got.Tried) != 1 || got.Tried[0][0] != 0.5 || len(got.Pending) != 1 || got.Trial != 6 || got.FailedInRow != 2 {
		t.Fatalf("%+v", got)
	}
	for i, want := range [][2]float64{{-3, math.Log(5)}, {-7, math.Log(6)}} {
		if got.Y[i] != want[0] || (got.LnCost[i] != want[1] && !(math.IsNaN(got.LnCost[i]) && math.IsNaN(want[1]))) {
			t.Errorf("trial %d: %v at %v, want %v", i+1, got.Y[i], got.LnCost[i], want)
		}
	}
	if f := got.Failed; f[0].X[0] != 0.3 || !math.IsNaN(f[0].LnCost) || f[1].X[0] != 0.4 || f[1].LnCost != math.Log(9.5) {
		t.Errorf("failures %+v", f)
	}
}

// What was seen with one value of a choice says something about the others, whether there are two or more.
func TestValuesOfAChoiceAreRelated(t *testing.T) {
	for _, values := range [][]space.Value{{space.String("ball"), space.String("kaolin")}, {space.String("ball"), space.String("kaolin"), space.String("fire")}} {
		s := &study.Study{
			Name: "clay", Objective: study.Objective{Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported},
			Parameters: []space.Param{{Name: "heat", Kind: space.KindFloat, Max: 1}, {Name: "clay", Kind: space.KindChoice, Values: values}},
		}
		a, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		r := &study.Record{Measured: true, Ledger: study.Ledger{Total: 100, Spent: 30}}
		for i := range 9 {
			heat, clay := float64(i)/8, values[0]
			if i == 2 {
				clay = values[1]
			}
			setting := space.Setting{"heat": space.Float(heat), "clay": clay}
			point, err := a.space.Encode(setting)
			if err != nil {
				t.Fatal(err)
			}
			r.Trials = append(r.Trials, study.Trial{Number: i + 1, State: study.Done, Setting: setting, Point: point, Value: 10 * (1 - heat), Charged: 2})
		}
		state, err := a.State(r)
		if err != nil {
			t.Fatal(err)
		}
		models, err := a.Fit(t.Context(), r, state)
		if err != nil {
			t.Fatal(err)
		}
		hot, err := a.space.Encode(space.Setting{"heat": space.Float(1), "clay": values[1]})
		if err != nil {
			t.Fatal(err)
		}
		if got := -a.Predict(models, [][]float64{hot})[0].Value; got > 4 { // a value that the models take for unrelated is expected to be like its only result, 7.5
			t.Errorf("%d values: %.2f is expected where another one had 0", len(values), got)
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
	random, err := a.policy("random", a.tuning.Settings)
	if err != nil {
		t.Fatal(err)
	}
	want, err := random.Suggest(t.Context(), all)
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

// Results from elsewhere come first, and count as observations, with or without a cost.
func TestKnownResultsAreObserved(t *testing.T) {
	s := &study.Study{
		Name: "kiln", Objective: study.Objective{Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported}, Budget: study.Budget{Total: 100},
		Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}},
	}
	a, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := &study.Record{Ledger: study.Ledger{Total: 100}, Known: []study.Known{{Point: []float64{0.1}, Value: 4}, {Point: []float64{0.2}, Value: 9}},
		Trials: []study.Trial{{Number: 1, State: study.Failed, Point: []float64{0.3}, Charged: 2}}}
	got, err := a.State(r)
	if err != nil || len(got.X) != 2 || len(got.Failed) != 1 || got.LnCost[0] != math.Log(100.0/4) { // what is held for each of the first four trials
		t.Errorf("without any price: %+v, %v", got, err)
	}
	if asked, err := a.Next(t.Context(), r); err != nil || asked.Reserved != 25 {
		t.Errorf("an assumed price is taken for a known one: %+v, %v", asked, err)
	}
	r.Known[1].Cost = 2
	got, err = a.State(r)
	if err != nil || got.Trial != 1 || len(got.X) != 2 || got.X[0][0] != 0.1 || got.Failed[0].X[0] != 0.3 {
		t.Fatalf("%+v, %v", got, err)
	}
	if want := []float64{-4, -9}; !slices.Equal(got.Y, want) {
		t.Errorf("values %v, want %v", got.Y, want)
	}
	if !math.IsNaN(got.LnCost[0]) || got.LnCost[1] != math.Log(2) || !math.IsNaN(got.Failed[0].LnCost) {
		t.Errorf("costs %v", got.LnCost)
	}
}

// With nothing affordable left a study is over, unless it is counted as the paper counts.
func TestOverrunIsAnOption(t *testing.T) {
	s := &study.Study{
		Name: "kiln", Objective: study.Objective{Goal: study.Maximize}, Cost: study.Cost{Source: study.Reported, Unit: "euros"},
		Budget: study.Budget{Total: 4.1}, Policy: study.Policy{Name: "ei"}, Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}},
	}
	r := &study.Record{Ledger: study.Ledger{Total: 4.1, Spent: 4}}
	for i := range 4 {
		x := (float64(i) + 0.5) / 4
		r.Trials = append(r.Trials, study.Trial{Number: i + 1, State: study.Done, Setting: space.Setting{"x": space.Float(x)}, Point: []float64{x}, Value: x, Charged: 1})
	}
	a, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Next(t.Context(), r); !errors.Is(err, ErrBudgetSpent) || !fault.CodeOf(err).Over() {
		t.Errorf("a tenth of what any trial costs is left: %v", err)
	}
	if a, err = New(s, func(t *Tuning) { t.Overrun = true }); err != nil {
		t.Fatal(err)
	}
	if asked, err := a.Next(t.Context(), r); err != nil || math.Abs(asked.Reserved-0.1) > 1e-9 {
		t.Errorf("%+v, %v", asked, err)
	}
	r.Ledger.Spent = 4.1
	if _, err := a.Next(t.Context(), r); !errors.Is(err, ErrBudgetSpent) {
		t.Errorf("nothing is left: %v", err)
	}
}

// The initial design shares the budget by the study's own size of it, and an abandoned first trial is tried again with as much.
func TestReservationsOfTheDesign(t *testing.T) {
	s := &study.Study{
		Name: "s", Objective: study.Objective{Name: "y", Goal: study.Minimize}, Cost: study.Cost{Unit: "euros", Source: study.Reported},
		Budget: study.Budget{Total: 100}, Policy: study.Policy{Name: "ei", Design: 20}, Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Min: 0, Max: 1}},
	}
	for limit, want := range map[float64]float64{0: 5, 40: 40} {
		s.Budget.PerTrial = limit
		a, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		r := study.NewRecord(100, false)
		first, err := a.Next(t.Context(), r)
		if err != nil || first.Reserved != want {
			t.Errorf("limit %v: %v reserved, %v", limit, first.Reserved, err)
		}
		r.Trials = append(r.Trials, study.Trial{Number: 1, State: study.Abandoned, Setting: first.Setting, Point: first.Point, Why: first.Why})
		again, err := a.Next(t.Context(), r)
		if err != nil || again.Reserved != want || again.Point[0] != first.Point[0] {
			t.Errorf("limit %v: once more %v reserved, %v", limit, again.Reserved, err)
		}
	}
}
