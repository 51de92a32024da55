package worker

import (
	"context"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// poll is how often a waiting worker asks again when the server does not say.
const poll = time.Second

// next returns the next trial to run with its line in the journal, and false when the worker is to end.
func (w *worker) next(ctx context.Context) (*entry, api.Lease, bool) {
	w.asking.Lock()
	defer w.asking.Unlock()
	until, cancel := w.untilStopped(ctx)
	defer cancel()
	var e *entry
	waiting := false
	for until.Err() == nil && !w.isEnding() {
		change := w.change()
		if !w.mayGoOn(until) {
			break
		}
		if e == nil {
			var err error
			if e, err = w.nextEntry(); err != nil {
				w.fail(err)
				break
			}
		}
		lease, err := w.ask(ctx, until, e)
		code := fault.CodeOf(err)
		switch {
		case err == nil && lease.State != study.Running: // asked for long ago, and ended since
			e.done()
			e = nil
		case err == nil && (until.Err() != nil || w.isEnding()): // it came too late
			w.giveBack(ctx, e, lease)
			return nil, api.Lease{}, false
		case err == nil:
			return e, lease, true
		case code.Over():
			if w.atWork() == 0 {
				w.over(err)
				break
			}
			w.sayWaiting(&waiting, "for the trials that run here: they may cost less than was reserved")
			wait(until, change, poll)
		case code == fault.BudgetPending:
			w.sayWaiting(&waiting, "the rest of the budget is reserved by trials under way")
			wait(until, change, max(api.RetryAfter(err), poll))
		case code == fault.Conflict: // somebody else's key
			e.done()
			e = nil
			wait(until, nil, poll)
		default: // unanswered, perhaps: whoever sits here next asks again
			if until.Err() == nil {
				w.fail(err)
			}
			return nil, api.Lease{}, false
		}
	}
	if e != nil {
		e.done() // the last answer was that there is none
	}
	return nil, api.Lease{}, false
}

// mayGoOn looks whether the study on the server still has the command that was shown. What runs is the one that was shown, in
// any case; but a study whose command has changed wants other results than this one's.
func (w *worker) mayGoOn(until context.Context) bool {
	s, err := w.look(until)
	switch {
	case err != nil && until.Err() != nil:
		return false
	case err != nil:
		w.fail(err)
		return false
	case w.Local == nil && !sameCommand(s.Definition, w.shown):
		w.fail(&ChangedError{w.shown.Command, s.Definition.Command})
		return false
	}
	return true
}

// nextEntry takes one that was left unanswered, or a new one.
func (w *worker) nextEntry() (*entry, error) {
	if len(w.backlog) > 0 {
		e := w.backlog[0]
		w.backlog = w.backlog[1:]
		return e, nil
	}
	return w.seats[0].newEntry()
}

// ask asks until there is an answer. A request under way is not cut off by a stop, so that its trial is not left behind.
func (w *worker) ask(ctx, until context.Context, e *entry) (lease api.Lease, err error) {
	err = w.insist(until, func() (err error) {
		lease, err = w.Client.Ask(ctx, w.Study, e.seat.Worker, e.Key)
		return err
	})
	return lease, err
}

// giveBack ends a trial that was handed out and is not begun.
func (w *worker) giveBack(ctx context.Context, e *entry, l api.Lease) {
	e.Trial = l.Number
	e.Outcome = &outcome{State: study.Abandoned, Cost: new(float64), Note: "the worker was stopped before it began"}
	_ = e.write()
	_, _ = w.settle(ctx, e)
}

// over ends the worker: nothing more is to be had.
func (w *worker) over(err error) {
	w.end(Summary{Reason: Over, Code: string(fault.CodeOf(err)), Text: err.Error()}, nil)
}

func (w *worker) sayWaiting(told *bool, text string) {
	if !*told {
		w.tell(Waiting, nil, text)
		*told = true
	}
}

// change returns a channel that is closed when a trial of this worker has ended.
func (w *worker) change() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

func (w *worker) atWork() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.running)
}
