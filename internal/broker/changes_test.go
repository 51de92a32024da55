package broker_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Where changes cost something, the log has the place of a trial and what it says of its setup; elsewhere it has neither.
func TestPlaceAndSetupAreKept(t *testing.T) {
	ctx, cost := context.Background(), 1.0
	for _, changes := range []bool{true, false} {
		s := definition()
		if changes {
			s.Changeover = []study.Changeover{{Of: []string{s.Parameters[0].Name}, Cost: &cost}}
		}
		d, err := broker.Create(ctx, store.Memory(), s)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range []study.Finished{
			{State: study.Done, Value: 1, Charged: 1.5, Setup: new(1.0)},
			{State: study.Done, Value: 2, Charged: 0.5, Metrics: study.Metrics{"setup": 0.25, "memory": 7}}, // as a client tells it that knows of names only
		} {
			trial, err := d.AskAs(ctx, broker.Asker{Runner: "run-a", Place: "here/0"})
			if err != nil {
				t.Fatal(err)
			}
			if err := d.StartAt(ctx, trial.Number, "run-a", trial.Place); err != nil {
				t.Fatal(err)
			}
			if err := d.Finish(ctx, trial.Number, f); err != nil {
				t.Fatal(err)
			}
			r, err := d.Record(ctx)
			if err != nil {
				t.Fatal(err)
			}
			got := r.Trials[i]
			want := []float64{1, 0.25}[i]
			switch {
			case !changes && (got.Place != "" || got.Setup != nil || i == 1 && got.Metrics["setup"] != 0.25):
				t.Errorf("without changeover: %q, %v, %v", got.Place, got.Setup, got.Metrics)
			case changes && (got.At() != "here/0" || got.Setup == nil || *got.Setup != want || got.Metrics["setup"] != 0 || i == 1 && got.Metrics["memory"] != 7):
				t.Errorf("trial %d: %q, %v, %v", i+1, got.Place, got.Setup, got.Metrics)
			}
		}
	}
}

// When a study ends is changed in what the log says now: an edit that somebody made meanwhile stays, and other parameters are refused.
func TestStopAtKeepsWhatOthersChanged(t *testing.T) {
	ctx, st := t.Context(), store.Memory()
	b, err := broker.Create(ctx, st, definition())
	if err != nil {
		t.Fatal(err)
	}
	edited := definition()
	edited.Parallel, edited.Limits = 7, study.Limits{"memory": study.Max(8)}
	if _, err := broker.Redefine(ctx, st, edited); err != nil {
		t.Fatal(err)
	}
	if b, err = b.StopAt(ctx, study.Stop{Never: true}); err != nil {
		t.Fatal(err)
	}
	for _, found := range []*broker.Broker{b, reopened(t, st)} {
		if s := found.Study(); s.Parallel != 7 || len(s.Limits) != 1 || !s.Stop.Never {
			t.Errorf("%+v", s)
		}
	}
	if _, err := broker.Redefine(ctx, st, edited); err != nil { // it has no stop
		t.Fatal(err)
	}
	if _, err := b.StopAt(ctx, study.Stop{Never: true}); err != nil || !reopened(t, st).Study().Stop.Never {
		t.Errorf("what one broker said before, and another took back, is not said again: %v", err)
	}
	reshaped := *edited
	reshaped.Stop = study.Stop{Never: true}
	reshaped.Parameters = append(slices.Clone(edited.Parameters), space.Param{Name: "gas", Kind: space.KindFloat, Max: 1, Default: space.Float(0.5)})
	if _, err := b.AskAs(ctx, broker.Asker{Runner: "a"}); err != nil {
		t.Fatal(err)
	}
	if _, err := broker.Redefine(ctx, st, &reshaped); err != nil {
		t.Fatal(err)
	}
	if _, err := b.StopAt(ctx, study.Stop{Gain: 1}); !errors.Is(err, broker.ErrReshaped) {
		t.Errorf("of other parameters: %v", err)
	}
	again, err := reopened(t, st).StopAt(ctx, study.Stop{Gain: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.AskAs(ctx, broker.Asker{Runner: "a"}); err != nil {
		t.Errorf("after the parameters were changed: %v", err)
	}
	if s := reopened(t, st).Study(); len(s.Parameters) != 3 || s.Stop.Gain != 0.5 {
		t.Errorf("%+v", s)
	}
}

func reopened(t *testing.T, st store.Store) *broker.Broker {
	t.Helper()
	b, err := broker.Open(t.Context(), st, "kiln")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Who imports a trial that went on from another imports what both have cost.
func TestMeasuredCostsWhatItTook(t *testing.T) {
	r := study.NewRecord(10, false)
	for i, e := range []study.Event{
		{Kind: study.EventKnown, Known: &study.Known{Value: 1, Cost: 3}},
		{Kind: study.EventAsked, Trial: 1, Asked: &study.Asked{Reserved: 1, Look: true}},
		{Kind: study.EventFinished, Trial: 1, Finished: &study.Finished{State: study.Done, Value: 2, Charged: 1}},
		{Kind: study.EventAsked, Trial: 2, Asked: &study.Asked{Reserved: 2, Resumes: 1}},
		{Kind: study.EventFinished, Trial: 2, Finished: &study.Finished{State: study.Done, Value: 3, Charged: 2}},
	} {
		if e.Seq = int64(i + 1); r.Apply(e) != nil {
			t.Fatal(e, r.Apply(e))
		}
	}
	var costs []float64
	for _, result := range broker.Measured(r) {
		costs = append(costs, result.Cost)
	}
	if !slices.Equal(costs, []float64{3, 3}) {
		t.Errorf("%v", costs)
	}
}

// Two results of one setting at one price, with one value of the first objective, are two if they differ in another.
func TestImportTellsObjectivesApart(t *testing.T) {
	s := definition()
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "size", Goal: study.Minimize}}}
	for _, charge := range []bool{false, true} {
		b, err := broker.Create(t.Context(), store.Memory(), s)
		if err != nil {
			t.Fatal(err)
		}
		setting := space.Setting{"heat": space.Float(900), "hours": space.Int(3)}
		results := []broker.Result{
			{Setting: setting, Value: 1, Cost: 1, Metrics: study.Metrics{"size": 10}},
			{Setting: setting, Value: 1, Cost: 1, Metrics: study.Metrics{"size": 13}},
			{Setting: setting, Value: 1, Cost: 1, Metrics: study.Metrics{"size": 10}},
			{Setting: setting, Value: 1, Cost: 1, Metrics: study.Metrics{"size": 0}},
			{Setting: setting, Value: 1, Cost: 1},
		}
		for _, want := range []broker.Imported{{Added: 4, Known: 1}, {Known: 5}} {
			if done, err := b.Import(t.Context(), results, charge); err != nil || done.Added != want.Added || done.Known != want.Known {
				t.Errorf("%+v, %v, want %+v", done, err, want)
			}
		}
	}
}
