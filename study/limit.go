package study

import (
	"encoding/json"
	"math"
	"slices"
	"time"
)

// The rules of limits: how long a trial may run, when it gets more money, when no further trial is started, and when a run
// gives up. Whoever evaluates trials goes by them, on this machine or far from the store. Limits on what trials report are in metrics.go.

// Limit is how many seconds a trial may run; +Inf means no limit.
func (s *Study) Limit(t Trial) float64 {
	limit := math.Inf(1)
	if s.Measured() {
		limit = atMost(t.Reserved, s.Budget.PerTrial)
	}
	if s.OnCluster() {
		limit = math.Min(limit, s.JobSeconds(t.Setting, t.Reserved))
	}
	return atMost(limit, s.longest(t))
}

// longest is how many seconds a trial may take whatever it costs; 0 means no limit. It is stopped after the timeout or, where the study sets no
// time for a trial, once it has passed what its forecast makes credible. A trial that reports a step works, and has as long again from there; a cluster's
// job has the time that it was submitted with.
func (s *Study) longest(t Trial) float64 {
	timeout := s.Budget.Timeout.Seconds()
	isTimed := timeout > 0 || s.Measured() && s.Budget.PerTrial > 0
	switch {
	case s.Budget.Limit == LimitNone || t.Credible <= 0 || isTimed && !s.Cost.Accounted():
		return timeout
	case s.OnCluster():
		return atMost(t.Credible, timeout)
	}
	return t.stepped + t.Credible
}

// ReachedLimit reports whether a trial was cut at a limit of its own, and not because the budget came to its end, which says
// nothing of its setting. Trials are asked to stop a little before the limit.
func (s *Study) ReachedLimit(t Trial) bool {
	const nearly = 0.8
	longest := s.longest(t)
	return (s.Budget.PerTrial > 0 && t.Charged >= nearly*s.Budget.PerTrial) || (longest > 0 && t.Wall >= nearly*longest)
}

// Extension is the reservation that a trial should have after running for elapsed seconds. Where the
// cost is wall time, a reservation is doubled when less than margin seconds, and less than half of the limit, are left. It
// never grows by more than the trial's share of what is left of the budget, nor beyond what the study's limits let the trial use.
func (s *Study) Extension(r *Record, t Trial, elapsed, margin float64) float64 {
	if !s.Measured() {
		return t.Reserved
	}
	most := atMost(t.Reserved+r.shareOfLeft(t), s.Budget.PerTrial)
	if longest := s.longest(t); longest > 0 {
		most = math.Min(most, math.Max(longest, t.Reserved))
	}
	isNear := func(reserved float64) bool {
		t.Reserved = reserved
		limit := s.Limit(t)
		return limit-elapsed < math.Min(margin, limit/2)
	}
	want := t.Reserved
	for want > 0 && want < most && isNear(want) {
		want = math.Min(2*want, most)
	}
	return want
}

// shareOfLeft is how much of what is left one of the running trials may take: an equal part, so that no trial takes the last money from the
// others. When money gets short, though, equal parts would have all of them cut. So for each trial that comes before this trial, a quarter of
// that trial's reservation is kept. The first trial may take a quarter of its own reservation, even if that is more than an equal part. A part
// of less than a hundredth of the trial's reservation is not worth an event.
func (r *Record) shareOfLeft(t Trial) float64 {
	const next = 1.0 / 4 // of what is reserved for a trial
	left := r.Ledger.Left()
	running, most, first := 1, left, true
	for _, other := range r.Trials {
		if other.State == Running && other.Number != t.Number {
			running++
			if other.endsBefore(t) {
				first, most = false, most-next*other.Reserved
			}
		}
	}
	share := left / float64(running)
	if first {
		share = math.Max(share, next*t.Reserved)
	}
	share = math.Max(math.Min(share, most), 0)
	if running > 1 && share < t.Reserved/100 {
		return 0
	}
	return share
}

// endsBefore reports whether a running trial comes before another one where there is not enough money for both: the one that is expected to end first. Looks come
// last, since they do not count.
func (t Trial) endsBefore(other Trial) bool {
	if t.Look != other.Look {
		return other.Look
	}
	mine, theirs := t.expectedEnd(), other.expectedEnd()
	return mine.Before(theirs) || mine.Equal(theirs) && t.Number < other.Number
}

// expectedEnd is when a trial whose cost is wall time will have cost what was expected of it; when it began, if nothing was.
func (t Trial) expectedEnd() time.Time {
	seconds := 0.0
	if e := t.Forecast(); e != nil && e.CostMedian > 0 {
		seconds = math.Min(e.CostMedian, 1e9)
	}
	return t.Started.Add(time.Duration(seconds * float64(time.Second)))
}

// Forecast is what was expected of a trial when it was chosen; nil: nobody knows.
func (t Trial) Forecast() *Expected {
	var why struct {
		Expected *Expected `json:"expected"`
	}
	if len(t.Why) == 0 || json.Unmarshal(t.Why, &why) != nil {
		return nil
	}
	return why.Expected
}

// Due returns when the deadline passes, which counts from the first trial that was not run elsewhere. It is zero if there is no deadline, or no such trial yet.
func (s *Study) Due(r *Record) time.Time {
	first := slices.IndexFunc(r.Trials, func(t Trial) bool { return !t.IsImported() })
	if s.Budget.Deadline <= 0 || first < 0 {
		return time.Time{}
	}
	return r.Trials[first].Asked.Add(s.Budget.Deadline)
}

// Overdue reports whether the deadline has passed.
func (s *Study) Overdue(r *Record, now time.Time) bool {
	due := s.Due(r)
	return !due.IsZero() && now.After(due)
}

// A row of failures is no surprise if its chance, by what was expected of each trial, is at least leastForeseen. Otherwise something else must be wrong. More than
// mostForeseen failures are never taken for foreseen: models that have learnt that nothing works foresee every failure. A chance to work counts as mostSure at
// most: after a few failures models may be sure of what is wrong, and a single such trial would end the run.
const leastForeseen, mostForeseen, mostSure = 1e-3, 30, 0.9

// foreseen reports whether this many failures in a row are no surprise, by what was expected of the trials when they were chosen. Next to a wall where failures are
// cheap, long shots are worth their price. The failure of a trial of which nothing was expected is a surprise.
func foreseen(failures []Trial) bool {
	chance := 1.0
	if len(failures) > mostForeseen {
		return false
	}
	for _, t := range failures {
		e := t.Forecast()
		if e == nil || e.Works == nil {
			return false
		}
		chance *= 1 - math.Min(*e.Works, mostSure)
	}
	return chance >= leastForeseen
}

// Trials that fail or are cut in a row before a run gives up. An experiment that never worked may be broken, and is given up sooner if its failures
// have cost more than littleMoney, a part of the budget. If they are cheap, it may be the settings: many of a wide space may diverge.
const (
	failuresAtFirst, failuresLater = 3, 10
	littleMoney                    = 0.02
)

// GiveUp reports whether a run should give up after these trials in a row, which failed or were cut. Whether the experiment has ever worked is for
// Worked to say.
func (l Ledger) GiveUp(failures []Trial, worked bool) bool {
	lost := 0.0
	for _, t := range failures {
		lost += t.Charged
	}
	isBroken := !worked && len(failures) >= failuresAtFirst && lost > littleMoney*l.Total
	return (isBroken || len(failures) >= failuresLater) && !foreseen(failures)
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
