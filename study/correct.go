package study

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/fault"
)

func (r *Record) forgotten(e Event) error  { return r.forget(e, true) }
func (r *Record) remembered(e Event) error { return r.forget(e, false) }

func (r *Record) forget(e Event, forgotten bool) error {
	already := map[bool]string{true: "forgotten already", false: "not forgotten"}[forgotten]
	if e.Result != 0 {
		if e.Result < 1 || e.Result > len(r.Known) {
			return fault.New(fault.NotFound, fmt.Sprintf("there are %d", len(r.Known)), "there is no known result %d", e.Result)
		}
		return change(&r.Known[e.Result-1].Forgotten, forgotten, fmt.Sprintf("the known result %d is %s", e.Result, already))
	}
	t, err := r.trial(e.Trial)
	if err != nil {
		return err
	}
	if t.State.Open() {
		return fault.New(fault.Conflict, "stop it first: eke stop", "trial %d is %s, and has no result to forget", t.Number, t.State)
	}
	return change(&t.Forgotten, forgotten, fmt.Sprintf("trial %d is %s", t.Number, already))
}

// corrected replaces the figures of a trial. Where the cost is measured, no correction carries spent past the total.
func (r *Record) corrected(e Event) error {
	t, err := r.trial(e.Trial)
	if err != nil {
		return err
	}
	c := e.Corrected
	switch {
	case c == nil || !c.State.Ended():
		return refuse("trial %d cannot be corrected without a state", t.Number)
	case t.State.Open():
		return fault.New(fault.Conflict, "report its result: eke tell", "trial %d is %s; only one that has ended can be corrected", t.Number, t.State)
	case !isAmount(c.Charged) || math.IsNaN(c.Value) || math.IsInf(c.Value, 0):
		return fault.New(fault.BadRequest, "give a finite value and a cost from 0 to 1e15", "trial %d: the value is %v and the cost %v", t.Number, c.Value, c.Charged)
	case r.Measured && c.Charged > (t.Charged+r.Ledger.Left())*(1+slack):
		return fmt.Errorf("trial %d: %w: %v is left, and it would cost %v more", t.Number, ErrUnaffordable, r.Ledger.Left(), c.Charged-t.Charged)
	}
	more := c.Charged > t.Charged
	t.Was = append(slices.Clip(t.Was), Was{State: t.State, Value: t.Value, Charged: t.Charged, Until: e.At, Why: c.Note})
	r.Ledger.Spent = math.Max(r.Ledger.Spent-t.Charged+c.Charged, 0)
	t.State, t.Value, t.Charged = c.State, unsigned(c.Value), c.Charged
	t.Estimated = t.Estimated && !c.Exact
	if r.Ledger.Spent > r.Ledger.Total*(1+slack) && more {
		t.Beyond = true
	}
	r.settleOverrun()
	return nil
}

func (r *Record) lowered(e Event) error {
	l := r.Ledger
	if !isAmount(e.Lowered) || e.Lowered == 0 {
		return fault.New(fault.BadRequest, "give an amount above zero", "the budget cannot be lowered by %v", e.Lowered)
	}
	if least := l.Spent + l.Reserved; l.Total-e.Lowered < least*(1-slack) || l.Total-e.Lowered <= 0 {
		return fault.New(fault.BadRequest, fmt.Sprintf("leave at least %v", least), "the budget cannot be lowered to %v: %v are spent and %v reserved", l.Total-e.Lowered, l.Spent, l.Reserved)
	}
	r.Ledger.Total -= e.Lowered
	return nil
}
