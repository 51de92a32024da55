package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

func correct(trial int, state State, value, charged float64) Event {
	return Event{Kind: EventCorrected, Trial: trial, Corrected: &Corrected{State: state, Value: value, Charged: charged, Note: "misread"}}
}

func enqueue(retries int) Event {
	return Event{Kind: EventEnqueued, Enqueued: &Enqueued{Setting: space.Setting{"x": space.Float(0.5)}, Point: []float64{0.5}, Retries: retries}}
}

func taking(trial, item int, reserved float64) Event {
	e := ask(trial, reserved)
	e.Asked.Item = item
	return e
}

// reshape is a definition whose only parameter goes up to most.
func reshape(most float64) Event {
	raw := fmt.Sprintf(`{"parameters": [{"name": "x", "type": "float", "min": 0, "max": %v}]}`, most)
	return Event{Kind: EventReshaped, Definition: json.RawMessage(raw)}
}

func TestForgetting(t *testing.T) {
	l := newLog(t, 10, false)
	l.must(ask(1, 4))
	if err := l.try(Event{Kind: EventForgotten, Trial: 1}); err == nil {
		t.Error("a trial without a result was forgotten")
	}
	l.must(finish(1, Done, 3))
	l.must(Event{Kind: EventKnown, Known: &Known{Point: []float64{0.1}, Value: 9}})
	l.must(Event{Kind: EventForgotten, Trial: 1})
	l.must(Event{Kind: EventForgotten, Result: 1})
	if _, ok := l.r.Best(Maximize); ok || l.r.Ledger.Spent != 3 || l.r.Trials[0].Counts() {
		t.Errorf("%+v", l.r)
	}
	if err := l.try(Event{Kind: EventForgotten, Trial: 1}); err == nil {
		t.Error("forgotten twice")
	}
	l.must(Event{Kind: EventRemembered, Trial: 1})
	if best, ok := l.r.Best(Maximize); !ok || best.Number != 1 {
		t.Errorf("%+v %v", best, ok)
	}
}

func TestCorrecting(t *testing.T) {
	l := newLog(t, 10, false)
	l.must(ask(1, 4))
	if err := l.try(correct(1, Done, 1, 1)); err == nil {
		t.Error("an open trial was corrected")
	}
	l.must(finish(1, Failed, 3))
	l.must(correct(1, Done, 7, 5))
	got := l.r.Trials[0]
	if got.State != Done || got.Value != 7 || got.Charged != 5 || l.r.Ledger.Spent != 5 {
		t.Errorf("%+v %+v", got, l.r.Ledger)
	}
	if want := []Was{{State: Failed, Value: 1, Charged: 3, Until: got.Was[0].Until, Why: "misread"}}; !reflect.DeepEqual(got.Was, want) {
		t.Errorf("%+v, want %+v", got.Was, want)
	}
	l.must(correct(1, Done, 7, 12)) // a reported cost may be more than there is
	if !l.r.Trials[0].Beyond || l.r.Ledger.Overrun() != 2 {
		t.Errorf("%+v", l.r)
	}
	l.must(correct(1, Done, 7, 2))
	if l.r.Trials[0].Beyond || l.r.Ledger.Left() != 8 || len(l.r.Trials[0].Was) != 3 {
		t.Errorf("%+v", l.r)
	}
	measured := newLog(t, 10, true)
	measured.must(ask(1, 4))
	measured.must(finish(1, Done, 3))
	measured.must(ask(2, 6))
	if err := measured.try(correct(1, Done, 1, 5)); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "trial 1: a cost that is measured cannot exceed the budget; it can be at most 4s, and is given as 5s") {
		t.Errorf("%v", err)
	}
	measured.must(correct(1, Done, 1, 4))
}

