package advisor

import (
	"context"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// Over says why a study hands out no more trials, for whoever looks at it; nil if it does. It chooses no trial, and fits no models: whether
// the rest of the money is worth spending is decided by the forecast that is given, or not at all if that is nil.
func (a *Advisor) Over(r *study.Record, rest *Rest, now time.Time) error {
	l := r.Ledger
	switch {
	case r.Closed:
		return fault.Wrap(study.ErrClosed, fault.Closed, "", "somebody ended it")
	case len(r.Open()) > 0:
		return nil
	case l.Total-l.Spent <= crumbs*l.Total:
		return fault.Wrap(ErrBudgetSpent, fault.BudgetSpent, "", "its budget of %s is spent", say.Amount(a.study.Cost, l.Total))
	case a.study.Overdue(r, now):
		return fault.New(fault.Deadline, "to go on, set a later deadline in the study file", "its deadline has passed, %s after the first trial", say.Duration(a.study.Budget.Deadline.Seconds()))
	}
	if err := a.trialsLeft(r); err != nil || rest == nil || a.study.Stop.Never {
		return err
	}
	s, err := a.State(r)
	if err != nil || len(s.Y) < leastSeen {
		return nil // a record that cannot be read is not over
	}
	if least := a.least(s); rest.Gain < least && !a.hasJustBegun(r) && !stillImproves(s.Y, least) {
		return a.notWorth(*rest, least)
	}
	return nil
}

// Ended is Over for whoever has time for a suggestion: where nothing simpler tells whether the study is over, it tries to choose a trial.
func (a *Advisor) Ended(ctx context.Context, r *study.Record, now time.Time) error {
	if err := a.Over(r, nil, now); err != nil || r.Paused || r.Archived || len(r.Open()) > 0 {
		return err
	}
	if _, err := a.Next(ctx, r); fault.CodeOf(err).Over() {
		return err
	}
	return nil
}
