package study

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// log numbers events as it makes them.
type log struct {
	t *testing.T
	r *Record
}

func newLog(t *testing.T, total float64, measured bool) *log {
	return &log{t, NewRecord(total, measured)}
}

func (l *log) try(e Event) error {
	e.Seq, e.At = l.r.Version+1, time.Unix(l.r.Version, 0)
	return l.r.Apply(e)
}

func (l *log) must(e Event) {
	l.t.Helper()
	if err := l.try(e); err != nil {
		l.t.Fatal(err)
	}
}

func ask(trial int, reserved float64) Event {
	return Event{Kind: EventAsked, Trial: trial, Asked: &Asked{Point: []float64{0.5}, Reserved: reserved}}
}

func finish(trial int, state State, charged float64) Event {
	return Event{Kind: EventFinished, Trial: trial, Finished: &Finished{State: state, Charged: charged, Value: 1}}
}

func start(trial int) Event { return Event{Kind: EventStarted, Trial: trial, Runner: "me"} }

func TestATrialsLife(t *testing.T) {
	l := newLog(t, 10, false)
	l.must(ask(1, 4))
	l.must(ask(2, 6))
	if err := l.try(ask(3, 0.001)); !errors.Is(err, ErrUnaffordable) {
		t.Errorf("over-reserved: %v", err)
	}
	l.must(start(1))
	l.must(finish(1, Done, 3))
	if got, want := l.r.Ledger, (Ledger{Total: 10, Spent: 3, Reserved: 6}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	l.must(Event{Kind: EventExtended, Trial: 2, Reserved: 7})
	if err := l.try(Event{Kind: EventExtended, Trial: 2, Reserved: 7.1}); !errors.Is(err, ErrUnaffordable) {
		t.Errorf("over-extended: %v", err)
	}
	l.must(finish(2, Abandoned, 7))
	l.must(finish(2, Done, 5)) // the late result: charged once, at what it really cost
	if got, want := l.r.Ledger, (Ledger{Total: 10, Spent: 8}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if err := l.try(finish(2, Done, 5)); err == nil || !strings.Contains(err.Error(), "done already") {
		t.Errorf("charged twice: %v", err)
	}
	l.must(Event{Kind: EventBudget, Added: 2.5})
	if l.r.Ledger.Left() != 4.5 {
		t.Errorf("left %v", l.r.Ledger.Left())
	}
}

// A reported cost may be more than was left; that is on record, and nothing more starts.
func TestOverrun(t *testing.T) {
	l := newLog(t, 10, false)
	l.must(ask(1, 6))
	l.must(finish(1, Done, 6))
	l.must(ask(2, 4))
	l.must(finish(2, Done, 9))
	if !l.r.Trials[1].Beyond || l.r.Trials[0].Beyond || l.r.Ledger.Overrun() != 5 || l.r.Ledger.Left() != 0 {
		t.Errorf("%+v %+v", l.r.Ledger, l.r.Trials)
	}
	if err := l.try(ask(3, 1e-6)); !errors.Is(err, ErrUnaffordable) {
		t.Errorf("%v", err)
	}
}

// A trial that stayed within its reservation counts, although another took what was left, and it went over the total.
func TestOverrunWithinTheReservation(t *testing.T) {
	l := newLog(t, 10, false)
	l.must(ask(1, 4))
	l.must(ask(2, 5))
	l.must(finish(1, Done, 6))
	l.must(finish(2, Done, 5))
	if l.r.Trials[0].Beyond || l.r.Trials[1].Beyond || l.r.Ledger.Overrun() != 1 {
		t.Errorf("%+v %+v", l.r.Ledger, l.r.Trials)
	}
	if err := l.try(ask(3, 1e-6)); !errors.Is(err, ErrUnaffordable) {
		t.Errorf("%v", err)
	}
}

// Where the cost is measured a trial is never charged more than was reserved for it.
func TestMeasuredCostStaysWithinTheReservation(t *testing.T) {
	l := newLog(t, 10, true)
	l.must(ask(1, 4))
	if err := l.try(finish(1, Cut, 4.1)); err == nil || !strings.Contains(err.Error(), "more than the 4 it may be") {
		t.Errorf("%v", err)
	}
	l.must(finish(1, Cut, 4))

	// nor does the late result of an abandoned one carry spent past the total
	l.must(ask(2, 5))
	l.must(finish(2, Abandoned, 1))
	l.must(ask(3, 3))
	if err := l.try(finish(2, Done, 3.5)); err == nil || !strings.Contains(err.Error(), "more than the 3 it may be") {
		t.Errorf("%v", err)
	}
	l.must(finish(2, Done, 3))
}

func TestWhatIsRefused(t *testing.T) {
	for want, e := range map[string]Event{
		"does not follow trial 1":           ask(3, 1),
		"must be above zero":                ask(2, 0),
		"reservation is NaN":                ask(2, math.NaN()),
		"reservation is -1":                 ask(2, -1),
		"no trial 7":                        start(7),
		"cannot end without a state":        {Kind: EventFinished, Trial: 1},
		"cannot end without a state ":       {Kind: EventFinished, Trial: 1, Finished: &Finished{State: Running}},
		"the value is 1 and the cost +Inf":  finish(1, Done, math.Inf(1)),
		"the value is 1 and the cost -1":    finish(1, Done, -1),
		"cannot become 0.5":                 {Kind: EventExtended, Trial: 1, Reserved: 0.5},
		"cannot be added":                   {Kind: EventBudget, Added: -3},
		"event 2 (misplaced): unknown kind": {Kind: "misplaced"},
		"does not follow trial 1 ...":       {Kind: EventAsked, Trial: 2},
	} {
		l := newLog(t, 10, false)
		l.must(ask(1, 1))
		before := fmt.Sprintf("%+v", *l.r)
		if err := l.try(e); err == nil || !strings.Contains(err.Error(), strings.TrimRight(want, " .")) {
			t.Errorf("wanted %q, got %v", want, err)
		}
		if after := fmt.Sprintf("%+v", *l.r); after != before {
			t.Errorf("%s: changed the record\n%s\n%s", want, before, after)
		}
	}
	l := newLog(t, 10, false)
	if err := l.r.Apply(Event{Seq: 2, Kind: EventBudget, Added: 1}); err == nil {
		t.Error("a gap in the log went unnoticed")
	}
}

// Whatever comes, in whatever order, the ledger is the sum of the trials, and no reservation carried
// spent + reserved past the total.
func TestTheLawHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		measured := rapid.Bool().Draw(rt, "measured")
		r := NewRecord(10, measured)
		for range rapid.IntRange(1, 60).Draw(rt, "events") {
			trial := rapid.IntRange(0, len(r.Trials)+1).Draw(rt, "trial")
			amount := rapid.Float64Range(-1, 6).Draw(rt, "amount")
			e := rapid.SampledFrom([]Event{
				ask(trial, amount), start(trial), finish(trial, Done, amount), finish(trial, Failed, amount), finish(trial, Cut, amount),
				finish(trial, Abandoned, amount), {Kind: EventExtended, Trial: trial, Reserved: amount}, {Kind: EventBudget, Added: amount / 4},
			}).Draw(rt, "event")
			e.Seq = r.Version + 1
			err := r.Apply(e)
			spent, reserved := 0.0, 0.0
			for _, trial := range r.Trials {
				spent += trial.Charged
				reserved += trial.Reserved
				if trial.State.Open() == (trial.Reserved == 0) || trial.State.Open() == trial.State.Ended() {
					rt.Fatalf("trial %+v holds a reservation it should not, or none", trial)
				}
			}
			l := r.Ledger
			if math.Abs(spent-l.Spent) > 1e-9 || math.Abs(reserved-l.Reserved) > 1e-9 {
				rt.Fatalf("ledger %+v, trials add up to %v spent, %v reserved", l, spent, reserved)
			}
			if grants := e.Kind == EventAsked || e.Kind == EventExtended; err == nil && grants && l.Spent+l.Reserved > l.Total+1e-6 {
				rt.Fatalf("reserved past the total: %+v", l)
			}
			if measured && l.Spent > l.Total+1e-6 && err == nil && e.Kind != EventFinished {
				rt.Fatalf("measured costs passed the total: %+v", l)
			}
		}
	})
}

