package broker

import (
	"context"
	"fmt"
	"maps"
	"math"
	"strings"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// What a trial is charged at its end is decided here, whoever reports it. Imports say themselves what is charged, and so do corrections, by hand
// or by a cluster's accounts. A trial that is stopped before it begins is charged nothing.
//
//  1. Its cost, if that is known. Otherwise an estimate (Charge).
//  2. A reported cost above per_trial is charged as well. Whether the value counts then is for the study's rule to say (ByRule).
//  3. If the cost is wall time, at most what the budget covers (affordable). A reported cost is charged in full, since the money is
//     gone; package study notes what goes past the total as overrun.

// Charge adds to the end of a trial what it is charged: its cost, or an estimate if nobody knows the cost, which a remark explains.
func (b *Broker) Charge(r *study.Record, trial int, f study.Finished) study.Finished {
	if f.Cost != nil {
		f.Charged, f.Cost = *f.Cost, nil
		return f
	}
	var why string
	f.Charged, why = estimate(r, r.Trials[trial-1], f.Wall, b.study.Cost.Accounted())
	f.Estimated = f.Estimated || f.Charged > 0 && (f.State == study.Abandoned || !r.Measured)
	f.Remark = strings.Trim(f.Remark+"\n"+why, "\n")
	return f
}

// falseStart is the time in seconds within which a trial that reports no cost is charged nothing, as long as no costs are known. Such
// a trial is a program that does not start, not one that has used up its reservation.
const falseStart = 60

// The time of a trial tells its cost, even beyond its reservation, up to mostTimes the time of the longest finished trial. A trial that takes
// still longer may wait for something that costs nothing. If all trials take less than leastTime, in seconds, time tells nothing: most of it
// is starting and ending.
const mostTimes, leastTime = 10, 1

// estimate is what to charge a trial whose cost nobody knows, and why. An abandoned trial keeps its charge. Wall time is measured, and needs no
// explanation. Else it goes by the cost at the last step, and without steps by the seconds that the trial took. A job of a cluster cannot cost more than
// was reserved, and may have waited in a queue.
func estimate(r *study.Record, t study.Trial, wall float64, isJob bool) (charged float64, why string) {
	if t.State == study.Abandoned {
		return t.Charged, "" // it was estimated then
	}
	if r.Measured {
		return math.Min(wall, t.Reserved), ""
	}
	if last, ok := t.LastStep(); ok && last.Cost > 0 {
		return last.Cost, "it is charged " + say.Number(last.Cost) + ", what it had cost at its last step"
	}
	cost, seconds, longest := 0.0, 0.0, 0.0
	for _, t := range r.Trials {
		if t.State == study.Done && t.Wall > 0 {
			cost, seconds, longest = cost+t.Charged, seconds+t.Wall, math.Max(longest, t.Wall)
		}
	}
	switch {
	case seconds > 0:
		byTime, most, all := cost/seconds*wall, t.Reserved, "all that was reserved for it"
		if further := cost / seconds * mostTimes * longest; !isJob && longest >= leastTime && further > most {
			most, all = further, fmt.Sprintf("as if it had taken %d times as long as the longest finished trial", mostTimes)
		}
		charged, why = byTime, "estimated from the time it took"
		switch {
		case byTime > most:
			charged, why = most, all+"; by the time it took, it would be about "+say.Number(byTime)
		case byTime > t.Reserved:
			why += " and the average cost per second so far, more than the " + say.Number(t.Reserved) + " reserved for it"
		}
	case wall < falseStart:
		why = "since nothing is known of costs yet and it took less than a minute"
	default:
		charged, why = t.Reserved, "which was reserved for it, since nothing is known of costs yet"
	}
	return charged, "it reported no cost and is charged " + say.Number(charged) + ", " + why
}

// affordable is how much of a charge the budget covers: what the trial has already, and what is left.
func affordable(r *study.Record, t study.Trial, charge float64) float64 {
	switch {
	case r.Measured && t.State.Open():
		return math.Min(charge, t.Reserved+r.Ledger.Left())
	case r.Measured && t.State == study.Abandoned:
		return math.Min(charge, t.Charged+r.Ledger.Left())
	}
	return charge
}

// ByRule returns the end of a trial by the study's rules. A trial that was to stop early has stopped early, unless it reached its
// fidelity first; its value is then an intermediate value. With count: best, the best value of a trial's way counts. If a reported cost is above per_trial, budget.over decides whether the value
// counts, or the trial counts as stopped at the limit. Either way the note says so.
func (b *Broker) ByRule(r *study.Record, t study.Trial, f study.Finished) study.Finished {
	said := say.Said(f.Exit, f.Note)
	f.Note, f.Remark = strings.Trim(f.Note+"\n"+f.Remark, "\n"), ""
	if last, _ := t.LastStep(); t.Early != "" && (f.State == study.Cut || f.State == study.Done && last.Step < b.study.FidelityOf(t.Setting)) {
		f.State, f.Value, f.Note = study.StoppedEarly, 0, t.Early
		if b.study.Fidelity != nil {
			f.Note = say.StoppedAt(t.Early, b.study.Fidelity.Name, t.EarlyAt, last.Step)
		}
	}
	if f.State == study.Failed || f.State == study.Abandoned && f.Exit != nil && !f.Stopped {
		if beyond := b.study.Limits.Exceeded(f.Exit, said); len(beyond) > 0 {
			f.State, f.Machine = study.Failed, false
			f.Note = strings.Trim("beyond the limit on "+strings.Join(beyond, " and ")+": "+f.Note, "\n")
		}
	}
	if counts, at := b.study.ByCount(r, t, f.Value); f.State == study.Done && at > 0 {
		note := fmt.Sprintf("its value is that at %s=%s; at the end it was %s (count: best)", b.study.Fidelity.Name, say.Number(at), say.Number(f.Value))
		f.Value, f.Note = counts, strings.Trim(note+"\n"+f.Note, "\n")
	}
	f = b.study.Whole(f)
	limit := b.study.Budget.PerTrial
	if b.study.Measured() || limit <= 0 || f.Charged <= limit {
		return f
	}
	note := "it cost " + say.Amount(b.study.Cost, f.Charged) + ", above per_trial of " + say.Amount(b.study.Cost, limit)
	switch {
	case f.State == study.Done && b.study.Budget.Over == study.OverCut:
		note += "; its value of " + say.Number(f.Value) + " does not count (over: cut)"
		f.State, f.Value = study.Cut, 0
	case f.State == study.Done:
		note += "; its value counts (over: keep)"
	}
	f.Note = strings.Trim(note+"\n"+f.Note, "\n")
	return f
}

// setupName is what a result calls its part of the cost that went into changes.
const setupName = "setup"

// If changes cost something, withSetup takes a metric named setup as Finished.Setup: clients that can only return numbers by name have no other way to
// report it.
func (b *Broker) withSetup(f study.Finished) study.Finished {
	setup, said := f.Metrics[setupName]
	if len(b.study.Changeover) == 0 {
		f.Setup = nil // there is nothing that it could be a part of
		return f
	}
	if said && f.Setup == nil && setup >= 0 {
		f.Setup, f.Metrics = &setup, maps.Clone(f.Metrics)
		if delete(f.Metrics, setupName); len(f.Metrics) == 0 {
			f.Metrics = nil
		}
	}
	return f
}

// Finish ends a trial and charges it what the budget covers. If that is more than was reserved, the rest is reserved first.
func (b *Broker) Finish(ctx context.Context, trial int, f study.Finished) error {
	return b.FinishAs(ctx, trial, f, "")
}

// FinishAs is Finish for a sender that may repeat a request because its answer was lost. The same key takes effect once.
func (b *Broker) FinishAs(ctx context.Context, trial int, f study.Finished, key string) error {
	_, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		events, f := []study.Event{}, f
		t, err := r.Trial(trial)
		if err != nil || key != "" && t.FinishKey == key {
			return nil, err
		}
		f = b.ByRule(r, t, b.withSetup(f))
		f.Lost = t.Resumes > 0 && (f.Lost || len(t.Steps) > 0 && t.Steps[0].Step < b.study.Reached(r.Trials[t.Resumes-1])) // it shows again what was known
		more := r.Measured && t.State.Open() && f.Charged > t.Reserved
		if f.Charged = affordable(r, t, f.Charged); more {
			events = append(events, study.Event{Kind: study.EventExtended, Trial: trial, Reserved: f.Charged})
		}
		return append(events, study.Event{Kind: study.EventFinished, Trial: trial, Key: key, Finished: &f}), nil
	})
	return err
}