func TestQueue(t *testing.T) {
	l := newLog(t, 10, false)
	l.must(enqueue(0))
	l.must(enqueue(0))
	if err := l.try(enqueue(1)); err == nil {
		t.Error("a trial that is not there is tried again")
	}
	l.must(taking(1, 1, 3))
	if err := l.try(taking(2, 1, 3)); err == nil {
		t.Error("an item was taken twice")
	}
	l.must(Event{Kind: EventDequeued, Item: 2})
	if err := l.try(taking(2, 2, 3)); err == nil {
		t.Error("an item was taken that nobody wants any more")
	}
	if err := l.try(enqueue(1)); err == nil {
		t.Error("a running trial is tried again")
	}
	l.must(finish(1, Failed, 1))
	l.must(enqueue(1))
	if waiting := l.r.Waiting(); len(waiting) != 1 || waiting[0].Number != 3 || waiting[0].Retries != 1 {
		t.Errorf("%+v", waiting)
	}
	l.must(taking(2, 3, 3))
	if got := l.r.Trials[1]; got.Item != 3 || got.Retries != 1 || len(l.r.Waiting()) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestPauseStopArchive(t *testing.T) {
	l := newLog(t, 10, false)
	l.must(ask(1, 1))
	if err := l.try(Event{Kind: EventStop, Trial: 1}); err == nil {
		t.Error("a pending trial cannot be told to stop")
	}
	l.must(start(1))
	l.must(Event{Kind: EventStop, Trial: 1})
	l.must(Event{Kind: EventPaused})
	if err := l.try(ask(2, 1)); !errors.Is(err, ErrPaused) {
		t.Errorf("%v", err)
	}
	if err := l.try(Event{Kind: EventArchived}); err == nil {
		t.Error("archived with a trial under way")
	}
	l.must(finish(1, Cut, 1))
	if l.r.Trials[0].Stopping {
		t.Error("it has stopped")
	}
	l.must(Event{Kind: EventResumed})
	l.must(Event{Kind: EventArchived})
	if err := l.try(ask(2, 1)); !errors.Is(err, ErrArchived) {
		t.Errorf("%v", err)
	}
	l.must(Event{Kind: EventRestored})
	l.must(ask(2, 1))
}

func TestLowering(t *testing.T) {
	l := newLog(t, 10, false)
	l.must(ask(1, 4))
	l.must(finish(1, Done, 3))
	l.must(ask(2, 4))
	for _, by := range []float64{0, -1, 3.1, 1e300, math.NaN()} {
		if err := l.try(Event{Kind: EventLowered, Lowered: by}); err == nil {
			t.Errorf("lowered by %v: %+v", by, l.r.Ledger)
		}
	}
	l.must(Event{Kind: EventLowered, Lowered: 3})
	if l.r.Ledger.Total != 7 || l.r.Ledger.Left() != 0 {
		t.Errorf("%+v", l.r.Ledger)
	}
}

// Trials whose settings the new parameters allow have points in the new space; the others stay on record, and count no more.
func TestReshaping(t *testing.T) {
	l := newLog(t, 10, false)
	for i, x := range []float64{0.5, 2} {
		e := ask(i+1, 1)
		e.Asked.Setting, e.Asked.Plan = space.Setting{"x": space.Float(x)}, json.RawMessage(`{}`)
		l.must(e)
		l.must(finish(i+1, Done, 1))
	}
	l.must(reshape(1))
	if a, b := l.r.Trials[0], l.r.Trials[1]; a.Outside || a.Point[0] != 0.5 || a.Plan != nil || !b.Outside || b.Counts() {
		t.Errorf("%+v", l.r.Trials)
	}
	l.must(reshape(4))
	if a, b := l.r.Trials[0], l.r.Trials[1]; a.Point[0] != 0.125 || b.Outside || b.Point[0] != 0.5 {
		t.Errorf("%+v", l.r.Trials)
	}
	l.must(Event{Kind: EventReshaped, Definition: json.RawMessage(`{"parameters": [
		{"name": "n", "type": "int", "min": 1, "max": 3, "default": 2}, {"name": "x", "type": "float", "min": 0, "max": 4}]}`)})
	if a := l.r.Trials[0]; !slices.Equal(a.Point, []float64{0.5, 0.125}) || a.Setting["n"] != space.Int(2) {
		t.Errorf("%+v", a)
	}
	for _, raw := range []string{`{"parameters": []`, `{"parameters": [{"name": "x"}]}`} {
		if err := l.try(Event{Kind: EventReshaped, Definition: json.RawMessage(raw)}); err == nil {
			t.Errorf("%s was taken", raw)
		}
	}
}

// anEvent draws an event that may or may not be allowed.
func anEvent(rt *rapid.T, r *Record) Event {
	trial := rapid.IntRange(0, len(r.Trials)+1).Draw(rt, "trial")
	item := rapid.IntRange(0, len(r.Queue)+1).Draw(rt, "item")
	amount := rapid.Float64Range(-1, 6).Draw(rt, "amount")
	withSetting := ask(trial, amount)
	withSetting.Asked.Setting = space.Setting{"x": space.Float(math.Abs(amount))}
	return rapid.SampledFrom([]Event{
		withSetting, withSetting, withSetting, taking(trial, item, amount), start(trial), start(trial),
		finish(trial, Done, amount), finish(trial, Done, amount), finish(trial, Failed, amount), finish(trial, Cut, amount), finish(trial, Abandoned, amount),
		{Kind: EventExtended, Trial: trial, Reserved: amount}, {Kind: EventBudget, Added: amount / 4},
		{Kind: EventKnown, Known: &Known{Setting: space.Setting{"x": space.Float(1)}, Point: []float64{1}, Value: amount}},
		{Kind: EventForgotten, Trial: trial}, {Kind: EventRemembered, Trial: trial}, {Kind: EventForgotten, Result: trial},
		correct(trial, Done, amount, amount), correct(trial, Failed, 0, amount/2), enqueue(0), enqueue(trial), {Kind: EventDequeued, Item: item},
		{Kind: EventStop, Trial: trial}, {Kind: EventStop, Trial: trial, Reason: "no chance"}, finish(trial, StoppedEarly, amount), {Kind: EventStep, Trial: trial, Step: &Step{Step: amount, Value: amount, Cost: math.Abs(amount)}}, {Kind: EventPaused}, {Kind: EventResumed}, {Kind: EventArchived}, {Kind: EventRestored},
		{Kind: EventLowered, Lowered: amount}, reshape(math.Abs(amount)),
	}).Draw(rt, "event")
}

// The log leaves out a value of zero, so a record knows no -0.
func TestValueOfMinusZero(t *testing.T) {
	r := NewRecord(10, false)
	minus := math.Copysign(0, -1)
	done := finish(1, Done, 1)
	done.Finished.Value = minus
	for i, e := range []Event{ask(1, 1), start(1), done, correct(1, Done, minus, 1)} {
		e.Seq = int64(i + 1)
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
		if math.Signbit(r.Trials[0].Value) {
			t.Errorf("after %s the value is %v", e.Kind, r.Trials[0].Value)
		}
	}
}

// Whatever people think better of, in whatever order: the ledger is the sum of the trials, no reservation and no lowering carries spent
// + reserved past the total, a refused event changes nothing, and the log, written down and read again, gives the same record.
func TestSecondThoughtsKeepTheLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		measured := rapid.Bool().Draw(rt, "measured")
		r := NewRecord(10, measured)
		var kept [][]byte
		for range rapid.IntRange(1, 80).Draw(rt, "events") {
			e := anEvent(rt, r)
			e.Seq, e.At = r.Version+1, time.Unix(r.Version, 0).UTC()
			before, _ := json.Marshal(r)
			if err := r.Apply(e); err != nil {
				if after, _ := json.Marshal(r); string(before) != string(after) {
					rt.Fatalf("%s was refused (%v), and changed\n%s to\n%s", e.Kind, err, before, after)
				}
				continue
			}
			raw, err := json.Marshal(e)
			if err != nil {
				rt.Fatal(err)
			}
			kept = append(kept, raw)
			keepsTheLaw(rt, r, e)
		}
		again := NewRecord(10, measured)
		for _, raw := range kept {
			var e Event
			if err := json.Unmarshal(raw, &e); err != nil {
				rt.Fatal(err)
			}
			if err := again.Apply(e); err != nil {
				rt.Fatal(err)
			}
		}
		one, _ := json.Marshal(r)
		other, _ := json.Marshal(again)
		if string(one) != string(other) {
			rt.Fatalf("the log replays to\n%s, not\n%s", other, one)
		}
	})
}

