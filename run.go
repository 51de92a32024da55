package eke

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/source"
	"github.com/eke-bo/eke/study"
)

// Experiment tries a setting and returns its value and its cost. If it returns an error, the trial has failed; the cost
// returned with the error is what the trial has used, or 0 if that is not known.
type Experiment func(ctx context.Context, t Trial) (value, cost float64, err error)

// Measurement is an Experiment that returns other numbers as well, as TellMetrics has them: the further objectives, the quantities with limits, and "setup", the part
// of the cost that went into changes. Of a trial that has failed, a study with several objectives keeps the numbers that are returned with the error, and learns from them.
type Measurement func(ctx context.Context, t Trial) (value, cost float64, metrics study.Metrics, err error)

// Run asks, tries and tells until the study is over, with Config.Parallel trials at the same time. If the experiment
// returns an error, its trial has failed and Run goes on; after many errors in a row it returns the last. When the
// context ends, the running trials are abandoned and charged what they used, and Run returns the context's error.
// Called again, by the same or another program, it continues, and tries those settings again.
//
// Other programs can act on a study in a store. If somebody stops a trial, the context of that trial ends, and Run goes on. While the
// study is paused, Run waits. A store that does not answer is tried again for ten seconds; then Run returns its error.
func (o *Optimizer) Run(ctx context.Context, try Experiment) error {
	if names := o.broker.Study().AsksFor(); len(names) > 0 {
		return fault.New(fault.BadRequest, "use RunMetrics, whose experiment returns them with the value", "the study asks for %s, which an Experiment does not return", strings.Join(names, ", "))
	}
	return o.RunMetrics(ctx, func(ctx context.Context, t Trial) (float64, float64, study.Metrics, error) {
		value, cost, err := try(ctx, t)
		return value, cost, nil, err
	})
}

// RunMetrics is Run for a study with Config.Objectives or Config.Limits, or for any whose trials have other numbers to keep.
func (o *Optimizer) RunMetrics(ctx context.Context, try Measurement) error {
	given := ctx
	ctx, stop := context.WithCancelCause(ctx)
	c := &calls{Optimizer: o, try: try, ctx: ctx, stop: stop, next: make(chan func())}
	parallel, over := o.broker.Study().Parallel, make(chan struct{})
	var sum runner.Summary
	var err error
	go func() {
		defer close(over)
		sum, err = runner.Run(ctx, runner.Config{
			Source: &source.Store{Broker: o.broker, Calls: true}, Engine: c, Runner: source.CallPrefix + rand.Text(),
			Parallel: parallel, Patience: patience, Cut: func() { stop(nil) },
		})
	}()
	defer func() {
		stop(nil)
		select { // an experiment that panics has its trial settled first
		case <-over:
		case <-time.After(parting):
		}
	}()
	var workers sync.WaitGroup
	for range parallel - 1 {
		workers.Go(func() { c.work(over) })
	}
	c.work(over) // here, so that a single worker's panic is the caller's
	workers.Wait()
	switch {
	case err != nil && given.Err() != nil:
		return errors.Join(context.Cause(given), err)
	case err != nil:
		return err
	case sum.Code == fault.BudgetPending:
		return sum.Cause
	case len(sum.Failed) > 0:
		last := sum.Failed[len(sum.Failed)-1]
		cause := c.find(last).err
		if cause == nil { // an objective was missing
			return fault.New(sum.Code, sum.Hint, "eke: %s", sum.Text)
		}
		return fmt.Errorf("eke: %d trials in a row failed, the last, trial %d, with: %w", len(sum.Failed), last, cause)
	case sum.Code == fault.CannotRun:
		return fault.New(sum.Code, sum.Hint, "eke: %s", sum.Text)
	}
	return context.Cause(ctx)
}

const (
	patience = 10 * time.Second // how long the store may be in trouble
	parting  = 5 * time.Second  // how long a panic is held back while other trials do not heed the end of their context
)

// calls is the engine of a run: its jobs are calls of the experiment in this process, which end with it.
type calls struct {
	*Optimizer
	try  Measurement
	ctx  context.Context // of all calls: its end is seen in a call at once
	stop context.CancelCauseFunc
	next chan func() // a call for one of the workers; there are as many as the loop has slots

	known sync.Map // the calls, by their trials' numbers
}

var _ engine.Engine = (*calls)(nil)

// call is a call of the experiment.
type call struct {
	stop context.CancelCauseFunc
	err  error                          // of one that has failed
	end  atomic.Pointer[study.Finished] // nil until it has ended
}

