package study

import (
	"slices"
	"testing"
	"time"
)

// A worst that was found from the first results leaves nothing out of the front, however far beyond it a result lies. A worst of the study file does.
func TestOnlyAGivenWorstLeavesResultsOut(t *testing.T) {
	s := &Study{Objective: Objective{Name: "error", Goal: Minimize}}
	r := &Record{}
	for i, y := range [][2]float64{{3, 10}, {2, 12}, {4, 11}, {1, 40}, {0.5, 90}, {6, 9}} {
		at := time.Unix(int64(i), 0)
		r.Trials = append(r.Trials, Trial{Number: i + 1, State: Done, Finished: at, Value: y[0], Metrics: Metrics{"work": y[1]}})
	}
	numbers := func(list []Trial) (out []int) {
		for _, trial := range list {
			out = append(out, trial.Number)
		}
		return out
	}
	at := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		error, work   *float64
		front, beyond []int
	}{
		{front: []int{5, 4, 2, 1, 6}},
		{work: at(40), front: []int{2, 1, 6}, beyond: []int{5, 4}},
		{error: at(5), front: []int{5, 4, 2, 1}, beyond: []int{6}},
		{error: at(0.1), beyond: []int{5, 4, 2, 1, 6}},
	} {
		s.Objectives = []Aim{{Objective: s.Objective, Worst: c.error}, {Objective: Objective{Name: "work", Goal: Minimize}, Worst: c.work}}
		if worst, from := s.Worst(r); worst[1] >= 90 || c.work == nil && from != 2 { // without parameters, of the first two
			t.Errorf("the worst is %v, found from %d results", worst, from)
		}
		if front, beyond := numbers(s.Front(r)), numbers(s.BeyondWorst(r)); !slices.Equal(front, c.front) || !slices.Equal(beyond, c.beyond) {
			t.Errorf("the front is %v, and %v are beyond; want %v and %v", front, beyond, c.front, c.beyond)
		}
	}
}

// Where changes cost something, a result uses setup for what its change has cost.
func TestNoObjectiveIsCalledSetup(t *testing.T) {
	for _, changes := range [][]Changeover{nil, {{Of: []string{"x"}}}} {
		for _, names := range [][2]string{{"setup", "loss"}, {"loss", "setup"}} {
			s := &Study{Objectives: []Aim{{Objective: Objective{Name: names[0], Goal: Minimize}}, {Objective: Objective{Name: names[1], Goal: Minimize}}}, Changeover: changes}
			if err := s.CheckObjectives(); (err != nil) != (changes != nil) {
				t.Errorf("%v with %v: %v", names, changes, err)
			}
		}
	}
}
