package broker_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
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

// Nothing is tried that does not meet the constraints, although they came later than somebody's wish; and what leaves the queue is said.
func TestConstraintsHoldForTheQueue(t *testing.T) {
	ctx := t.Context()
	for _, byRedefine := range []bool{true, false} { // or by a version that left the queue as it was
		st := store.Memory()
		b, err := broker.Create(ctx, st, definition())
		if err != nil {
			t.Fatal(err)
		}
		setting := func(heat float64, hours int64) space.Setting {
			return space.Setting{"heat": space.Float(heat), "hours": space.Int(hours)}
		}
		if _, err := b.Import(ctx, []broker.Result{{Setting: setting(1200, 20), Value: 1, Cost: 1}, {Setting: setting(900, 2), Value: 1, Cost: 1}}, true); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Enqueue(ctx, setting(1240, 20), "", ""); err != nil {
			t.Fatal(err)
		}
		if trial, err := b.Ask(ctx, "runner"); err != nil || b.Finish(ctx, trial.Number, study.Finished{State: study.Abandoned, Charged: 0.1}) != nil { // else it were tried again
			t.Fatal(err)
		}
		for _, wanted := range []space.Setting{setting(1250, 20), setting(900, 3), {"hours": space.Int(21)}, {"hours": space.Int(4)}} {
			if _, err := b.Enqueue(ctx, wanted, "", ""); err != nil {
				t.Fatal(err)
			}
		}
		edited := definition()
		edited.Where = []string{"heat + 20 * hours <= 1200"}
		waiting := 4
		if byRedefine {
			waiting = 2
			if b, err = broker.Redefine(ctx, st, edited); err != nil {
				t.Fatal(err)
			}
			if want := []string{"the constraints have changed; 2 of 4 waiting settings are not allowed any more, and will not be tried"}; !slices.Equal(b.Changes(), want) {
				t.Errorf("%q", b.Changes())
			}
		} else {
			raw, err := json.Marshal(edited)
			if err != nil {
				t.Fatal(err)
			}
			r, err := b.Record(ctx)
			if err == nil {
				err = st.Append(ctx, "kiln", r.Version, study.Event{Seq: r.Version + 1, Kind: study.EventDefined, Definition: raw})
			}
			if err != nil {
				t.Fatal(err)
			}
			b = reopened(t, st)
		}
		if r, err := b.Record(ctx); err != nil || len(r.Waiting()) != waiting {
			t.Errorf("%+v wait, %v", r.Waiting(), err)
		}
		if _, err := b.Retry(ctx, 1); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "trial 1 cannot be tried again: the setting does not meet") {
			t.Errorf("retry: %v", err)
		}
		if _, err := b.Retry(ctx, 2); err != nil {
			t.Error(err)
		}
		for range 4 {
			trial, err := b.Ask(ctx, "runner")
			if err != nil || b.Advisor().Space().Allows(trial.Setting) != nil {
				t.Errorf("%v is tried, %v", trial.Setting, err)
			}
			if err := b.Finish(ctx, trial.Number, study.Finished{State: study.Abandoned, Charged: 0.1}); err != nil {
				t.Error(err)
			}
		}
	}
}

// Whoever changes parameters hears what does not count any more, results from elsewhere included, and what will not be tried.
func TestReshapingCountsAll(t *testing.T) {
	ctx, st := t.Context(), store.Memory()
	b, err := broker.Create(ctx, st, definition())
	if err != nil {
		t.Fatal(err)
	}
	setting := func(heat float64) space.Setting {
		return space.Setting{"heat": space.Float(heat), "hours": space.Int(3)}
	}
	_, err = b.Import(ctx, []broker.Result{{Setting: setting(1200), Value: 1}, {Setting: setting(900), Value: 2}}, false)
	for _, heat := range []float64{850, 1250} {
		if _, e := b.Enqueue(ctx, setting(heat), "", ""); e != nil {
			err = e
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	edited := definition()
	edited.Parameters[0].Max = 1000
	b, err = broker.Redefine(ctx, st, edited)
	want := []string{"the parameters have changed; 1 of 2 known results are outside of them, and do not count any more; 1 of 2 waiting settings are not allowed any more, and will not be tried"}
	if err != nil || !slices.Equal(b.Changes(), want) {
		t.Errorf("%q, %v", b.Changes(), err)
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

// Results of one setting at one price, with one value of the first objective, are told apart by the others.
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
		for _, want := range []broker.Imported{{Added: 5}, {Known: 5}} {
			if done, err := b.Import(t.Context(), results, charge); err != nil || done.Added != want.Added || done.Known != want.Known {
				t.Errorf("%+v, %v, want %+v", done, err, want)
			}
		}
	}
}

// A charged result that lacks an objective is a trial that has failed, like one of the study's own. It is charged, and what it has is kept.
func TestImportOfAPart(t *testing.T) {
	s := definition()
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "size", Goal: study.Minimize}}}
	b, err := broker.Create(t.Context(), store.Memory(), s)
	if err != nil {
		t.Fatal(err)
	}
	setting := space.Setting{"heat": space.Float(900), "hours": space.Int(3)}
	results := []broker.Result{{Setting: setting, Value: 1, Cost: 0.5, Row: "a"}, {Setting: setting, Value: 2, Cost: 0.5, Row: "b", Metrics: study.Metrics{"size": 3}}}
	for _, want := range []broker.Imported{{Added: 2, Charged: 1}, {Known: 2}} {
		if done, err := b.Import(t.Context(), results, true); err != nil || done.Added != want.Added || done.Known != want.Known || done.Charged != want.Charged {
			t.Errorf("%+v, %v, want %+v", done, err, want)
		}
	}
	r, err := b.Record(t.Context())
	if err != nil || len(r.Trials) != 2 || r.Ledger.Spent != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	part, whole := r.Trials[0], r.Trials[1]
	if part.State != study.Failed || part.Charged != 0.5 || part.Metrics[s.Objective.Name] != 1 || !strings.Contains(part.Note, "it reported no size; what it reported is kept") || !part.IsImported() {
		t.Errorf("%+v", part)
	}
	if whole.State != study.Done || whole.Value != 2 || whole.Note != "imported" {
		t.Errorf("%+v", whole)
	}
}