// AddSteps records values that a running trial has on its way, as far as they are kept (study.Study.Thin). They are not charged.
func (b *Broker) AddSteps(ctx context.Context, trial int, steps ...study.Step) error {
	_, err := b.update(ctx, func(r *study.Record) (events []study.Event, err error) {
		t, err := r.Trial(trial)
		if err != nil || t.State != study.Running && t.State != study.Abandoned {
			return nil, err
		}
		kept, err := b.study.Thin(t, steps)
		for i := range kept {
			events = append(events, study.Event{Kind: study.EventStep, Trial: trial, Step: &kept[i]})
		}
		return events, err
	})
	return err
}

// Decided returns a trial as it stands, and says whether GoOn has nothing to decide.
func (b *Broker) Decided(ctx context.Context, trial int) (t study.Trial, decided bool, err error) {
	r, err := b.Record(ctx)
	if err != nil {
		return t, false, err
	}
	t, err = r.Trial(trial)
	return t, !b.undecided(t), err
}

// GoOn decides whether a trial goes on, in the light of its steps. It returns the trial as it stands afterwards: if the trial is to stop,
// Early says why. It is decided once for each step that the models learn from.
func (b *Broker) GoOn(ctx context.Context, trial int) (study.Trial, error) {
	if t, decided, err := b.Decided(ctx, trial); err != nil || decided {
		return t, err
	}
	select {
	case b.thinking <- struct{}{}:
		defer func() { <-b.thinking }()
	case <-ctx.Done():
		return study.Trial{}, ctx.Err()
	}
	decided := 0.0
	r, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		t, err := r.Trial(trial)
		if err != nil || !b.undecided(t) || b.mayEncode(r) != nil {
			return nil, err
		}
		last, _ := t.LastStep()
		decided = last.Step
		why, err := b.advisor.Early(ctx, r, trial)
		if err != nil || why == "" || ctx.Err() != nil { // a choice that was cut short depends on the clock
			return nil, err
		}
		return []study.Event{{Kind: study.EventStop, Trial: trial, Reason: why}}, nil
	})
	if err != nil {
		return study.Trial{}, err
	}
	if decided > 0 { // otherwise somebody else has decided meanwhile
		b.decided.Store(trial, decided)
	}
	return r.Trial(trial)
}

// undecided says whether a trial is running and has shown something new to the models since it was last decided whether it goes on.
func (b *Broker) undecided(t study.Trial) bool {
	if t.State != study.Running || t.Stopping {
		return false
	}
	decided, _ := b.decided.Load(t.Number)
	at, _ := decided.(float64)
	for _, s := range t.Steps {
		if s.Look && s.Step > at {
			return true
		}
	}
	return false
}