func keepsTheLaw(rt *rapid.T, r *Record, e Event) {
	spent, reserved := 0.0, 0.0
	for _, trial := range r.Trials {
		spent += trial.Charged
		reserved += trial.Reserved
	}
	l := r.Ledger
	if math.Abs(spent-l.Spent) > 1e-9 || math.Abs(reserved-l.Reserved) > 1e-9 || l.Spent < 0 {
		rt.Fatalf("after %s: ledger %+v, trials add up to %v spent, %v reserved", e.Kind, l, spent, reserved)
	}
	grants := e.Kind == EventAsked || e.Kind == EventExtended || e.Kind == EventLowered
	if grants && l.Spent+l.Reserved > l.Total+1e-6 {
		rt.Fatalf("%s carried spent + reserved past the total: %+v", e.Kind, l)
	}
	if r.Measured && l.Spent > l.Total+1e-6 {
		rt.Fatalf("measured costs passed the total: %+v", l)
	}
	if e.Kind == EventAsked && (r.Paused || r.Archived || r.Closed) {
		rt.Fatalf("a trial was handed out: %+v", r)
	}
}

// What came first goes by the log, whatever clocks say: here every event is a minute before the one it follows.
func TestOrderIsThatOfTheLog(t *testing.T) {
	r, begun := NewRecord(10, false), time.Unix(1e9, 0)
	must := func(e Event) {
		t.Helper()
		e.Seq, e.At = r.Version+1, begun.Add(-time.Duration(r.Version)*time.Minute)
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	must(ask(1, 1))
	must(finish(1, Done, 1))
	must(ask(2, 1))
	must(Event{Kind: EventKnown, Known: &Known{Point: []float64{0.1}, Value: 9}})
	must(ask(3, 1))
	must(finish(2, Done, 1))
	must(ask(4, 1))
	known := r.Results()[0]
	first, second, third, fourth := r.Trials[0], r.Trials[1], r.Trials[2], r.Trials[3]
	for i, c := range []struct {
		got, want bool
	}{
		{first.EndedBefore(second), true}, {second.EndedBefore(third), false}, {second.EndedBefore(fourth), true}, {third.EndedBefore(fourth), false},
		{known.EndedBefore(second), false}, {known.EndedBefore(third), true}, {first.CorrectedAfter(fourth), false},
	} {
		if c.got != c.want {
			t.Errorf("%d: %v, want %v", i, c.got, c.want)
		}
	}
	if first.CompareEnds(second) >= 0 || known.CompareEnds(first) <= 0 || known.CompareEnds(second) >= 0 {
		t.Error("trials are not ordered by the events that ended them")
	}
	must(correct(1, Done, 2, 1))
	must(ask(5, 1))
	if !r.Trials[0].CorrectedAfter(fourth) || r.Trials[0].CorrectedAfter(r.Trials[4]) {
		t.Error("a correction came before the trial that was handed out before it, or after one that was handed out after it")
	}
}
