package eke_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// With noise, the front is that of what the models expect, and a worst that the study gives leaves out what they expect beyond it. A worst that was found leaves out nothing.
func TestNoisyFrontAndTheWorst(t *testing.T) {
	ctx, worst := context.Background(), 9.0
	for _, given := range []*float64{nil, &worst} {
		objectives := []study.Aim{{Objective: study.Objective{Name: "gain", Goal: eke.Maximize}}, {Objective: study.Objective{Name: "loss", Goal: eke.Minimize}, Worst: given}}
		opt, err := eke.New(eke.Config{Parameters: eke.Box([2]float64{0, 2}), Objectives: objectives, Budget: 20, Seed: 1, Noise: true})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			trial, err := opt.Ask(ctx)
			if err != nil {
				t.Fatal(err)
			}
			x := trial.X()[0]
			if i == 4 {
				x = 4 // far beyond what came first
			}
			if err := opt.TellMetrics(ctx, trial.Number, x, 1, study.Metrics{"loss": x * x * x}); err != nil {
				t.Fatal(err)
			}
		}
		front, err := opt.Front(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if last := slices.ContainsFunc(front.Results, func(r eke.Result) bool { return r.Number == 5 }); last != (given == nil) || len(front.Results) < 2 {
			t.Errorf("with a worst of %v the front is %+v", front.Worst, front.Results)
		}
	}
}

