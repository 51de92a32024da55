package broker

import (
	"math"
	"strings"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// This file decides what a trial is charged, whoever reports its end:
//
//  1. Its cost, if that is known. Otherwise an estimate (Charge).
//  2. A reported cost above per_trial is charged as well. Whether the value counts then is for the study's rule to say (ByRule).
//  3. If the cost is wall time, at most what the budget covers (affordable). A reported cost is charged in full, since the money is
//     gone; package study notes what goes past the total as overrun.

// Charge adds to the end of a trial what it is charged: its cost, or an estimate if nobody knows the cost, which the note explains.
func Charge(r *study.Record, trial int, f study.Finished) study.Finished {
	if f.Cost != nil {
		f.Charged, f.Cost = *f.Cost, nil
		return f
	}
	var why string
	f.Charged, why = estimate(r, r.Trials[trial-1], f.Wall)
	f.Estimated = f.Estimated || f.Charged > 0 && (f.State == study.Abandoned || !r.Measured)
	f.Note = strings.Trim(f.Note+"\n"+why, "\n")
	return f
}

// falseStart is the time in seconds within which a trial that reports no cost is charged nothing, as long as no costs are known. Such
// a trial is a program that does not start, not one that has used up its reservation.
const falseStart = 60

// estimate is what to charge a trial whose cost nobody knows: what it had cost at its last step, or, from the seconds that it took, never
// more than its reservation. It also explains the estimate, except for wall time, which is not one.
func estimate(r *study.Record, t study.Trial, wall float64) (charged float64, why string) {
	if t.State == study.Abandoned {
		return t.Charged, "" // it was estimated then
	}
	if r.Measured {
		return math.Min(wall, t.Reserved), ""
	}
	if last, ok := t.LastStep(); ok && last.Cost > 0 {
		return last.Cost, "it is charged " + say.Number(last.Cost) + ", what it had cost at its last step"
	}
	cost, seconds := 0.0, 0.0
	for _, t := range r.Trials {
		if t.State == study.Done && t.Wall > 0 {
			cost, seconds = cost+t.Charged, seconds+t.Wall
		}
	}
	why = "estimated from the time it took"
	switch {
	case seconds > 0:
		charged = math.Min(cost/seconds*wall, t.Reserved)
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
// fidelity first: a value that it returns is one of its way. A reported cost above per_trial: its value counts, or the trial counts as
// one that was stopped at the limit. Either way the note says so.
func (b *Broker) ByRule(t study.Trial, f study.Finished) study.Finished {
	if last, _ := t.LastStep(); t.Early != "" && (f.State == study.Cut || f.State == study.Done && last.Step < b.study.FidelityOf(t.Setting)) {
		f.State, f.Value, f.Note = study.StoppedEarly, 0, t.Early
	}
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
