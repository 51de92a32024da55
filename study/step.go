package study

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// Step is a value that a running trial has at a lower fidelity, on its way to its own.
type Step struct {
	Step  float64 `json:"step"`           // Step is the fidelity.
	Value float64 `json:"value"`          // Value is the objective there.
	Cost  float64 `json:"cost,omitempty"` // Cost is what the trial had cost until then; 0 means that nobody knows.
	Look  bool    `json:"look,omitempty"` // Look says that the models learn from it: it is the first to reach one of the study's levels.
}

// finest is the part of a trial's fidelity that steps are apart, at least, unless a level lies between them.
const finest = 100

// Thin returns those of a trial's next steps that are recorded. A trial may report as often as it likes, but each step is an event.
// So a step is recorded if it is the first to reach a level of the fidelity, or if it is at least a hundredth of the trial's fidelity
// beyond the last. Steps that do not rise, or pass the trial's fidelity, are left out: whoever reports again changes nothing.
func (s *Study) Thin(t Trial, steps []Step) (kept []Step, err error) {
	if s.Fidelity == nil {
		return nil, fault.New(fault.BadRequest, "name it in the study file: "+fidelityHint, "the study has no fidelity, so a trial's values on its way mean nothing to it")
	}
	top, levels := s.FidelityOf(t.Setting), s.Fidelity.Levels()
	var last Step
	if n := len(t.Steps); n > 0 {
		last = t.Steps[n-1]
	}
	for _, step := range steps {
		if !step.isSound() {
			return nil, fault.New(fault.BadRequest, "give a step above 0, a finite value, and a cost from 0 to 1e15, or none", "step %v has value %v and cost %v", step.Step, step.Value, step.Cost)
		}
		if step.Step <= last.Step || step.Step > top {
			continue
		}
		step.Look = step.Step < top && slices.ContainsFunc(levels, func(level float64) bool { return last.Step < level && level <= step.Step })
		if !step.Look && step.Step < last.Step+top/finest && step.Step < top {
			continue
		}
		if step.Cost > 0 {
			step.Cost = math.Max(step.Cost, last.Cost)
		}
		kept, last = append(kept, step), step
	}
	return kept, nil
}

func (s Step) isSound() bool {
	return s.Step > 0 && !math.IsInf(s.Step, 1) && !math.IsNaN(s.Value) && !math.IsInf(s.Value, 0) && isAmount(s.Cost)
}

// FidelityOf returns the fidelity of a setting; 0 if the study has none.
func (s *Study) FidelityOf(setting space.Setting) float64 {
	if s.Fidelity == nil {
		return 0
	}
	if level, given := setting[s.Fidelity.Name].Number(); given {
		return level
	}
	return s.Fidelity.Top()
}

func (r *Record) step(e Event) error {
	t, err := r.trial(e.Trial)
	switch {
	case err != nil:
		return err
	case e.Step == nil || !e.Step.isSound():
		return refuse("trial %d cannot have a step without a fidelity and a value", t.Number)
	case t.State != Running && t.State != Abandoned:
		return refuse("trial %d is %s; only a running trial has steps", t.Number, t.State)
	case len(t.Steps) > 0 && e.Step.Step <= t.Steps[len(t.Steps)-1].Step:
		return refuse("trial %d: step %v does not follow step %v", t.Number, e.Step.Step, t.Steps[len(t.Steps)-1].Step)
	}
	t.Steps = append(slices.Clip(t.Steps), *e.Step)
	return nil
}

// LastStep returns the last step of a trial that has any.
func (t Trial) LastStep() (last Step, ok bool) {
	if n := len(t.Steps); n > 0 {
		return t.Steps[n-1], true
	}
	return Step{}, false
}
