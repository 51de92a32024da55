package eke_test

import (
	"context"
	"slices"
	"testing"

	"github.com/eke-bo/eke"
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
