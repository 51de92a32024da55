package runner

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// pause is how often a waiting slot asks again when the source does not say.
const pause = time.Second

// next takes the next trial to evaluate at a place, and returns false when the run is to end.
func (r *run) next(ctx context.Context, place string) (*task, bool) {
	r.asking.Lock()
	defer r.asking.Unlock()
	until, cancel := r.untilStopped(ctx)
	defer cancel()
	var e *entry
	answered, waiting := false, false
	adopted, change := r.takeAdopted() // it runs, whether or not a stop was asked for
	// An end reaches until a moment later.
	for ; adopted == nil && until.Err() == nil && !r.isEnding(); adopted, change = r.takeAdopted() {
		if e == nil {
			err := r.insist(until, func() (err error) {
				e, err = r.nextEntry()
				return err
			})
			if err != nil {
				e = nil
				if until.Err() == nil {
					r.fail(err)
				}
				break
			}
			answered = false
		}
		r.awaitSettled(until)
		working := r.atWork() // a trial that ends while the source answers may leave money for another
		t, err := r.take(ctx, until, e, place, waiting)
		code := fault.CodeOf(err)
		answered = answered || code.Over() || code == fault.BudgetPending || code == fault.Paused
		switch {
		case err == nil && until.Err() != nil: // it came too late
			r.giveBack(ctx, t, "the run was stopped before it began")
			e = nil
		case err == nil:
			r.mu.Lock()
			r.preparing++
			r.mu.Unlock()
			return t, true
		case until.Err() != nil:
		case code == fault.Deadline, code.Over() && working == 0, errors.Is(err, ErrHeld):
			r.end(Summary{Code: code, Text: err.Error(), Hint: fault.HintOf(err), Cause: err}, nil)
		case r.Once && answered: // there is nothing to wait for
			e.done()
			return nil, false
		case code.Over():
			r.sayWaiting(&waiting, "running trials may cost less than was reserved for them")
			wait(until, change, pause)
		case code == fault.BudgetPending:
			if !waiting {
				r.sayWaiting(&waiting, r.whyWaiting(until, err))
			}
			wait(until, change, max(askedToWait(err), pause))
		case code == fault.Paused:
			text := "the study is paused"
			if r.Called != "" {
				text += "; go on with: eke resume " + r.Called
			}
			r.sayWaiting(&waiting, text)
			wait(until, change, max(askedToWait(err), pause))
		case code == fault.Conflict: // what was asked for by this key is somebody else's, or has ended
			e.done()
			e = nil
		default:
			r.fail(err)
		}
	}
	if e != nil && (answered || !e.asked) { // otherwise it may have been handed out: whoever works here next asks again
		e.done()
	}
	return adopted, adopted != nil
}

// nextEntry takes one that was left unanswered, or a new one.
func (r *run) nextEntry() (*entry, error) {
	r.mu.Lock()
	if len(r.backlog) > 0 {
		defer r.mu.Unlock()
		e := r.backlog[0]
		r.backlog = r.backlog[1:]
		return e, nil
	}
	r.mu.Unlock() // a disk may be slow
	return r.workspace.newEntry()
}

// take takes over a trial that a runner which died had not begun, or asks for a new one. What is taken over is begun at once: another
// slot, here or elsewhere, may be about to take it, and must not find the folder empty of what it has begun.
func (r *run) take(ctx, until context.Context, e *entry, place string, again bool) (*task, error) {
	for trial, ok := r.takeLeft(until, place); ok; trial, ok = r.takeLeft(until, place) {
		err := r.insist(until, func() error { return r.Source.Begin(until, RefOf(trial), e.in.Runner, place) })
		switch {
		case err == nil:
			trial.State, trial.Runner, trial.Place = study.Running, e.in.Runner, place
			return newTask(Task{Trial: trial, By: e.in.Runner, Limit: LimitOf(r.shown.Load(), trial)}, e), nil
		case fault.CodeOf(err) != fault.Conflict:
			return nil, err
		}
	}
	var now *study.Study
	err := r.insist(until, func() (err error) {
		now, _, err = r.Source.Study(until)
		return err
	})
	if err == nil {
		err = r.mayGoOn(now)
	}
	if err != nil {
		return nil, err
	}
	if !again {
		r.tell(Thinking, nil, "")
	}
	e.asked = true
	var t Task
	err = r.insist(until, func() (err error) {
		t, err = r.Source.Ask(ctx, Ticket{Runner: e.in.Runner, Place: place, Key: e.Key, Stop: until.Done()})
		return err
	})
	if err != nil {
		return nil, err
	}
	return newTask(t, e), nil
}

// takeLeft takes each trial once: recovery may list one again that has been taken while it read the record. Where changes cost something, the trial comes
// first that costs the least at this place.
func (r *run) takeLeft(ctx context.Context, place string) (t study.Trial, ok bool) {
	price := r.pricesAt(ctx, place)
	r.mu.Lock()
	defer r.mu.Unlock()
	if price != nil {
		slices.SortStableFunc(r.left, func(a, b study.Trial) int { return cmp.Compare(price(a), price(b)) })
	}
	for len(r.left) > 0 {
		t, r.left = r.left[0], r.left[1:]
		if !r.took[t.Number] {
			r.took[t.Number] = true
			return t, true
		}
	}
	return t, false
}

// takeAdopted takes a task that is adopted. If there is none, changed is closed when there may be, or when a trial of this run has ended.
func (r *run) takeAdopted() (t *task, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.adopted) > 0 {
		t, r.adopted = r.adopted[0], r.adopted[1:]
	}
	return t, r.changed
}

// settleGrace is how long a slot waits for trials to be settled whose jobs have ended.
const settleGrace = 3 * time.Second

// awaitSettled waits until all trials whose jobs have ended are settled; many jobs of a cluster may end at the same poll. The next setting is
// to be chosen by all of their results. Thinking once about many results also takes less time than thinking after each of them.
func (r *run) awaitSettled(ctx context.Context) {
	for end := time.Now().Add(settleGrace); r.Engine.Detached() && ctx.Err() == nil && time.Now().Before(end); {
		r.mu.Lock()
		settling, changed := 0, r.changed
		for _, t := range r.running {
			if t.isOver {
				settling++
			}
		}
		r.mu.Unlock()
		if settling == 0 {
			return
		}
		wait(ctx, changed, time.Until(end))
	}
}

// sayWaiting says once that a slot waits.
func (r *run) sayWaiting(told *bool, text string) {
	if !*told {
		r.tell(Waiting, nil, text)
		*told = true
	}
}

// whyWaiting says why a slot waits: as the answer does, unless no trial runs.
func (r *run) whyWaiting(ctx context.Context, answer error) string {
	record, err := r.Source.Record(ctx)
	if err == nil && record != nil && r.atWork() == 0 && !slices.ContainsFunc(record.Open(), func(t study.Trial) bool { return t.State == study.Running }) {
		return "the rest of the budget is reserved by trials that were asked for, and have no result yet"
	}
	return answer.Error()
}

// change has waiting slots look again. The caller holds the mutex.
func (r *run) change() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// atWork is how many trials this run has taken, and not yet ended.
func (r *run) atWork() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.preparing + len(r.running)
}

// askedToWait is how long an error asks to wait before the next attempt.
func askedToWait(err error) time.Duration {
	var w interface{ Wait() time.Duration }
	if errors.As(err, &w) {
		return w.Wait()
	}
	return 0
}
