package say_test

import (
	"testing"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// A result on the front that is beyond the worst that was found adds nothing to the hypervolume, and that is said, unless the study file gives the worst.
func TestBeyondFound(t *testing.T) {
	size := 40.0
	s := &study.Study{Objectives: []study.Aim{{Objective: study.Objective{Name: "yield", Goal: study.Maximize}}, {Objective: study.Objective{Name: "size", Goal: study.Minimize}}}}
	trials, outcomes, worst := []study.Trial{{Number: 3}, {Number: 16}}, [][]float64{{65, 70}, {60, 30}}, []float64{10, 61.5}
	want := "beyond the worst that was found (size 61.5), and so worth nothing in what is searched for: trial 3; give worst in the study file if that is wrong"
	if got := say.BeyondFound(s, trials, outcomes, worst); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.Objectives[1].Worst = &size
	if got := say.BeyondFound(s, trials, outcomes, worst); got != "" {
		t.Errorf("said is %q", got)
	}
}
