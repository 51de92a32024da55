package advisor

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

func own(t *testing.T, total float64) (*study.Study, *Advisor, *study.Record) {
	t.Helper()
	s := &study.Study{
		Name: "kiln", Objective: study.Objective{Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported},
		Budget: study.Budget{Total: total}, Seed: 5, Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}},
	}
	a, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return s, a, study.NewRecord(total, false)
}

func apply(t *testing.T, r *study.Record, e study.Event) {
	t.Helper()
	e.Seq = r.Version + 1
	if err := r.Apply(e); err != nil {
		t.Fatal(err)
	}
}

func at(x float64) space.Setting { return space.Setting{"x": space.Float(x)} }

func (a *Advisor) mustNext(t *testing.T, r *study.Record) study.Asked {
	t.Helper()
	asked, err := a.Next(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return asked
}

// What somebody wants comes first, the queue before the study file, each once, and each under the ledger.
func TestOwnSettingsComeFirst(t *testing.T) {
	s, a, r := own(t, 100)
	s.Trials = []space.Setting{at(0.25), at(0.5), at(0.25)}
	apply(t, r, study.Event{Kind: study.EventEnqueued, Enqueued: &study.Enqueued{Setting: at(0.75), Point: []float64{0.75}}})
	for i, want := range []float64{0.75, 0.25, 0.5} {
		asked := a.mustNext(t, r)
		if asked.Point[0] != want || (i == 0) != (asked.Reserved == 25) || (i == 0) != (asked.Item == 1) {
			t.Fatalf("%+v, want %v", asked, want)
		}
		apply(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &asked})
		apply(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: want, Charged: 1}})
	}
	s.Noisy = true // then the file has 0.25 twice; a try that is lost is made up for
	for _, state := range []study.State{study.Abandoned, study.Done} {
		asked := a.mustNext(t, r)
		if asked.Point[0] != 0.25 {
			t.Errorf("%+v", asked)
		}
		number := len(r.Trials) + 1
		apply(t, r, study.Event{Kind: study.EventAsked, Trial: number, Asked: &asked})
		apply(t, r, study.Event{Kind: study.EventFinished, Trial: number, Finished: &study.Finished{State: state, Charged: 1}})
	}
	next := a.mustNext(t, r)
	if why, ok := WhyOf(next.Why); !ok || why.Policy == "queue" {
		t.Errorf("%+v", why)
	}
}

// A setting that the budget does not cover waits, and keeps nobody waiting.
func TestWhatIsWantedButTooExpensiveWaits(t *testing.T) {
	_, a, r := own(t, 100)
	for i, x := range []float64{0, 0.3, 0.6, 1} {
		asked := study.Asked{Setting: at(x), Point: []float64{x}, Reserved: 1}
		apply(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &asked})
		apply(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: x, Charged: math.Exp(4 * x)}})
	}
	apply(t, r, study.Event{Kind: study.EventEnqueued, Enqueued: &study.Enqueued{Setting: at(0.98), Point: []float64{0.98}}})
	if next := a.mustNext(t, r); next.Item != 0 {
		t.Errorf("%v is left, and %+v was handed out", r.Ledger.Left(), next)
	}
	apply(t, r, study.Event{Kind: study.EventBudget, Added: 200})
	if next := a.mustNext(t, r); next.Item != 1 || next.Reserved < 30 {
		t.Errorf("%+v", next)
	}
}

// Models ignore what was forgotten; they take what is tried again for not having been tried; and nothing else changes.
func TestWhatModelsIgnore(t *testing.T) {
	_, a, r := own(t, 100)
	for i, state := range []study.State{study.Done, study.Done, study.Failed} {
		x := float64(i+1) / 10
		asked := study.Asked{Setting: at(x), Point: []float64{x}, Reserved: 2}
		apply(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &asked})
		apply(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: state, Value: x, Charged: 2}})
	}
	state := func() (points []float64, trial int) {
		s, err := a.State(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range s.X {
			points = append(points, x[0])
		}
		for _, f := range s.Failed {
			points = append(points, f.X[0])
		}
		return points, s.Trial
	}
	apply(t, r, study.Event{Kind: study.EventForgotten, Trial: 1})
	if points, trial := state(); len(points) != 2 || points[0] != 0.2 || trial != 3 {
		t.Errorf("forgotten: %v, %d", points, trial)
	}
	apply(t, r, study.Event{Kind: study.EventEnqueued, Enqueued: &study.Enqueued{Setting: at(0.3), Point: []float64{0.3}, Retries: 3}})
	if points, trial := state(); len(points) != 1 || trial != 2 {
		t.Errorf("tried again: %v, %d", points, trial)
	}
}