// A trial that went past the budget counts again once the budget covers it; one that stayed within its reservation
// counts whoever overran before it.
func TestBeyondIsNotForEver(t *testing.T) {
	l := newLog(t, 10, false)
	l.must(ask(1, 4))
	l.must(ask(2, 4))
	l.must(finish(1, Done, 12))
	l.must(finish(2, Done, 3))
	if !l.r.Trials[0].Beyond || l.r.Trials[1].Beyond {
		t.Errorf("%+v", l.r.Trials)
	}
	l.must(Event{Kind: EventBudget, Added: 2})
	if !l.r.Trials[0].Beyond {
		t.Error("15 are spent of 12, and it counts")
	}
	l.must(Event{Kind: EventBudget, Added: 10})
	if best, ok := l.r.Best(Maximize); !ok || l.r.Trials[0].Beyond {
		t.Errorf("%+v %v", best, ok)
	}
}

// No amount, and no sum of amounts, is too large to be written down.
func TestAmountsAreBounded(t *testing.T) {
	l := newLog(t, 10, false)
	l.must(ask(1, 4))
	for _, e := range []Event{finish(1, Done, 1e16), finish(1, Done, 1e308), {Kind: EventBudget, Added: 1e308}, {Kind: EventBudget, Added: 1e15}} {
		if err := l.try(e); err == nil {
			t.Errorf("%+v was taken", e)
		}
	}
}

