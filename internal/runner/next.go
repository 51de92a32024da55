package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// poll is how often a waiting worker looks whether another process has changed something.
const poll = time.Second

// patience is how long a trouble that somebody may mend, such as a full disk, is waited for.
const patience = 10 * time.Minute

// next returns the next trial to run, and false when the run is over.
func (r *run) next(ctx context.Context) (study.Trial, bool) {
	r.asking.Lock()
	defer r.asking.Unlock()
	thinking, done := r.untilStopped(ctx)
	defer done()
	trouble, waiting := time.Time{}, false
	for thinking.Err() == nil {
		if r.isOverdue(thinking) {
			r.end(Deadline, fmt.Sprintf("the deadline of %v has passed", r.study.Budget.Deadline), nil)
			break
		}
		change, before := r.change(), r.version(thinking)
		trial, err := r.takeOrAsk(thinking)
		switch {
		case err == nil:
			return trial, true
		case thinking.Err() != nil:
		case (isEnd(err) || errors.Is(err, advisor.ErrBudgetPending)) && r.version(thinking) != before:
			// the answer is that to an earlier state of affairs: a trial has ended meanwhile, or the budget has grown
		case isEnd(err) && len(r.alive()) == 0:
			r.end(reasonOf(err), trimmed(err), nil)
		case isEnd(err):
			r.sayWaiting(&waiting)
			wait(thinking, change, poll) // what runs may cost less than was reserved for it
		case errors.Is(err, advisor.ErrBudgetPending):
			r.waitForOthers(thinking, change, &waiting)
		case isMendable(err):
			if trouble.IsZero() {
				trouble = time.Now()
			}
			if time.Since(trouble) > patience {
				r.fail(err)
			}
			r.tell(Trouble, nil, err.Error())
			wait(thinking, nil, 2*poll)
		default:
			r.fail(err)
		}
	}
	return study.Trial{}, false
}

// isOverdue reports whether the study's deadline has passed. Within a run it goes by a clock that is never set.
func (r *run) isOverdue(ctx context.Context) bool {
	record, err := r.Broker.Record(ctx)
	return err == nil && r.study.Overdue(record, r.began.Round(0).Add(time.Since(r.began)))
}

// takeOrAsk takes over a pending trial of a runner that died, or asks for a new one. What is taken over is started at once: another
// worker, here or elsewhere, may be about to take it, and must not find the folder empty of what it has begun.
func (r *run) takeOrAsk(ctx context.Context) (study.Trial, error) {
	record, err := r.Broker.Record(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	for _, t := range record.Open() {
		if t.State != study.Pending || !r.hasDied(ctx, t) {
			continue
		}
		if err := r.Broker.Start(ctx, t.Number, r.id); err == nil {
			t.State, t.Runner = study.Running, r.id
			return t, nil
		} else if !r.takenByOther(ctx, t) {
			return study.Trial{}, err
		}
	}
	r.tell(Thinking, nil, "")
	return r.Broker.Ask(ctx, r.id)
}

// waitForOthers waits while the rest of the budget is reserved. It ends the run when nobody is at work on what reserves it.
func (r *run) waitForOthers(ctx context.Context, change <-chan struct{}, told *bool) {
	record, err := r.Broker.Record(ctx)
	if err != nil {
		return
	}
	atWork, byHand := len(r.alive()) > 0, []string{}
	for _, t := range record.Open() {
		if isRunner(t.Runner) {
			atWork = true
		} else {
			byHand = append(byHand, fmt.Sprint(t.Number))
		}
	}
	if !atWork && len(byHand) == 0 {
		return // those that held it have just ended
	}
	if !atWork {
		r.end(Held, fmt.Sprintf("the rest of the budget is reserved by trials asked for by hand (%s); tell what came of them, and run again",
			strings.Join(byHand, ", ")), nil)
		return
	}
	r.sayWaiting(told)
	wait(ctx, change, poll)
}

// sayWaiting says once that a worker waits.
func (r *run) sayWaiting(told *bool) {
	if !*told {
		r.tell(Waiting, nil, "the rest of the budget is reserved by running trials")
		*told = true
	}
}

// untilStopped returns a context that ends with ctx, when a stop is asked for, and when the run has a reason to end.
func (r *run) untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-inner.Done():
		case <-r.Stop:
		case <-r.quit:
		}
		cancel()
	}()
	select { // at once, not when the goroutine gets its turn
	case <-r.Stop:
		cancel()
	case <-r.quit:
		cancel()
	default:
	}
	return inner, cancel
}

// version is that of the study's log.
func (r *run) version(ctx context.Context) int64 {
	record, err := r.Broker.Record(ctx)
	if err != nil {
		return -1
	}
	return record.Version
}

// change returns a channel that is closed when a trial of this run has ended.
func (r *run) change() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

func wait(ctx context.Context, change <-chan struct{}, most time.Duration) {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-ctx.Done():
	case <-change:
	case <-late.C:
	}
}

func isEnd(err error) bool {
	return errors.Is(err, study.ErrClosed) || errors.Is(err, advisor.ErrBudgetSpent) || errors.Is(err, advisor.ErrNotWorth) || errors.Is(err, advisor.ErrExhausted)
}

// reasonOf says which end it is.
func reasonOf(err error) Reason {
	switch {
	case errors.Is(err, advisor.ErrBudgetSpent):
		return BudgetSpent
	case errors.Is(err, advisor.ErrExhausted):
		return Exhausted
	case errors.Is(err, study.ErrClosed):
		return Closed
	}
	return NotWorth
}

// isMendable says whether it helps to wait while somebody makes room, or ends another program.
func isMendable(err error) bool {
	return errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrBusy) || errors.Is(err, store.ErrReadOnly) || errors.Is(err, store.ErrConflict)
}

func trimmed(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "eke: "), "policy: ")
}
