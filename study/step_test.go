package study

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

func epochsStudy() *Study {
	return &Study{Fidelity: &Fidelity{Name: "epochs", Min: 1, Max: 81, Log: true}}
}

// Whatever a trial reports, few of its steps are recorded, and the models learn from one for each level.
func TestThin(t *testing.T) {
	s := epochsStudy()
	trial := Trial{Setting: space.Setting{"epochs": space.Int(27)}}
	var many []Step
	for i := range 10_000 {
		many = append(many, Step{Step: 27 * float64(i+1) / 10_000, Value: 1})
	}
	kept, err := s.Thin(trial, many)
	if err != nil || len(kept) < 100 || len(kept) > 110 {
		t.Fatalf("%d of 10,000 steps are kept: %v", len(kept), err)
	}
	var looks []float64
	for _, k := range kept {
		if k.Look {
			looks = append(looks, math.Round(k.Step))
		}
	}
	if len(looks) != 3 || looks[0] != 1 || looks[1] != 3 || looks[2] != 9 {
		t.Errorf("the models learn from %v", looks)
	}
	if last := kept[len(kept)-1]; last.Step != 27 || last.Look {
		t.Errorf("the last is %+v", last)
	}
	trial.Steps = kept
	if again, err := s.Thin(trial, many); len(again) > 0 || err != nil {
		t.Errorf("repeated, %d are kept: %v", len(again), err)
	}

	trial.Steps = nil
	coarse, _ := s.Thin(trial, []Step{{Step: 10, Value: 1, Cost: 3}, {Step: 5, Value: 2}, {Step: 20, Value: 3, Cost: 2}, {Step: 28, Value: 4}})
	want := []Step{{Step: 10, Value: 1, Cost: 3, Look: true}, {Step: 20, Value: 3, Cost: 3}}
	if len(coarse) != 2 || coarse[0] != want[0] || coarse[1] != want[1] {
		t.Errorf("kept %+v, want %+v", coarse, want)
	}
	for _, bad := range []Step{{Step: 0, Value: 1}, {Step: -1}, {Step: 1, Value: math.NaN()}, {Step: 1, Value: math.Inf(1)}, {Step: 1, Cost: -1}, {Step: math.Inf(1)}} {
		if _, err := s.Thin(trial, []Step{bad}); fault.CodeOf(err) != fault.BadRequest {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := (&Study{}).Thin(trial, many[:1]); fault.CodeOf(err) != fault.BadRequest || fault.HintOf(err) == "" {
		t.Errorf("without a fidelity: %v", err)
	}
}

// A step is on record at once. It costs nothing beyond its trial, and whoever shares the record does not see it.
func TestStepsAreNotCharged(t *testing.T) {
	r := NewRecord(10, true)
	apply := func(e Event) error { e.Seq = r.Version + 1; return r.Apply(e) }
	step := func(trial int, s Step) Event { return Event{Kind: EventStep, Trial: trial, Step: &s} }
	for _, e := range []Event{ask(1, 4), start(1), step(1, Step{Step: 1, Value: 5, Cost: 1})} {
		if err := apply(e); err != nil {
			t.Fatal(err)
		}
	}
	clone := r.Clone()
	for _, s := range []Step{{Step: 2, Value: 4, Cost: 2}, {Step: 3, Value: 3, Cost: 3, Look: true}} {
		if err := apply(step(1, s)); err != nil {
			t.Fatal(err)
		}
	}
	if l := r.Ledger; l.Spent != 0 || l.Reserved != 4 {
		t.Errorf("steps were charged: %+v", l)
	}
	if len(clone.Trials[0].Steps) != 1 || len(r.Trials[0].Steps) != 3 {
		t.Errorf("%d steps in the clone, %d in the record", len(clone.Trials[0].Steps), len(r.Trials[0].Steps))
	}
	if r.Learnt != 5 {
		t.Errorf("learnt at event %d, want 5: only the last step is a look", r.Learnt)
	}
	for _, e := range []Event{step(1, Step{Step: 3, Value: 3}), step(1, Step{Step: 4, Value: math.NaN()}), {Kind: EventStep, Trial: 1}, step(2, Step{Step: 1})} {
		if err := apply(e); err == nil {
			t.Errorf("%+v was taken", e.Step)
		}
	}
	if err := apply(Event{Kind: EventStop, Trial: 1, Reason: "no chance"}); err != nil || r.Trials[0].Early != "no chance" || r.Trials[0].EarlyAt != 3 {
		t.Errorf("%v, early %q at %v", err, r.Trials[0].Early, r.Trials[0].EarlyAt)
	}
	if err := apply(Event{Kind: EventStop, Trial: 1, Reason: "still none"}); err == nil {
		t.Error("it was decided twice")
	}
	if err := apply(step(1, Step{Step: 4, Value: 3})); err != nil || r.Trials[0].EarlyAt != 3 {
		t.Errorf("%v: it went on, and was decided at %v", err, r.Trials[0].EarlyAt)
	}
	stopped := r.Clone()
	if err := stopped.Apply(Event{Seq: stopped.Version + 1, Kind: EventStop, Trial: 1}); err != nil || stopped.Trials[0].Early != "" || stopped.Trials[0].EarlyAt != 0 || !stopped.Trials[0].Stopping {
		t.Errorf("a person's word comes first: %v, %+v", err, stopped.Trials[0])
	}
	if err := apply(finish(1, StoppedEarly, 3.5)); err != nil || r.Ledger.Spent != 3.5 || r.Trials[0].Counts() || r.Trials[0].Result() != nil {
		t.Errorf("%v: %+v, %+v", err, r.Ledger, r.Trials[0])
	}
	if err := apply(step(1, Step{Step: 5, Value: 1})); err == nil {
		t.Error("a trial that has ended got a step")
	}
}