// TestFront asks for a few trials with two objectives, and finds those that nothing beats.
func TestFront(t *testing.T) {
	ctx, worst := context.Background(), 8.0
	objectives := []study.Aim{{Objective: study.Objective{Name: "gain", Goal: eke.Maximize}}, {Objective: study.Objective{Name: "loss", Goal: eke.Minimize}, Worst: &worst}}
	opt, err := eke.New(eke.Config{Parameters: eke.Box([2]float64{0, 2}), Objectives: objectives, Budget: 6, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		trial, err := opt.Ask(ctx)
		if err != nil {
			t.Fatal(err)
		}
		x := trial.X()[0]
		if err := opt.TellMetrics(ctx, trial.Number, x, 1, study.Metrics{"loss": x * x * x}); err != nil {
			t.Fatal(err)
		}
	}
	front, err := opt.Front(ctx)
	if err != nil || len(front.Results) < 3 || front.Worst[1] != worst || !(front.Hypervolume > 0) {
		t.Fatalf("%+v, %v", front, err)
	}
	for i, r := range front.Results[1:] {
		if r.Value >= front.Results[i].Value {
			t.Errorf("the front is not ordered by its first objective: %v", front.Results)
		}
	}
	for _, bad := range []eke.Config{
		{Objectives: objectives[:1]},
		{Objectives: append(objectives[:2:2], objectives[0])},
		{Objectives: objectives, Limits: study.Limits{"loss": study.Max(1)}},
		{Objectives: objectives, Policy: study.Policy{Name: "gittins"}},
		{Objectives: objectives, StartFrom: "before"},
	} {
		bad.Parameters, bad.Budget = eke.Box([2]float64{0, 2}), 6
		if _, err := eke.New(bad); err == nil {
			t.Errorf("accepted: %+v", bad)
		}
	}
	one, err := eke.New(eke.Config{Parameters: eke.Box([2]float64{0, 2}), Budget: 6})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.Front(ctx); err == nil {
		t.Error("one objective has a front")
	}
}

// fit is a trial with two objectives and a limited quantity.
func fit(_ context.Context, t eke.Trial) (gain, cost float64, other study.Metrics, err error) {
	x := t.X()[0]
	return x, 1, study.Metrics{"loss": x * x * x, "memory": 4 + x, "unknown": math.NaN()}, nil
}

// RunMetrics keeps the other numbers of a result: those of further objectives and of limits. Run, which cannot return them, says so before it spends anything.
func TestRunMetrics(t *testing.T) {
	ctx := context.Background()
	objectives := []study.Aim{{Objective: study.Objective{Name: "gain", Goal: eke.Maximize}}, {Objective: study.Objective{Name: "loss", Goal: eke.Minimize}}}
	opt := newOptimizer(t, func(c *eke.Config) {
		c.Parameters, c.Objectives, c.Limits, c.Budget = eke.Box([2]float64{0, 2}), objectives, study.Limits{"memory": study.Max(5.5)}, 8
	})
	err := opt.Run(ctx, tryValley)
	if err == nil || !strings.Contains(err.Error(), "the study asks for memory, loss") || !strings.Contains(fault.HintOf(err), "RunMetrics") || ledger(t, opt).Spent > 0 {
		t.Fatalf("Run: %v", err)
	}
	if err := opt.RunMetrics(ctx, fit); err != nil {
		t.Fatal(err)
	}
	front, err := opt.Front(ctx)
	if err != nil || len(front.Results) < 2 {
		t.Fatalf("%+v, %v", front, err)
	}
	for _, r := range results(t, opt) {
		x := r.X()[0]
		if want := (study.Metrics{"loss": x * x * x, "memory": 4 + x}); !maps.Equal(r.Metrics, want) || len(r.Violates) > 0 != (x > 1.5) {
			t.Errorf("trial %d: %v, violates %v; want %v", r.Number, r.Metrics, r.Violates, want)
		}
	}
	for _, r := range front.Results {
		if r.X()[0] > 1.5 {
			t.Errorf("beyond the limit, and on the front: %+v", r)
		}
	}
}

// Of a trial that lacks an objective, the first or another, the others are data.
func TestRunMetricsKeepsTheOthers(t *testing.T) {
	ctx, broken := context.Background(), errors.New("the probe broke")
	objectives := []study.Aim{{Objective: study.Objective{Name: "gain", Goal: eke.Maximize}}, {Objective: study.Objective{Name: "loss", Goal: eke.Minimize}}}
	opt := newOptimizer(t, func(c *eke.Config) {
		c.Objectives, c.Budget, c.Policy.Name, c.Stop.Never = objectives, 12, "random", true
	})
	err := opt.RunMetrics(ctx, func(_ context.Context, t eke.Trial) (gain, cost float64, other study.Metrics, err error) {
		switch t.Number % 6 {
		case 2:
			return math.NaN(), 1, study.Metrics{"loss": 3}, nil
		case 4:
			return 0, 1, study.Metrics{"loss": 3, "heat": 7}, broken
		case 5:
			return 2, 1, study.Metrics{"heat": 7}, nil
		}
		return 2, 1, study.Metrics{"loss": 3}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	list := results(t, opt)
	if len(list) != 12 {
		t.Fatalf("%d trials", len(list))
	}
	for _, r := range list {
		state, note, want := study.Done, "", study.Metrics{"loss": 3}
		switch r.Number % 6 {
		case 2:
			state, note = study.Failed, "it reported no gain; what it reported is kept\nthe value is NaN, not a finite number"
		case 4:
			state, note, want = study.Failed, "it reported no gain; what it reported is kept\nthe probe broke", study.Metrics{"loss": 3, "heat": 7}
		case 5:
			state, note, want = study.Failed, "it reported no loss; what it reported is kept", study.Metrics{"gain": 2, "heat": 7}
		}
		if r.State != state || r.Note != note || !maps.Equal(r.Metrics, want) || r.Cost != 1 {
			t.Errorf("trial %d is %s, %v, %q; want %s, %v, %q", r.Number, r.State, r.Metrics, r.Note, state, want, note)
		}
	}
	one := newOptimizer(t, nil) // has nothing to learn from a failure's numbers
	trial, err := one.Ask(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := one.FailMetrics(ctx, trial.Number, 1, "cold", study.Metrics{"heat": 7}); err != nil || results(t, one)[0].State != study.Failed {
		t.Errorf("%v, %+v", err, results(t, one))
	}
}

// A run gives up if trial after trial lacks an objective, as for any other failure.
func TestRunMetricsGivesUp(t *testing.T) {
	objectives := []study.Aim{{Objective: study.Objective{Name: "gain", Goal: eke.Maximize}}, {Objective: study.Objective{Name: "loss", Goal: eke.Minimize}}}
	opt := newOptimizer(t, func(c *eke.Config) {
		c.Objectives, c.Budget, c.Policy.Name, c.Stop.Never = objectives, 50, "random", true
	})
	err := opt.RunMetrics(context.Background(), func(context.Context, eke.Trial) (gain, cost float64, other study.Metrics, err error) {
		return 2, 1, study.Metrics{"losss": 3}, nil
	})
	if want := "trials in a row failed, the last with: it reported no loss"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v; want %q", err, want)
	}
	if n := len(results(t, opt)); n > 10 {
		t.Errorf("it gave up after %d trials", n)
	}
}

// The setup of a trial that failed is what the change before it cost, though its other numbers are not kept.
func TestSetupOfAFailure(t *testing.T) {
	kept := store.Memory()
	opt := newOptimizer(t, func(c *eke.Config) {
		c.Store, c.Changeover, c.Budget, c.Policy.Name, c.Stop.Never = kept, []study.Changeover{{Of: []string{"x1"}}}, 4, "random", true
	})
	err := opt.RunMetrics(context.Background(), func(_ context.Context, t eke.Trial) (gain, cost float64, other study.Metrics, err error) {
		if t.Number == 1 {
			return 0, 2, study.Metrics{"setup": 1.5, "heat": 3}, errors.New("cold")
		}
		return 1, 1, nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if first := results(t, opt)[0]; first.State != study.Failed || first.Metrics != nil {
		t.Errorf("%+v", first)
	}
	r, _, err := store.Follow(kept, "study").Record(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if setup := r.Trials[0].Setup; setup == nil || *setup != 1.5 {
		t.Errorf("%+v", r.Trials[0])
	}
}
