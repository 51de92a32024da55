package study

import (
	"math"
	"strings"
	"testing"
)

func TestBeyondBoundsIsKeptAndSaid(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	one := &Study{Objective: Objective{Name: "loss", Goal: Minimize, Min: at(0)}}
	two := &Study{Objectives: []Aim{{Objective: Objective{Name: "accuracy", Goal: Maximize, Max: at(1)}}, {Objective: Objective{Name: "ms", Goal: Minimize, Min: at(0), Max: at(50)}}}}
	for _, c := range []struct {
		of   *Study
		f    Finished
		want string
	}{
		{one, Finished{State: Done, Value: -0.1, Note: "slow"}, "loss is -0.1, and objective.min says that it cannot be: that is 0; the value counts, and the bound no longer does; eke correct mends a value that is wrong\nslow"},
		{one, Finished{State: Done, Value: -1e-12, Note: "slow\n"}, "slow\n"}, // rounding
		{one, Finished{State: Failed, Value: -3}, ""},
		{two, Finished{State: Done, Value: 1.5, Metrics: Metrics{"ms": 60}}, "accuracy is 1.5, and objectives.accuracy.max says that it cannot be: that is 1; the value counts, and the bound no longer does; eke correct mends a value that is wrong\n" +
			"ms is 60, and objectives.ms.max says that it cannot be: that is 50; the value counts, and the bound no longer does; eke correct mends a value that is wrong"},
	} {
		if got := c.of.Whole(c.f); got.Note != c.want || got.Value != c.f.Value || got.State != c.f.State {
			t.Errorf("%+v: %+v", c.f, got)
		}
	}
	for _, bad := range []Objective{{Name: "loss", Min: at(math.NaN())}, {Name: "loss", Max: at(math.Inf(1))}, {Name: "loss", Min: at(2), Max: at(1)}} {
		if err := bad.CheckBounds(); err == nil || !strings.Contains(err.Error(), "loss") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// A correction takes away what a note says of the old numbers, and nothing else.
func TestNotesOfCorrectedBounds(t *testing.T) {
	low, high := 0.0, 1.0
	s := &Study{Objectives: []Aim{{Objective: Objective{Name: "accuracy", Goal: Maximize, Max: &high}}, {Objective: Objective{Name: "latency", Goal: Minimize, Min: &low}}}}
	metrics := Metrics{"latency": -3, "memory": 7}
	first, second, _ := strings.Cut(s.PassedBounds(Done, 2, metrics), "\n")
	if !strings.HasPrefix(first, "accuracy is 2") || !strings.HasPrefix(second, "latency is -3") {
		t.Fatalf("%q, %q", first, second)
	}
	for _, c := range []struct {
		state State
		c     Corrected
		want  string
		anew  string
	}{
		{Done, Corrected{State: Done, Value: 2}, first + "\n" + second + "\nexit code 1", ""},
		{Done, Corrected{State: Done, Value: 0.5}, second + "\nexit code 1", ""},
		{Done, Corrected{State: Done, Value: 3}, second + "\nexit code 1", "accuracy is 3"},
		{Done, Corrected{State: Done, Value: 2, Metrics: Metrics{"latency": 3}}, first + "\nexit code 1", ""},
		{Done, Corrected{State: Done, Value: 2, Metrics: Metrics{"latency": -4}}, first + "\nexit code 1", "latency is -4"},
		{Done, Corrected{State: Done, Value: 0.5, Metrics: Metrics{"latency": 3}}, "exit code 1", ""},
		{Done, Corrected{State: Done, Value: 2, Metrics: Metrics{"memory": 3}}, first + "\n" + second + "\nexit code 1", ""},
		{Done, Corrected{State: Failed}, second + "\nexit code 1", ""},
		{Failed, Corrected{State: Done, Value: 0.5, Without: "accuracy"}, second + "\nexit code 1", ""}, // it failed for want of another number
		{Failed, Corrected{State: Failed, Metrics: Metrics{"memory": 3}}, first + "\n" + second + "\nexit code 1", ""},
	} {
		was := Trial{State: c.state, Value: 2, Metrics: metrics, Note: first + "\n" + second + "\nexit code 1"}
		if c.state == Failed {
			was.Value, was.Metrics = 0, metrics.with(Metrics{"accuracy": 2})
		}
		if got := was.noteAfter(c.c); got != c.want {
			t.Errorf("%s, then %+v: %q", c.state, c.c, got)
		}
		if got := s.PassedAnew(was, c.c); !strings.HasPrefix(got, c.anew) || (got == "") != (c.anew == "") || strings.Count(got, passedEnds) > 1 {
			t.Errorf("%s, then %+v: it is also said that %q", c.state, c.c, got)
		}
	}
	was := Trial{State: Done, Value: 0.5, Metrics: Metrics{"latency": 1}}
	if got := s.PassedAnew(was, Corrected{State: Done, Value: 2, Metrics: metrics}); got != first+"; "+second {
		t.Errorf("both: %q", got)
	}
}
