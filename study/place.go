package study

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/eke-bo/eke/space"
)

// A place is where trials are evaluated one after another, such as an oven or a slot of a machine. What is set there is what its last trial set. That
// follows from the log, so it is known even after a kill.

// At returns the place of a trial. If none is named, the runner is the place.
func (t Trial) At() string { return cmp.Or(t.Place, t.Runner) }

// Began reports whether the evaluation of a trial began, as far as is known. Of a trial that was asked for by hand, nobody says when it begins; its result
// shows that it did. A trial whose command was never started took no time and no money.
func (t Trial) Began() bool {
	if t.State == Abandoned && t.Stopped && t.Charged == 0 && t.Wall == 0 {
		return false
	}
	return !t.Started.IsZero() || t.State == Done || t.State == Failed || t.State == StoppedEarly || t.Charged > 0
}

// sets reports whether a trial has set what it tries, or will have by the time that a later trial begins at its place.
func (t Trial) sets() bool { return t.State.Open() || t.Began() }

// begins is when a trial was begun or, if nobody said so, asked for.
func (t Trial) begins() time.Time {
	if t.Started.IsZero() {
		return t.Asked
	}
	return t.Started
}

// Predecessors returns for every trial the number of the trial before it at the same place, in the order in which they were begun or asked for; 0: there
// was none.
func (r *Record) Predecessors() []int {
	order := make([]int, len(r.Trials))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return r.Trials[a].begins().Compare(r.Trials[b].begins()) })
	before, last := make([]int, len(r.Trials)), map[string]int{}
	for _, i := range order {
		t := &r.Trials[i]
		place := t.At()
		before[i] = last[place]
		if t.sets() {
			last[place] = t.Number
		}
	}
	return before
}

// LastAt returns the last trial that was begun or asked for at a place.
func (r *Record) LastAt(place string) (last Trial, ok bool) {
	for _, t := range r.Trials {
		if t.At() == place && t.sets() && (!ok || !t.begins().Before(last.begins())) {
			last, ok = t, true
		}
	}
	return last, ok
}

// LastPlace returns the place where a trial was begun or asked for last; empty: there was none.
func (r *Record) LastPlace() string {
	var last Trial
	for _, t := range r.Trials {
		if t.sets() && !t.begins().Before(last.begins()) {
			last = t
		}
	}
	return last.At()
}

// Places lists the places where trials were begun or asked for, in the order of their first ones.
func (r *Record) Places() (list []string) {
	for _, t := range r.Trials {
		if place := t.At(); t.sets() && !slices.Contains(list, place) {
			list = append(list, place)
		}
	}
	return list
}

// SetAt returns what is set at a place, as far as anybody knows.
func (s *Study) SetAt(r *Record, place string) space.Setting {
	if t, ok := r.LastAt(place); ok {
		return t.Setting
	}
	return s.Initial
}

// FeeOf returns the price of the change that a trial made, where before is the trial before it at the same place; 0: there was none.
func (s *Study) FeeOf(r *Record, t Trial, before int) Fee {
	if before == 0 {
		return s.Fee(s.Initial, t.Setting)
	}
	return s.Fee(r.Trials[before-1].Setting, t.Setting)
}

// Changes is what went into changes.
type Changes struct {
	Count  int     `json:"count" doc:"How many trials had to pay for a change."`                                                      // Count is the number of trials that paid for a change.
	Spent  float64 `json:"spent" doc:"What they paid for it: what they reported, or what the study file says, as far as it says so."` // Spent is what they paid, as far as they or the study file say.
	Unsure int     `json:"unsure,omitempty" doc:"How many of them paid something that nobody knows."`                                 // Unsure is the number of trials that paid something which nobody knows.
}

// Changes adds up what the trials that have ended paid for changes.
func (s *Study) Changes(r *Record) (c Changes) {
	if len(s.Changeover) == 0 {
		return c
	}
	before := r.Predecessors()
	for i, t := range r.Trials {
		if !t.State.Ended() || !t.Began() {
			continue
		}
		fee := s.FeeOf(r, t, before[i])
		switch paid := t.SetupPaid(fee.Known); {
		case t.Setup == nil && len(fee.Learnt) > 0:
			c.Count, c.Unsure, c.Spent = c.Count+1, c.Unsure+1, c.Spent+paid
		case paid > 0:
			c.Count, c.Spent = c.Count+1, c.Spent+paid
		}
	}
	return c
}

// SetupPaid returns the part of a trial's charge that went into changes: what it reported or, if it did not, what is known. It is never more than the charge.
func (t Trial) SetupPaid(known float64) float64 {
	if t.Setup != nil {
		known = *t.Setup
	}
	return math.Min(known, t.Charged)
}