// A setting whose trial was lost is tried again if nothing was learnt since. If something was, it competes with all others: its forecast is old. What somebody
// wants to be tried again is tried again all the same.
func TestLostSettingsCompeteAnew(t *testing.T) {
	_, a, r := own(t, 100)
	ask := func() study.Asked {
		asked := a.mustNext(t, r)
		apply(t, r, study.Event{Kind: study.EventAsked, Trial: len(r.Trials) + 1, Asked: &asked})
		return asked
	}
	end := func(trial int, state study.State) {
		x := r.Trials[trial-1].Point[0]
		apply(t, r, study.Event{Kind: study.EventFinished, Trial: trial, Finished: &study.Finished{State: state, Value: (x - 0.3) * (x - 0.3), Charged: 1 + x}})
	}
	picked := func() string {
		why, _ := WhyOf(a.mustNext(t, r).Why)
		return why.Picked
	}
	for i := range 4 {
		ask()
		end(i+1, study.Done)
	}
	first := ask()
	end(5, study.Abandoned)
	if next := a.mustNext(t, r); next.Point[0] != first.Point[0] || !strings.HasPrefix(picked(), "trial 5") {
		t.Errorf("nothing was learnt since trial 5 was lost, and %v comes after %v: %s", next.Point, first.Point, picked())
	}
	ask() // again
	ask()
	end(7, study.Done)
	end(6, study.Abandoned)
	if says := picked(); strings.HasPrefix(says, "trial ") {
		t.Errorf("trial 6 was chosen before the result of trial 7, and is handed out again: %s", says)
	}
	apply(t, r, study.Event{Kind: study.EventEnqueued, Enqueued: &study.Enqueued{Setting: r.Trials[5].Setting, Point: r.Trials[5].Point, Retries: 6}})
	if next := a.mustNext(t, r); next.Item == 0 || next.Point[0] != r.Trials[5].Point[0] {
		t.Errorf("trial 6 is to be tried again, and %+v was handed out", next)
	}
}

// Another try of a setting is planned by what the one before has cost and taken, whoever wants it: the forecast was wrong.
func TestAnotherTryKnowsOfTheFirst(t *testing.T) {
	for _, state := range []study.State{study.Cut, study.Abandoned} {
		_, a, r := own(t, 200)
		for i := range 5 {
			asked := a.mustNext(t, r)
			apply(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &asked})
			end := &study.Finished{State: study.Done, Value: (asked.Point[0] - 0.3) * (asked.Point[0] - 0.3), Charged: 1 + asked.Point[0], Wall: 2}
			if i == 4 {
				end = &study.Finished{State: state, Charged: 30, Wall: 300, Stopped: state == study.Abandoned}
			}
			apply(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: end})
		}
		last := r.Trials[4]
		if state == study.Cut {
			apply(t, r, study.Event{Kind: study.EventEnqueued, Enqueued: &study.Enqueued{Setting: last.Setting, Point: last.Point, Retries: 5}})
		}
		next := a.mustNext(t, r)
		why, _ := WhyOf(next.Why)
		if e := why.Expected; next.Point[0] != last.Point[0] || next.Reserved < 30 || next.Credible < 600 || e == nil || e.CostMedian < 30*(1-1e-9) || e.CostHigh < e.CostMedian {
			t.Errorf("%s after 30 in 300 s, expected %+v; the next try: %+v, %+v", state, last.Forecast(), next, e)
		}
	}
}

// What was planned while a figure was wrong is forgotten once it is corrected, and so is the reason to try a lost setting again.
func TestPlansOfWrongFiguresAreForgotten(t *testing.T) {
	_, a, r := own(t, 100)
	second := 0
	note := func(e study.Event) {
		second++
		e.At = time.Unix(int64(second), 0)
		apply(t, r, e)
	}
	ask := func() {
		asked := a.mustNext(t, r)
		note(study.Event{Kind: study.EventAsked, Trial: len(r.Trials) + 1, Asked: &asked})
	}
	planned := func() bool {
		s, err := a.State(r)
		if err != nil {
			t.Fatal(err)
		}
		return s.Previous != nil
	}
	for i := range 6 {
		ask()
		x := r.Trials[i].Point[0]
		value := (x - 0.3) * (x - 0.3)
		if i == 5 {
			value += 1000 // a typing error
		}
		note(study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: value, Charged: 1 + x}})
	}
	ask()
	if !planned() {
		t.Fatal("trial 7 has no plan")
	}
	last := r.Trials[5]
	note(study.Event{Kind: study.EventCorrected, Trial: 6, Corrected: &study.Corrected{State: study.Done, Value: last.Value - 1000, Charged: last.Charged}})
	if planned() {
		t.Error("the plan of trial 7 goes by the wrong figure of trial 6")
	}
	note(study.Event{Kind: study.EventFinished, Trial: 7, Finished: &study.Finished{State: study.Abandoned}})
	if why, _ := WhyOf(a.mustNext(t, r).Why); strings.HasPrefix(why.Picked, "trial 7") {
		t.Errorf("trial 7 was chosen by the wrong figure, and is handed out again: %s", why.Picked)
	}
	ask()
	if !planned() {
		t.Error("trial 8 goes by the right figures, and its plan is not used")
	}
}
