package study

import (
	"math"
	"slices"
	"time"
)

// The rules of limits: how long a trial may run, when it gets more money, when no further trial is started, and when a run
// gives up. Whoever evaluates trials goes by them, on this machine or far from the store.

// Limit is how many seconds a trial may run that has so much reserved; +Inf means no limit.
func (s *Study) Limit(reserved float64) float64 {
	limit := math.Inf(1)
	if s.Measured() {
		limit = atMost(reserved, s.Budget.PerTrial)
	}
	return atMost(limit, s.Budget.Timeout.Seconds())
}

// Extension is the reservation that a trial should have after running for elapsed seconds, given the ledger. Where the
// cost is wall time, a reservation is doubled when less than margin seconds, and less than half of the limit, are left. It
// never grows beyond what is left of the budget, nor beyond what the study's limits let the trial use.
func (s *Study) Extension(l Ledger, reserved, elapsed, margin float64) float64 {
	if !s.Measured() {
		return reserved
	}
	most := atMost(reserved+l.Left(), s.Budget.PerTrial)
	if timeout := s.Budget.Timeout.Seconds(); timeout > 0 {
		most = math.Min(most, math.Max(timeout, reserved))
	}
	isNear := func(reserved float64) bool {
		limit := s.Limit(reserved)
		return limit-elapsed < math.Min(margin, limit/2)
	}
	want := reserved
	for want > 0 && want < most && isNear(want) {
		want = math.Min(2*want, most)
	}
	return want
}

// Due returns when the deadline passes, which counts from the first trial. It is zero if there is no deadline, or no trial yet.
func (s *Study) Due(r *Record) time.Time {
	if s.Budget.Deadline <= 0 || len(r.Trials) == 0 {
		return time.Time{}
	}
	return r.Trials[0].Asked.Add(s.Budget.Deadline)
}

// Overdue reports whether the deadline has passed.
func (s *Study) Overdue(r *Record, now time.Time) bool {
	due := s.Due(r)
	return !due.IsZero() && now.After(due)
}

// Trials that fail or are cut in a row before a run gives up: an experiment that never worked is broken, and one that has
// worked may meet a bad region.
const failuresAtFirst, failuresLater = 3, 10

// GiveUp reports whether a run should give up after so many trials in a row that failed or were cut. Whether the experiment
// has ever worked is for Worked to say.
func GiveUp(failures int, worked bool) bool {
	return failures >= failuresLater || !worked && failures >= failuresAtFirst
}

// Worked reports whether a trial has ever returned a value.
func (r *Record) Worked() bool {
	return slices.ContainsFunc(r.Trials, func(t Trial) bool { return t.State == Done })
}

// atMost applies a limit; 0 means that there is none.
func atMost(x, limit float64) float64 {
	if limit > 0 {
		return math.Min(x, limit)
	}
	return x
}
