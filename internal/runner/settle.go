package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// settle tells the source an outcome of the journal, and says whether that is done. What the source will never take is kept
// beside the journal.
func (r *run) settle(ctx context.Context, e *entry) (t study.Trial, told bool) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	err := r.insist(ctx, func() (err error) {
		t, err = r.Source.Finish(ctx, e.ref(), e.Key, *e.Outcome)
		return err
	})
	switch code := fault.CodeOf(err); {
	case err == nil && e.Outcome.Late:
		e.late()
		return t, true
	case err == nil:
		e.done()
		return t, true
	case code == fault.Conflict && e.Outcome.State == study.Abandoned: // somebody was faster, and knows as much
		e.done()
	case slices.Contains([]fault.Code{fault.Conflict, fault.UnknownLease, fault.BadRequest, fault.TooLarge, fault.NotFound}, code):
		r.tell(Refused, nil, fmt.Sprintf("the outcome of trial %d (%s) is not taken: %v; it is kept in %s", e.Trial, e.Outcome, err, e.refuse()))
	default:
		r.mu.Lock()
		r.unsent++
		r.mu.Unlock()
		err = e.unsettled(err)
		r.tell(Trouble, nil, withHint(err))
		if !passes(err) || e.unkept != nil { // nobody can record it later who is not told now
			r.fail(err)
		}
	}
	return t, false
}

// unsettled says where the outcome is that the source could not be told.
func (e *entry) unsettled(err error) error {
	if e.unkept != nil {
		return fault.New(fault.CodeOf(err), fmt.Sprintf("write it down, and record it when this is fixed: eke tell %d", e.Trial),
			"trial %d ended as %s, which could be recorded neither at its source nor in the journal (%v): %w", e.Trial, e.Outcome, e.unkept, err)
	}
	return fault.New(fault.CodeOf(err), "", "the outcome of trial %d could not be recorded; it is kept in %s, and will be when you run again: %w", e.Trial, e.path(), err)
}

// leave notes that a trial has ended. A run gives up when trial after trial fails.
func (r *run) leave(ctx context.Context, trial int, o Outcome) {
	worked, failed := true, o.State == study.Failed || o.State == study.Cut && !o.onRequest // if nobody can tell, it has worked
	if record, err := r.Source.Record(context.WithoutCancel(ctx)); failed && err == nil {
		worked = record.Worked()
		failed = o.State == study.Failed || ranIntoLimit(r.shown.Load(), record, trial)
	}
	r.mu.Lock()
	delete(r.running, trial)
	r.ended++
	switch {
	case o.State == study.Done:
		r.failures, r.worked = 0, true
	case failed:
		r.failures++
	}
	failures := r.failures
	worked = worked || r.worked // what the source shows may be old
	r.change()
	r.mu.Unlock()
	if failed && study.GiveUp(failures, worked) {
		r.end(Summary{Code: fault.CannotRun, Text: fmt.Sprintf("%d trials in a row failed, the last with: %s", failures, o.Note)}, nil)
	}
}

// giveUp ends a run of one step if trial after trial has failed in the steps before.
func (r *run) giveUp(ctx context.Context) {
	record, err := r.Source.Record(ctx)
	if err != nil {
		return
	}
	failures, note := 0, ""
	for _, t := range slices.Backward(record.Trials) {
		if t.State == study.Done {
			break
		}
		if t.State == study.Failed || t.State == study.Cut && r.shown.Load().ReachedLimit(t) {
			failures++
			note = cmp.Or(note, t.Note)
		}
	}
	if study.GiveUp(failures, record.Worked()) {
		r.end(Summary{Code: fault.CannotRun, Text: fmt.Sprintf("%d trials in a row failed, the last with: %s; a run that is not of one step tries again", failures, note)}, nil)
	}
}

// ranIntoLimit reports whether a trial was cut at a limit of its own. One that was cut because the money was gone is no
// failure: the next answer of the source says that the budget is spent.
func ranIntoLimit(s *study.Study, record *study.Record, trial int) bool {
	t, err := record.Trial(trial)
	return err != nil || s.ReachedLimit(t)
}