// A result from elsewhere is never charged, may be the best, and says so.
func TestKnownResults(t *testing.T) {
	l := newLog(t, 10, false)
	known := func(value, cost float64) Event {
		return Event{Kind: EventKnown, Known: &Known{Point: []float64{0.25}, Value: value, Cost: cost}}
	}
	l.must(known(5, 100))
	l.must(known(3, 0)) // nobody knows what it cost
	l.must(ask(1, 4))
	l.must(finish(1, Done, 3)) // with the value 1
	if want := (Ledger{Total: 10, Spent: 3}); l.r.Ledger != want || len(l.r.Known) != 2 || len(l.r.Trials) != 1 {
		t.Errorf("%+v, want the ledger %+v", l.r, want)
	}
	if best, ok := l.r.Best(Maximize); !ok || !best.Known || best.Number != 0 || best.Value != 5 || best.Charged != 100 || best.Title() != "a known result" {
		t.Errorf("%+v", best)
	}
	if best, ok := l.r.Best(Minimize); !ok || best.Known || best.Number != 1 || best.Title() != "trial 1" {
		t.Errorf("%+v", best)
	}
	before := *l.r
	for _, e := range []Event{{Kind: EventKnown}, known(math.NaN(), 1), known(math.Inf(1), 1), known(1, -1), known(1, math.NaN()), known(1, 1e16)} {
		if err := l.try(e); err == nil {
			t.Errorf("%+v was taken", e.Known)
		}
	}
	if l.r.Version != before.Version || len(l.r.Known) != 2 {
		t.Errorf("refused events changed the record: %+v", l.r)
	}
	l.must(Event{Kind: EventClosed})
	l.must(known(9, 1)) // it asks for no money, so it may come after the end
}

// Only events that change what the results teach raise Learnt.
func TestLearnt(t *testing.T) {
	r := NewRecord(10, false)
	for i, step := range []struct {
		e      Event
		learnt int64
	}{
		{Event{Kind: EventAsked, Trial: 1, Asked: &Asked{Reserved: 1}}, 0},
		{Event{Kind: EventStarted, Trial: 1}, 0},
		{Event{Kind: EventExtended, Trial: 1, Reserved: 2}, 0},
		{Event{Kind: EventFinished, Trial: 1, Finished: &Finished{State: Done, Value: 1, Charged: 1}}, 4},
		{Event{Kind: EventPaused}, 4},
		{Event{Kind: EventResumed}, 4},
		{Event{Kind: EventKnown, Known: &Known{Value: 1, Cost: 1}}, 7},
		{Event{Kind: EventForgotten, Trial: 1}, 8},
		{Event{Kind: EventRemembered, Trial: 1}, 9},
		{Event{Kind: EventCorrected, Trial: 1, Corrected: &Corrected{State: Done, Value: 2, Charged: 1}}, 10},
		{Event{Kind: EventBudget, Added: 1}, 11},
		{Event{Kind: EventClosed}, 11},
	} {
		step.e.Seq = int64(i + 1)
		if err := r.Apply(step.e); err != nil {
			t.Fatal(err)
		}
		if r.Learnt != step.learnt {
			t.Errorf("after %s: %d, want %d", step.e.Kind, r.Learnt, step.learnt)
		}
	}
}
