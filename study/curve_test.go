package study_test

import (
	"testing"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

func at(a, epochs float64) space.Setting {
	return space.Setting{"a": space.Float(a), "epochs": space.Float(epochs)}
}

// A better value at a lower fidelity is found on a trial's way, in what it goes on from, and in a look of the same setting.
func TestBestBelow(t *testing.T) {
	s := &study.Study{Objective: study.Objective{Goal: study.Minimize}, Parameters: []space.Param{{Name: "a", Kind: space.KindFloat, Max: 1}}, Fidelity: &study.Fidelity{Name: "epochs", Steps: []float64{1, 3, 9}}}
	look := study.Trial{Number: 1, State: study.Done, Setting: at(0.5, 3), Value: 2, Look: true, Steps: []study.Step{{Step: 1, Value: 5}}}
	for name, c := range map[string]struct {
		before []study.Trial
		trial  study.Trial
		want   float64 // 0: nothing is better
	}{
		"nothing":          {nil, study.Trial{Number: 2, State: study.Done, Setting: at(0.5, 9), Value: 3}, 0},
		"a look":           {[]study.Trial{look}, study.Trial{Number: 2, State: study.Done, Setting: at(0.5, 9), Value: 3}, 3},
		"a worse look":     {[]study.Trial{look}, study.Trial{Number: 2, State: study.Done, Setting: at(0.5, 9), Value: 1}, 0},
		"another setting":  {[]study.Trial{look}, study.Trial{Number: 2, State: study.Done, Setting: at(0.4, 9), Value: 3}, 0},
		"its own way":      {nil, study.Trial{Number: 1, State: study.Done, Setting: at(0.5, 9), Value: 3, Steps: []study.Step{{Step: 4, Value: 1}, {Step: 9, Value: 0}}}, 4},
		"what it resumes":  {[]study.Trial{look}, study.Trial{Number: 2, State: study.Done, Setting: at(0.5, 9), Value: 3, Resumes: 1}, 3},
		"without a value":  {[]study.Trial{look}, study.Trial{Number: 2, State: study.Failed, Setting: at(0.5, 9)}, 0},
		"a forgotten look": {[]study.Trial{{Number: 1, State: study.Done, Setting: at(0.5, 3), Value: 2, Look: true, Forgotten: true}}, study.Trial{Number: 2, State: study.Done, Setting: at(0.5, 9), Value: 3}, 0},
	} {
		r := &study.Record{Trials: append(c.before, c.trial)}
		if best, ok := s.BestBelow(r, c.trial); ok != (c.want > 0) || best.Step != c.want {
			t.Errorf("%s: %+v, %v; want step %v", name, best, ok, c.want)
		}
	}
}

// With count: best, the best value of a trial's way counts, with that of the trial it goes on from.
func TestByCount(t *testing.T) {
	s := &study.Study{Objective: study.Objective{Goal: study.Minimize}, Fidelity: &study.Fidelity{Name: "epochs", Steps: []float64{1, 3, 9}}}
	look := study.Trial{Number: 1, State: study.Done, Setting: at(0.5, 3), Value: 2, Look: true}
	trial := study.Trial{Number: 2, State: study.Running, Setting: at(0.5, 9), Resumes: 1, Steps: []study.Step{{Step: 5, Value: 4}, {Step: 9, Value: 6}}}
	r := &study.Record{Trials: []study.Trial{look, trial}}
	if value, where := s.ByCount(r, trial, 6); value != 6 || where != 0 {
		t.Errorf("%v at %v, want 6 at the end", value, where)
	}
	s.Fidelity.Count = study.CountBest
	if value, where := s.ByCount(r, trial, 6); value != 2 || where != 3 {
		t.Errorf("%v at %v, want 2 at 3", value, where)
	}
	trial.Lost = true // it began anew
	if value, where := s.ByCount(r, trial, 6); value != 4 || where != 5 {
		t.Errorf("%v at %v, want 4 at 5", value, where)
	}
	if value, where := s.ByCount(r, trial, 1); value != 1 || where != 0 {
		t.Errorf("%v at %v, want 1 at the end", value, where)
	}
}
