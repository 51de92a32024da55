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
		value     bool
		corrected Metrics
		want      string
	}{
		{false, nil, first + "\n" + second + "\nexit code 1"},
		{true, nil, second + "\nexit code 1"},
		{false, Metrics{"latency": 3}, first + "\nexit code 1"},
		{true, Metrics{"latency": 3}, "exit code 1"},
		{false, Metrics{"memory": 3}, first + "\n" + second + "\nexit code 1"},
	} {
		if got := withoutPassed(first+"\n"+second+"\nexit code 1", c.value, c.corrected, metrics); got != c.want {
			t.Errorf("%v, %v: %q", c.value, c.corrected, got)
		}
	}
}
