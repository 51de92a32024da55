package study

import (
	"math"
	"testing"
	"time"
)

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		source   Source
		budget   Budget
		reserved float64
		want     float64
	}{
		{Reported, Budget{PerTrial: 2}, 5, math.Inf(1)},
		{Reported, Budget{Timeout: 3 * time.Second}, 5, 3},
		{Walltime, Budget{}, 5, 5},
		{Walltime, Budget{PerTrial: 4}, 5, 4},
		{Walltime, Budget{PerTrial: 4, Timeout: 3 * time.Second}, 5, 3},
		{Walltime, Budget{PerTrial: 4, Timeout: 30 * time.Second}, 1, 1},
	} {
		s := &Study{Cost: Cost{Source: c.source}, Budget: c.budget}
		if got := s.Limit(c.reserved); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestExtension(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		budget            Budget
		left              float64
		elapsed, margin   float64
		reserved, becomes float64
	}{
		{Budget{}, 100, 4, inf, 10, 10},                          // more than half is left
		{Budget{}, 100, 6, inf, 10, 20},                          // doubled once
		{Budget{}, 100, 6, 2, 10, 10},                            // not yet within the margin
		{Budget{}, 100, 9, 2, 10, 20},                            // within it
		{Budget{}, 3, 9, inf, 10, 13},                            // what is left of the budget
		{Budget{}, 0, 9, inf, 10, 10},                            // nothing is
		{Budget{PerTrial: 15}, 100, 9, inf, 10, 15},              // as much as one trial may cost
		{Budget{PerTrial: 10}, 100, 9, inf, 10, 10},              // it has that
		{Budget{Timeout: 12 * time.Second}, 100, 9, inf, 10, 12}, // more would be of no use
		{Budget{Timeout: 8 * time.Second}, 100, 7, inf, 10, 10},  // it has more than it can use
		{Budget{}, 1000, 70, inf, 10, 160},                       // unseen for long: doubled until it suffices
	} {
		s := &Study{Cost: Cost{Source: Walltime}, Budget: c.budget}
		l := Ledger{Total: c.reserved + c.left, Reserved: c.reserved}
		if got := s.Extension(l, c.reserved, c.elapsed, c.margin); got != c.becomes {
			t.Errorf("%+v: %v", c, got)
		}
	}
	s := &Study{Cost: Cost{Source: Reported}}
	if got := s.Extension(Ledger{Total: 100}, 1, 50, inf); got != 1 {
		t.Errorf("a reported cost: %v", got)
	}
}

func TestOverdue(t *testing.T) {
	first := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	r := &Record{Trials: []Trial{{Asked: first}, {Asked: first.Add(time.Hour)}}}
	s := &Study{Budget: Budget{Deadline: time.Minute}}
	for after, want := range map[time.Duration]bool{0: false, time.Minute: false, time.Minute + 1: true} {
		if s.Overdue(r, first.Add(after)) != want {
			t.Errorf("after %v: %v", after, !want)
		}
	}
	if s.Overdue(&Record{}, first.Add(time.Hour)) || (&Study{}).Overdue(r, first.Add(time.Hour)) {
		t.Error("no first trial, or no deadline")
	}
}

// A run gives up soon if nothing ever worked, and later if something did, in this run or before.
func TestGiveUp(t *testing.T) {
	broken := &Record{Trials: []Trial{{State: Failed}, {State: Cut}, {State: Abandoned}, {State: Running}}}
	working := &Record{Trials: append([]Trial{{State: Done}}, broken.Trials...)}
	for failures := range 12 {
		if got := GiveUp(failures, broken.Worked()); got != (failures >= 3) {
			t.Errorf("broken, after %d: %v", failures, got)
		}
		if got := GiveUp(failures, working.Worked()); got != (failures >= 10) {
			t.Errorf("working, after %d: %v", failures, got)
		}
	}
}