// Equal results of one import are repeats. What is known already is counted: a result is known as often as it was there before.
func TestImportCountsRepeats(t *testing.T) {
	row := func(heat, value float64, row string) broker.Result {
		return broker.Result{Setting: space.Setting{"heat": space.Float(heat), "hours": space.Int(3)}, Value: value, Cost: 2, Row: row}
	}
	for _, charge := range []bool{false, true} {
		for name, file := range map[string][]broker.Result{
			"equal rows":  {row(900, 1, "a"), row(900, 1, "a"), row(900, 1, "a"), row(950, 2, "b")},
			"with dates":  {row(900, 1, "a"), row(900, 1, "b"), row(900, 1, "c"), row(950, 2, "d")},
			"told by API": {row(900, 1, ""), row(900, 1, ""), row(900, 1, ""), row(950, 2, "")},
		} {
			b, err := broker.Create(t.Context(), store.Memory(), definition())
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range []struct {
				list         []broker.Result
				added, known int
			}{{file[:2], 2, 0}, {file, 2, 2}, {file, 0, 4}, {file[:1], 0, 1}, {append(slices.Clip(file), row(900, 1, "e")), 1, 4}, {file, 0, 4}} {
				done, err := b.Import(t.Context(), c.list, charge)
				if err != nil || done.Added != c.added || done.Known != c.known || done.Reread != 0 || charge && done.Charged != 2*float64(c.added) {
					t.Errorf("%s, charge %v, import %d: %+v, %v", name, charge, i, done, err)
				}
			}
			r, err := b.Record(t.Context())
			if err != nil || len(r.Known)+len(r.Trials) != 5 || charge && r.Ledger.Spent != 10 {
				t.Errorf("%s, charge %v: %+v, %v", name, charge, r.Ledger, err)
			}
		}
	}
}

// A forgotten result frees its row for another reading of it. The same reading stays forgotten, and what was charged is not charged again.
func TestForgottenRowIsReadAnew(t *testing.T) {
	ctx := t.Context()
	read := func(plus float64, m study.Metrics) (list []broker.Result) {
		for i, row := range []string{"a", "b", "c"} {
			list = append(list, broker.Result{Setting: space.Setting{"heat": space.Float(900 + float64(i)), "hours": space.Int(3)}, Value: plus + float64(i), Cost: []float64{2, 2, 0}[i], Row: row, Metrics: m})
		}
		return list
	}
	b, err := broker.Create(ctx, store.Memory(), definition())
	if err != nil {
		t.Fatal(err)
	}
	want := func(what string, list []broker.Result, want broker.Imported) {
		t.Helper()
		if done, err := b.Import(ctx, list, true); err != nil || !reflect.DeepEqual(done, want) {
			t.Errorf("%s: %+v, %v, want %+v", what, done, err, want)
		}
		if r, err := b.Record(ctx); err != nil || r.Ledger.Spent != 4 {
			t.Errorf("%s: %+v, %v", what, r.Ledger, err)
		}
	}
	forget := func(trials, results []int) {
		t.Helper()
		if err := errors.Join(b.Forget(ctx, true, "", trials...), b.ForgetKnown(ctx, true, "", results...)); err != nil {
			t.Fatal(err)
		}
	}
	want("new", read(0, nil), broker.Imported{Added: 3, Charged: 4})
	want("another value", read(5, nil), broker.Imported{Known: 3, Reread: 3, RereadTrials: []int{1, 2}, RereadResults: []int{1}})
	forget([]int{1}, []int{1})
	want("the forgotten reading", read(0, nil), broker.Imported{Known: 3, Forgotten: 2})
	want("another value, after one trial was forgotten", read(5, nil), broker.Imported{Added: 2, Known: 1, Reread: 1, Paid: 1, RereadTrials: []int{2}})
	want("again", read(5, nil), broker.Imported{Known: 3, Reread: 1, RereadTrials: []int{2}})
	forget([]int{2}, []int{2, 3})
	want("either forgotten reading", read(5, nil)[:1], broker.Imported{Known: 1, Forgotten: 1})
	want("a third value", read(7, nil), broker.Imported{Added: 3, Paid: 2})
	want("another number", read(7, study.Metrics{"memory": 8}), broker.Imported{Known: 3, Reread: 3, RereadResults: []int{4, 5, 6}})
	forget(nil, []int{4, 5, 6})
	want("another number, of forgotten results", read(7, study.Metrics{"memory": 8}), broker.Imported{Added: 3, Paid: 2})
	want("one number less", read(7, nil), broker.Imported{Known: 3})
}

