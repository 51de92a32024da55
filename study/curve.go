package study

import (
	"slices"

	"github.com/eke-bo/eke/space"
)

// Which value of a trial counts.
const (
	CountLast = "last" // that at the trial's fidelity
	CountBest = "best" // the best of all on its way there
)

// onTheWay returns what a trial showed before it reached its fidelity: its steps, and the steps of the trials that it goes on from.
func (s *Study) onTheWay(r *Record, t Trial) (list []Step) {
	top := s.FidelityOf(t.Setting)
	for {
		for _, step := range t.Steps {
			if step.Step < top {
				list = append(list, step)
			}
		}
		if t.Resumes < 1 || t.Resumes >= t.Number || t.Lost {
			return list
		}
		t = r.Trials[t.Resumes-1]
		if at := s.FidelityOf(t.Setting); t.State == Done && at < top {
			list = append(list, Step{Step: at, Value: t.Value})
		}
	}
}

// ByCount returns the value of a trial that counts, by the rule of the fidelity, and where on its way the trial had it; 0: at its end.
func (s *Study) ByCount(r *Record, t Trial, value float64) (counts, at float64) {
	if s.Fidelity == nil || s.Fidelity.Count != CountBest {
		return value, 0
	}
	for _, step := range s.onTheWay(r, t) {
		if s.Objective.Goal.Better(step.Value, value) {
			value, at = step.Value, step.Step
		}
	}
	return value, at
}

// BestBelow returns the best value that the setting of a trial has had at a lower fidelity, on the trial's way or in a look. ok says whether
// it is better than the trial's own value.
func (s *Study) BestBelow(r *Record, t Trial) (best Step, ok bool) {
	if s.Fidelity == nil || t.State != Done {
		return Step{}, false
	}
	list, top := s.onTheWay(r, t), s.FidelityOf(t.Setting)
	for _, other := range r.Trials {
		if at := s.FidelityOf(other.Setting); other.State == Done && other.IsEvidence() && at < top && s.sameParameters(other.Setting, t.Setting) {
			list = append(list, Step{Step: at, Value: other.Value})
		}
	}
	best.Value = t.Value
	for _, step := range list {
		if s.Objective.Goal.Better(step.Value, best.Value) {
			best, ok = step, true
		}
	}
	return best, ok
}

// sameParameters says whether two settings differ in nothing but the fidelity.
func (s *Study) sameParameters(a, b space.Setting) bool {
	return !slices.ContainsFunc(s.Parameters, func(p space.Param) bool {
		x, inA := a[p.Name]
		y, inB := b[p.Name]
		return inA != inB || x.String() != y.String()
	})
}
