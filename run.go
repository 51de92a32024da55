package eke

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/eke-bo/eke/study"
)

// Experiment tries a setting and returns its value and its cost. If it returns an error, the trial has failed; the cost
// returned with the error is what the trial has used, or 0 if that is not known.
type Experiment func(ctx context.Context, t Trial) (value, cost float64, err error)

// Run asks, tries and tells until the study is over, with Config.Parallel trials at the same time. If the experiment
// returns an error, its trial has failed and Run goes on; after many errors in a row it returns the last. When the
// context ends, the running trials are abandoned and charged what they used, and Run returns the context's error.
// Called again, by the same or another program, it continues, and tries those settings again.
func (o *Optimizer) Run(ctx context.Context, try Experiment) error {
	r := &run{Optimizer: o, try: try, id: runPrefix + rand.Text(), open: map[int]bool{}, ended: make(chan struct{})}
	ctx, stop := context.WithCancelCause(ctx)
	var workers, beats sync.WaitGroup
	defer beats.Wait()
	defer stop(nil)
	beats.Go(func() { r.stayAlive(ctx) })
	for range o.broker.Study().Parallel - 1 {
		workers.Go(func() { r.work(ctx, stop) })
	}
	r.work(ctx, stop) // here, so that a single worker's panic is the caller's
	workers.Wait()
	return context.Cause(ctx)
}

// run is one call of Run.
type run struct {
	*Optimizer
	try Experiment
	id  string // by which it knows its trials

	failures atomic.Int32 // in a row

	mu    sync.Mutex
	open  map[int]bool  // its trials under way
	ended chan struct{} // closed, and replaced, when one of them ends
}

// work asks, tries and tells until the study is over. What goes wrong stops all workers.
func (r *run) work(ctx context.Context, stop context.CancelCauseFunc) {
	for ctx.Err() == nil {
		t, err := r.next(ctx)
		if Over(err) {
			return
		}
		if err == nil {
			err = r.evaluate(ctx, t)
		}
		if err != nil {
			stop(err)
			return
		}
	}
}

// next returns a trial. While others are under way, the study may seem to be over and not be: a trial that ends may leave money,
// or a setting to try again.
func (r *run) next(ctx context.Context) (Trial, error) {
	if err := r.recover(ctx); err != nil {
		return Trial{}, err
	}
	for {
		ended := r.current()
		t, err := r.ask(ctx, r.id)
		switch {
		case err == nil:
			r.mu.Lock()
			r.open[t.Number] = true
			r.mu.Unlock()
			return t, nil
		case !Over(err) && !errors.Is(err, ErrBudgetPending):
			return Trial{}, err
		}
		switch waited, e := r.wait(ctx, ended); {
		case e != nil:
			return Trial{}, e
		case !waited:
			return Trial{}, err
		}
	}
}

// evaluate tries a trial and settles it.
func (r *run) evaluate(ctx context.Context, t Trial) error {
	value, cost, err := r.try(ctx, t)
	settling := context.WithoutCancel(ctx) // a result that was paid for is kept
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.open, t.Number)
		close(r.ended)
		r.ended = make(chan struct{})
	}()
	if err != nil && ctx.Err() != nil {
		return r.end(settling, t.Number, study.Finished{State: study.Abandoned, Stopped: true, Note: "the run was stopped"}, usable(cost))
	}
	if err == nil {
		err = checkResult(value, cost)
	}
	if err != nil {
		return errors.Join(r.Fail(settling, t.Number, usable(cost), err.Error()), r.failed(settling, t, err))
	}
	r.failures.Store(0)
	return r.Tell(settling, t.Number, value, cost)
}

// usable is a cost, or 0 if it makes no sense.
func usable(cost float64) float64 {
	if checkResult(0, cost) != nil {
		return 0
	}
	return cost
}

// failed counts a failure, and says when it is enough.
func (r *run) failed(ctx context.Context, t Trial, err error) error {
	failures := int(r.failures.Add(1))
	record, e := r.broker.Record(ctx)
	if e != nil {
		return e
	}
	if study.GiveUp(failures, record.Worked()) {
		return fmt.Errorf("eke: %d trials in a row failed, the last, trial %d, with: %w", failures, t.Number, err)
	}
	return nil
}