// What a new study file changes is counted in the record as it is after all of the changes.
func TestChangesAreCountedTogether(t *testing.T) {
	ctx, at := t.Context(), func(x float64) *float64 { return &x }
	several := func(worst float64, heat float64, memory study.Bound) *study.Study {
		s := definition()
		s.Parameters[0].Max = heat
		s.Objective = study.Objective{Name: "acc", Goal: study.Maximize}
		s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "lat", Goal: study.Minimize}, Worst: at(worst)}}
		s.Limits = study.Limits{"memory": memory}
		return s
	}
	top := definition().Parameters[0].Max
	for _, c := range []struct {
		name string
		file *study.Study
		want []string
	}{
		{"limits and worst", several(9, top, study.Max(4)), []string{"the limits have changed; 0 of 2 results meet them", "the worst that counts has changed; the front has 0 results now"}},
		{"parameters and limits", several(10, 1000, study.Max(6)), []string{"the parameters have changed; 1 of 2 known results are outside of them, and do not count any more", "the limits have changed; 1 of 1 result meet them"}},
	} {
		st := store.Memory()
		b, err := broker.Create(ctx, st, several(10, top, study.Max(8)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Import(ctx, []broker.Result{
			{Setting: space.Setting{"heat": space.Float(900), "hours": space.Int(2)}, Value: 1, Cost: 1, Metrics: study.Metrics{"memory": 5, "lat": 1}},
			{Setting: space.Setting{"heat": space.Float(1200), "hours": space.Int(2)}, Value: 2, Cost: 1, Metrics: study.Metrics{"memory": 5, "lat": 2}},
		}, false); err != nil {
			t.Fatal(err)
		}
		if b, err = broker.Redefine(ctx, st, c.file); err != nil || !slices.Equal(b.Changes(), c.want) {
			t.Errorf("%s: %q, %v; want %q", c.name, b.Changes(), err, c.want)
		}
	}
}

// A trial that failed for want of an objective kept the first among its metrics. Once it has a value, it has neither that nor the note, which are on record as what was.
func TestAValueTakesThePlaceOfTheFirstObjective(t *testing.T) {
	ctx, s := t.Context(), definition()
	s.Objective = study.Objective{Name: "acc", Goal: study.Maximize}
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "lat", Goal: study.Minimize}}}
	b, err := broker.Create(ctx, store.Memory(), s)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range []study.Finished{
		{State: study.Done, Charged: 0.1, Metrics: study.Metrics{"memory": 7}, Note: "slow"}, // no lat
		{State: study.Failed, Charged: 0.1, Metrics: study.Metrics{"lat": 1, "memory": 7}},   // no acc
	} {
		trial, err := b.Ask(ctx, "a")
		if err != nil || b.Finish(ctx, trial.Number, s.Kept(f)) != nil {
			t.Fatal(err)
		}
		for _, c := range []broker.Correction{{Metrics: study.Metrics{"lat": 1}}, {Value: new(0.99)}} {
			if err := b.Correct(ctx, trial.Number, c); err != nil {
				t.Fatal(err)
			}
		}
		r, err := b.Record(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got := r.Trials[i]
		if got.Value != 0.99 || len(got.Metrics) != 2 || got.Metrics["lat"] != 1 || got.Metrics["memory"] != 7 || got.Note != f.Note {
			t.Errorf("trial %d: %v, %v, %q", trial.Number, got.Value, got.Metrics, got.Note)
		}
		if _, was := got.Was[len(got.Was)-1].Metrics["acc"]; was != (i == 0) {
			t.Errorf("trial %d was %+v", trial.Number, got.Was)
		}
	}
}
