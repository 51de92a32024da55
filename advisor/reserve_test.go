package advisor

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

func limited(source study.Source, b study.Budget) *Advisor {
	b.Total = 100
	a, err := New(&study.Study{
		Name: "limited", Objective: study.Objective{Goal: study.Minimize}, Cost: study.Cost{Source: source, Unit: "euros"}, Budget: b,
		Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}},
	})
	if err != nil {
		panic(err)
	}
	return a
}

// A trial hangs when it has passed everything that makes its length credible.
func TestCredible(t *testing.T) {
	done := func(costs ...float64) *study.Record {
		r := study.NewRecord(100, true)
		for i, c := range costs {
			r.Trials = append(r.Trials, study.Trial{Number: i + 1, State: study.Done, Charged: c, Wall: 20 * c})
		}
		return r
	}
	forecast := func(median, sd float64) policy.Prediction {
		return policy.Prediction{Known: true, LnCost: math.Log(median), LnCostSD: sd}
	}
	for name, c := range map[string]struct {
		source study.Source
		r      *study.Record
		p      policy.Prediction
		want   float64
	}{
		"nothing is forecast":     {study.Walltime, done(1, 1, 1), policy.Prediction{}, 0},
		"too few trials":          {study.Walltime, done(1, 1), forecast(5, 0), 0},
		"ten times the median":    {study.Walltime, done(1, 1, 1), forecast(5, 0.1), 50},
		"the quantile":            {study.Walltime, done(1, 1, 1), forecast(5, 1), 5 * math.Exp(incredible)},
		"twice the most":          {study.Walltime, done(1, 400, 1), forecast(5, 0.1), 800},
		"never less than a while": {study.Walltime, done(0.01, 0.01, 0.01), forecast(0.01, 0.1), 1},
		"in seconds":              {study.Reported, done(1, 1, 1), forecast(5, 0.1), 1000},
		"a minute at least":       {study.Reported, done(0.01, 0.01, 0.01), forecast(0.01, 0.1), 60},
		"nobody can tell":         {study.Walltime, done(1, 1, 1), forecast(5, 1e6), 0},
	} {
		if got := limited(c.source, study.Budget{}).credible(c.r, nil, c.p); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// What looks cost is no ground to stop a full evaluation, whose price nobody has seen.
func TestCredibleByFidelity(t *testing.T) {
	a := limited(study.Walltime, study.Budget{})
	a.study.Fidelity = &study.Fidelity{Name: "reps", Min: 3, Max: 81}
	at := func(reps int64) space.Setting { return space.Setting{"x": space.Float(0.5), "reps": space.Int(reps)} }
	r := study.NewRecord(100, true)
	add := func(reps int64) {
		r.Trials = append(r.Trials, study.Trial{Number: len(r.Trials) + 1, State: study.Done, Setting: at(reps), Charged: 0.1, Wall: 0.1})
	}
	p := policy.Prediction{Known: true, LnCost: math.Log(0.2), LnCostSD: 0.1}
	for range 2 {
		add(3)
		add(9)
	}
	for full := range 4 {
		for reps, want := range map[int64]float64{3: 2, 81: 0} {
			if full == 3 {
				want = 2
			}
			if got := a.credible(r, at(reps), p); math.Abs(got-want) > 1e-9 {
				t.Errorf("after %d full evaluations, %d reps: %v, want %v", full, reps, got, want)
			}
		}
		add(81)
	}
}

// The initial design takes no more of the last money than other trials do: begun beside each other, all of them would be cut.
func TestDesignWaitsForMoney(t *testing.T) {
	a := limited(study.Walltime, study.Budget{})
	next := policy.Suggestion{Policy: "design", X: []float64{0.5}, Predicted: policy.Prediction{Known: true, LnCost: math.Log(8), LnCostSD: 0.5, Fits: 1}}
	for total, want := range map[float64]error{20: errKept, 60: nil} {
		r := study.NewRecord(total, true)
		for i, state := range []study.State{study.Done, study.Done, study.Done, study.Running} {
			trial := study.Trial{Number: i + 1, State: state, Setting: space.Setting{"x": space.Float(0.5)}, Point: []float64{0.5}}
			if trial.Charged = 0.1; state == study.Running {
				trial.Charged, trial.Reserved, trial.Why = 0, 6, []byte(`{"policy":"design","expected":{"cost_median":6,"cost_high":10}}`)
			}
			r.Trials = append(r.Trials, trial)
		}
		if _, err := a.reserve(r, next); !errors.Is(err, want) {
			t.Errorf("of %v: %v, want %v", total, err, want)
		}
	}
}

// Only so many trials are started; one that was lost is tried again all the same, and those that were run elsewhere do not count.
func TestBudgetTrials(t *testing.T) {
	a := limited(study.Reported, study.Budget{Trials: 2})
	r := study.NewRecord(100, false)
	for range 3 {
		n := len(r.Trials) + 1
		setting := space.Setting{"x": space.Float(float64(n) / 4)}
		for _, e := range []study.Event{
			{Kind: study.EventAsked, Trial: n, Runner: study.Importer, Asked: &study.Asked{Setting: setting, Point: []float64{float64(n) / 4}, Reserved: 1}},
			{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Charged: 1}},
		} {
			e.Seq = r.Version + 1
			if err := r.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if to := a.trialsToCome(r); to != 2 {
		t.Errorf("%d trials to come", to)
	}
	for i := range 3 {
		asked, err := a.Next(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		state := study.Done
		if i == 0 {
			state = study.Abandoned
		}
		for _, e := range []study.Event{
			{Kind: study.EventAsked, Trial: i + 4, Asked: &asked},
			{Kind: study.EventFinished, Trial: i + 4, Finished: &study.Finished{State: state, Charged: 1}},
		} {
			e.Seq = r.Version + 1
			if err := r.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, err := a.Next(t.Context(), r)
	if fault.CodeOf(err) != fault.BudgetSpent || !strings.Contains(err.Error(), "budget.trials allows 2 trials") {
		t.Errorf("a third trial: %v", err)
	}
}

// Two amounts that are written with the same digits are told apart.
func TestTooDear(t *testing.T) {
	a := limited(study.Reported, study.Budget{})
	for cost, want := range map[float64]string{
		10.000001: "no affordable setting is worth trying: 10 euros left, and the best candidate is expected to cost slightly more",
		12.5:      "no affordable setting is worth trying: 10 euros left, and the best candidate is expected to cost 12.5 euros",
	} {
		if got := a.tooDear(study.Ledger{Total: 10}, cost); got.Error() != want || fault.CodeOf(got) != fault.NotWorth {
			t.Errorf("%v", got)
		}
	}
}

func TestNothingCanVary(t *testing.T) {
	_, err := New(&study.Study{Name: "fixed", Parameters: []space.Param{{Name: "x", Kind: space.KindFixed, Value: space.Int(1)}}})
	if fault.CodeOf(err) != fault.BadStudy || !strings.Contains(err.Error(), "nothing can vary") {
		t.Error(err)
	}
}

// An evaluation that goes on from a look needs money for its rest alone. No evaluation goes on from a look elsewhere.
func TestRestFits(t *testing.T) {
	a, err := New(&study.Study{
		Name: "resumed", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported, Unit: "euros"}, Budget: study.Budget{Total: 10},
		Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}}, Fidelity: &study.Fidelity{Name: "epochs", Min: 1, Max: 9, Log: true, Resume: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(10, false)
	r.Ledger.Spent = 9
	setting := space.Setting{"x": space.Float(0.5), "epochs": space.Int(3)}
	point, err := a.space.Encode(setting)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := space.Setting{"x": space.Float(0.7), "epochs": space.Int(3)}
	there, err := a.space.Encode(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	r.Trials = []study.Trial{
		{Number: 1, State: study.Done, Setting: setting, Point: point, Charged: 0.5, Look: true},
		{Number: 2, State: study.Done, Setting: elsewhere, Point: there, Charged: 0.5, Look: true, Runner: study.Importer},
	}
	r.Known = []study.Known{{Setting: elsewhere, Point: there, Cost: 0.5, Look: true}}
	if s, err := a.State(r); err != nil || len(s.Looks) != 3 || !s.Looks[0].Elsewhere || s.Looks[1].Elsewhere || !s.Looks[2].Elsewhere {
		t.Errorf("looks %+v, %v", s.Looks, err)
	}
	whole := policy.Prediction{LnCost: math.Log(1.4), LnCostSD: 0.01, Fits: 0, Known: true}
	for x, want := range map[float64]error{0.5: nil, 0.6: ErrNotWorth, 0.7: ErrNotWorth} {
		s := a.byDifference(r, policy.Suggestion{X: []float64{x}, Level: 1, Predicted: whole})
		if _, err := a.reserve(r, s); !errors.Is(err, want) {
			t.Errorf("at %v, forecast %+v: %v, want %v", x, s.Predicted, err, want)
		}
	}
}

// Where the best candidate costs more than is left, the budget is spent if no trial so far cost as little. Otherwise something cheaper may be there, but is not worth it.
func TestSpent(t *testing.T) {
	a := limited(study.Reported, study.Budget{})
	for cheapest, want := range map[float64]fault.Code{0.5: fault.NotWorth, 0.8: fault.BudgetSpent} {
		r := study.NewRecord(10, false)
		r.Ledger.Spent = 9.4
		for i, cost := range []float64{cheapest, 2, 2, 2, 2} {
			x := float64(i) / 4
			r.Trials = append(r.Trials, study.Trial{Number: i + 1, State: study.Done, Setting: space.Setting{"x": space.Float(x)}, Point: []float64{x}, Value: x, Charged: cost})
		}
		_, err := a.Next(t.Context(), r)
		spent := errors.Is(err, ErrBudgetSpent)
		if fault.CodeOf(err) != want || spent != (want == fault.BudgetSpent) || spent == errors.Is(err, ErrNotWorth) {
			t.Errorf("after a trial for %v: %v", cheapest, err)
		}
		if text := "budget spent: 0.6 euros left, and the cheapest trial cost 0.8 euros"; spent && err.Error() != text {
			t.Error(err)
		}
		rest := &study.Rest{Left: 0.6}
		if got := a.Over(r, rest, time.Time{}); fault.CodeOf(got) != want {
			t.Errorf("by a forecast, after a trial for %v: %v", cheapest, got)
		}
		rest.Gain = 1e-9
		if got := a.Over(r, rest, time.Time{}); fault.CodeOf(got) != fault.NotWorth {
			t.Errorf("something can be gained, after a trial for %v: %v", cheapest, got)
		}
	}
}

// How to go on is said only while what is left buys a trial, by the cheapest so far.
func TestHintsNeedMoney(t *testing.T) {
	a, r := limited(study.Reported, study.Budget{}), study.NewRecord(100, false)
	r.Ledger.Spent = 95
	for charged, want := range map[float64]string{0: "go on", 5: "go on", 6: ""} { // of a trial that cost nothing, nothing is known
		r.Trials = []study.Trial{{Number: 1, State: study.Failed, Charged: 1}, {Number: 2, State: study.Done, Charged: charged}, {Number: 3, State: study.Done, Charged: 1, Look: true}}
		if got := a.withMoney(r, "go on"); got != want {
			t.Errorf("%v for a trial: %q", charged, got)
		}
	}
}

// A kiln, by hand: while one result is known and other trials are open, a trial is of the initial design, and is held no more than a trial may cost. The limit
// of a trial also says what the open trials need at most.
func TestOneCostKnown(t *testing.T) {
	for _, c := range []struct {
		total float64
		ask   []int // that many trials before the first result, and after it
		want  float64
	}{{60, []int{1, 3}, 7.5}, {60, []int{3, 1}, 7.5}, {300, []int{1, 3}, 15}} {
		s := &study.Study{
			Name: "kiln", Objective: study.Objective{Goal: study.Maximize}, Cost: study.Cost{Source: study.Reported, Unit: "euros"}, Budget: study.Budget{Total: c.total, PerTrial: 15}, Seed: 1,
			Parameters: []space.Param{{Name: "heat", Kind: space.KindFloat, Max: 1}, {Name: "hours", Kind: space.KindInt, Min: 1, Max: 12}, {Name: "tin", Kind: space.KindBool}},
		}
		a, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		r := study.NewRecord(c.total, false)
		apply := func(e study.Event) {
			e.Seq = r.Version + 1
			if err := r.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		for i, n := range c.ask {
			for range n {
				asked, err := a.Next(t.Context(), r)
				if err != nil {
					t.Fatalf("of %v, trial %d: %v", c.total, len(r.Trials)+1, err)
				}
				want := 15.0
				if i > 0 {
					want = c.want
				}
				if why, _ := WhyOf(asked.Why); asked.Reserved != want || why.Policy != "design" {
					t.Errorf("of %v, trial %d: %v reserved, by %s; want %v, by the design", c.total, len(r.Trials)+1, asked.Reserved, why.Policy, want)
				}
				apply(study.Event{Kind: study.EventAsked, Trial: len(r.Trials) + 1, Asked: &asked})
			}
			if i == 0 {
				apply(study.Event{Kind: study.EventFinished, Trial: 1, Finished: &study.Finished{State: study.Done, Value: 38, Charged: 7.2}})
			}
		}
	}
}

// A forecast by one cost is a wild guess, whoever chose the trial. A limit caps what is held, unless more is expected.
func TestHeldBesideOthers(t *testing.T) {
	wild := policy.Suggestion{Policy: DefaultPolicy, X: []float64{0.5}, Predicted: policy.Prediction{Known: true, LnCost: math.Log(6), LnCostSD: 2, Fits: 1}}
	for _, c := range []struct {
		costs    []float64
		limit    float64
		median   float64
		reserved float64
	}{
		{[]float64{6}, 0, 6, 25}, // an equal part of 100 for each trial of the design
		{[]float64{6}, 12, 6, 12},
		{[]float64{6, 7}, 12, 6, 12},
		{[]float64{6, 40}, 12, 20, 20},
		{[]float64{6, 7}, 0, 6, 6 * math.Exp(2*cautious)},
	} {
		a, r := limited(study.Reported, study.Budget{PerTrial: c.limit}), study.NewRecord(100, true)
		for i, cost := range c.costs {
			r.Trials = append(r.Trials, study.Trial{Number: i + 1, State: study.Done, Charged: cost})
		}
		wild.Predicted.LnCost = math.Log(c.median)
		got, err := a.reserve(r, wild)
		held, _ := a.hold(r, space.Setting{"x": space.Float(0.5)}, wild.Predicted)
		if math.Abs(got-c.reserved) > 1e-9 || math.Abs(held-c.reserved) > 1e-9 || err != nil {
			t.Errorf("%+v: %v and %v reserved, %v", c, got, held, err)
		}
	}
}

// If so little is known of a cost that its variance overflows, its median decides.
func TestCoversWhatIsHardlyKnown(t *testing.T) {
	a, r := limited(study.Reported, study.Budget{}), study.NewRecord(100, false)
	r.Trials = []study.Trial{{Number: 1, State: study.Running, Reserved: 5}}
	if p := (policy.Prediction{Known: true, LnCost: math.Log(5), LnCostSD: 30}); !a.covers(r, p) {
		t.Error("100 do not cover two trials of 5")
	}
	if p := (policy.Prediction{Known: true, LnCost: math.Log(80), LnCostSD: 30}); a.covers(r, p) {
		t.Error("100 cover a trial of 80 whose cost is hardly known, and another one")
	}
}

// A result that breaks a limit may be far better than all that counts. It does not make all others look alike.
func TestSpreadOfWhatCounts(t *testing.T) {
	a := limited(study.Reported, study.Budget{})
	values := []float64{-9, -8, 3, -6, -5, -4, -3, -2}
	honest := a.spread(policy.State{Y: values, Misses: make([]bool, len(values))})
	values[2] = 1e6
	misses := make([]bool, len(values))
	misses[2] = true
	if broken := a.spread(policy.State{Y: values, Misses: misses}); honest != 12 || broken != 7 {
		t.Errorf("%v, and %v if the best breaks the limit; want 12 and 7", honest, broken)
	}
	// Most of the first results may break a limit, and be better.
	if s := a.spread(policy.State{Y: []float64{5, 6, 7, 8, -9, -2, -3, -4}, Misses: []bool{true, true, true, true, false, false, false, false}}); s != 7 {
		t.Errorf("%v, want 7", s)
	}
	if s := a.spread(policy.State{Y: []float64{5, 6, -9}, Misses: []bool{true, true, false}}); s != 10 {
		t.Errorf("with one that counts: %v, want 10", s)
	}
}