// work makes calls until the run is over.
func (c *calls) work(over <-chan struct{}) {
	for {
		select {
		case evaluate := <-c.next:
			evaluate()
		case <-over:
			return
		}
	}
}

// Submit has a worker call the experiment.
func (c *calls) Submit(ctx context.Context, j engine.Job) error {
	r, err := c.broker.Record(ctx)
	if err != nil {
		return err
	}
	t, err := r.Trial(j.Trial)
	if err != nil || c.find(j.Trial) != nil {
		return err
	}
	x := &call{}
	ctx, x.stop = context.WithCancelCause(c.ctx)
	c.known.Store(j.Trial, x)
	select {
	case c.next <- func() { c.evaluate(ctx, x, c.trial(t), j.Changed) }:
		return nil
	case <-ctx.Done():
		x.stop(nil)
		return ctx.Err()
	}
}

var errNoReturn = errors.New("eke: the experiment has ended its goroutine")

// evaluate calls the experiment and notes how that ended. A value that comes after the call was stopped was paid for, and is kept.
func (c *calls) evaluate(ctx context.Context, x *call, t Trial, changed func()) {
	began, returned := time.Now(), false
	var end study.Finished
	defer func() {
		if !returned { // it has panicked, or called runtime.Goexit
			c.stop(errNoReturn)
			end.State = study.Cut
		}
		end.Wall = time.Since(began).Seconds()
		x.stop(nil)
		x.end.Store(&end)
		changed()
	}()
	value, cost, metrics, err := c.try(ctx, t)
	returned = true
	stopped := err != nil && ctx.Err() != nil
	if err == nil {
		err = checkResult(value, cost)
	}
	metrics = maps.Clone(metrics)
	maps.DeleteFunc(metrics, func(name string, x float64) bool { return !study.IsMetric(name, x) }) // as if it were missing
	if n := len(metrics); n > study.MaxMetrics {
		metrics, err = nil, cmp.Or[error](err, fault.New(fault.BadRequest, "", "there are %d metrics, and no more than %d are kept", n, study.MaxMetrics))
	}
	if setup, said := metrics["setup"]; said && setup >= 0 && len(c.broker.Study().Changeover) > 0 { // a failure's metrics may not be kept
		end.Setup = &setup
		delete(metrics, "setup")
	}
	switch {
	case stopped:
		end.State, end.Note = study.Cut, fmt.Sprintf("stopped: %v", context.Cause(ctx))
	case err != nil:
		end.State, end.Note, end.Metrics, x.err = study.Failed, err.Error(), metrics, err
	default:
		end.State, end.Value, end.Metrics = study.Done, value, metrics
	}
	if end.State == study.Done || cost != 0 && checkResult(0, cost) == nil { // otherwise the cost is not known
		end.Cost = &cost
	}
}

// Poll says how calls stand. A trial of another process that died was abandoned.
func (c *calls) Poll(_ context.Context, jobs []engine.Job) ([]engine.Status, error) {
	list := make([]engine.Status, len(jobs))
	for i, j := range jobs {
		if x := c.find(j.Trial); x == nil {
			list[i] = engine.EndedAs(study.Finished{State: study.Abandoned})
		} else if end := x.end.Load(); end == nil {
			list[i].Phase = engine.Running
		} else {
			list[i] = engine.EndedAs(*end)
		}
	}
	return list, nil
}

// Cancel ends the context of a call.
func (c *calls) Cancel(_ context.Context, j engine.Job, why error) error {
	if x := c.find(j.Trial); x != nil {
		x.stop(why)
	}
	return nil
}

// Cost is what the experiment has returned.
func (c *calls) Cost(_ context.Context, j engine.Job) (engine.Cost, error) {
	if x := c.find(j.Trial); x != nil && x.end.Load() != nil && x.end.Load().Cost != nil {
		return engine.Cost{Amount: *x.end.Load().Cost, Known: true}, nil
	}
	return engine.Cost{}, nil
}

// find returns the call of a trial; nil if it is not known.
func (c *calls) find(trial int) *call {
	x, _ := c.known.Load(trial)
	found, _ := x.(*call)
	return found
}

// Calls need nothing beforehand, and have no files.

func (*calls) Claim(engine.Job) (string, error)        { return "", nil }
func (*calls) Probe(context.Context, engine.Job) error { return nil }
func (*calls) Files(engine.Job) fs.FS                  { return embed.FS{} }
func (*calls) Checkpoint(string) (bool, error)         { return true, nil }
func (*calls) Detached() bool                          { return false }
