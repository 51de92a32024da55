package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

// stepsEvery is how often it is looked whether a trial has printed another value.
const stepsEvery = 100 * time.Millisecond

// stepsPatience is how long the source may take for the last values of a trial that has ended. Its outcome matters more.
const stepsPatience = 5 * time.Second

// follower tells the source which values a trial prints on its way.
type follower struct {
	*run
	task   Task
	trial  study.Trial // with the steps that the source knows
	job    engine.Job
	began  time.Time
	stop   chan<- error // gets the source's order to stop the trial
	reader engine.Steps
	unsent []study.Step // the source could not be told yet
	refuse bool         // the source does not want any
}

func (r *run) newFollower(t *task) *follower {
	r.mu.Lock() // the heartbeat writes to it
	defer r.mu.Unlock()
	return &follower{run: r, task: t.Task, trial: t.Trial, job: t.job, began: t.entry.Began, stop: t.stop}
}

// follow tells the source what is new, at once, until the returned function is called. Without a fidelity nothing is followed.
func (f *follower) follow(ctx context.Context) (stop func()) {
	if f.job.Fidelity <= 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	over := make(chan struct{})
	go func() {
		defer close(over)
		for ctx.Err() == nil {
			f.pass(ctx, f.reader.Read(f.job), false)
			wait(ctx, nil, stepsEvery)
		}
	}()
	return func() {
		cancel()
		<-over
	}
}

// finish tells the source the last steps of a trial that has ended. If it is done, its result is the last of them: then everybody
// knows that it was not stopped on its way.
func (f *follower) finish(ctx context.Context, o Outcome) {
	if f.job.Fidelity <= 0 {
		return
	}
	steps := f.reader.Read(f.job)
	if o.State == study.Done && len(f.trial.Steps)+len(f.unsent)+len(steps) > 0 {
		last := study.Step{Step: f.job.Fidelity, Value: o.Value}
		if o.Cost != nil {
			last.Cost = *o.Cost
		}
		steps = append(steps, last)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepsPatience)
	defer cancel()
	f.pass(ctx, steps, true)
}

// pass tells the source of steps. What it cannot be told now is told with the next; only what it would keep is sent.
func (f *follower) pass(ctx context.Context, steps []study.Step, ended bool) {
	s := f.shown.Load()
	for i := range steps {
		steps[i].Cost = f.costOf(s, steps[i], ended)
	}
	kept, err := s.Thin(f.trial, append(f.unsent, steps...))
	if f.unsent = kept; err != nil || len(kept) == 0 || f.refuse {
		f.unsent = nil
		return
	}
	why, err := f.Source.Steps(ctx, f.task, kept, ended)
	switch {
	case err != nil && (passes(err) || ctx.Err() != nil):
		return
	case err != nil:
		f.tell(Trouble, &f.trial, fmt.Sprintf("the values of trial %d on its way are not taken: %v", f.task.Number, err))
		f.refuse = true
		return
	}
	f.trial.Steps, f.unsent = append(f.trial.Steps, kept...), nil
	if why == "" || f.stop == nil {
		return
	}
	select { // an order that waits already does as well
	case f.stop <- fmt.Errorf("%w: %s", ErrEarly, why):
	default:
	}
}

// costOf is what a trial had cost at a step: what it says or, where the cost is wall time on this machine, the time since it began.
func (f *follower) costOf(s *study.Study, step study.Step, ended bool) float64 {
	switch {
	case s.Cost.Source == study.Reported || ended && step.Step == f.job.Fidelity:
		return step.Cost
	case s.Cost.Source == study.Walltime && !f.Engine.Detached() && !ended:
		return time.Since(f.began).Seconds()
	}
	return 0
}
