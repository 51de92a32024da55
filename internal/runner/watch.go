package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/eke-bo/eke/internal/engine"
)

// watch waits for the end of a trial's job, and has it stopped when the run is cut or the source says so.
func (r *run) watch(ctx context.Context, t *task) Outcome {
	cut := ctx.Done()
	var why error
	for {
		select {
		case s := <-t.ended:
			return r.outcomeOf(ctx, t, s.Outcome, why)
		case <-cut:
			cut = nil
			r.cancel(ctx, t.job, context.Cause(ctx))
		case why = <-t.stop:
			r.cancel(ctx, t.job, why)
		}
	}
}

func (r *run) cancel(ctx context.Context, j engine.Job, why error) {
	ctx = context.WithoutCancel(ctx)
	if err := r.insist(ctx, func() error { return r.Engine.Cancel(ctx, j, why) }); err != nil {
		r.tell(Trouble, nil, fmt.Sprintf("trial %d cannot be stopped: %v", j.Trial, err))
	}
}

// poll asks the engine how all running jobs stand, whenever it has something to say and at least every second.
func (r *run) poll(ctx context.Context) {
	for ctx.Err() == nil {
		wait(ctx, r.wake, time.Second)
		tasks := r.watched()
		if len(tasks) == 0 {
			continue
		}
		jobs := make([]engine.Job, len(tasks))
		for i, t := range tasks {
			jobs[i] = t.job
		}
		list, err := r.Engine.Poll(ctx, jobs)
		if err != nil && ctx.Err() == nil {
			r.away(err)
			wait(ctx, nil, 2*time.Second)
			continue
		}
		for i, s := range list {
			if s.Phase == engine.Ended {
				r.mu.Lock()
				tasks[i].isOver = true
				r.mu.Unlock()
				tasks[i].ended <- s
			}
		}
	}
}

// watched lists the tasks whose jobs have not ended.
func (r *run) watched() (list []*task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.running {
		if t.isOut && !t.isOver {
			list = append(list, t)
		}
	}
	return list
}

// wakeUp has the engine polled.
func (r *run) wakeUp() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// look sees after what may be left on this machine: it says on disk that the running trials are alive, and takes up
// those of runners that have died.
func (r *run) look(ctx, watching context.Context) {
	for n := 1; watching.Err() == nil; n++ {
		wait(watching, nil, beat)
		r.mu.Lock()
		for _, t := range r.running {
			t.entry.touch()
		}
		r.mu.Unlock()
		if n%10 == 0 && watching.Err() == nil && ctx.Err() == nil {
			_ = r.recover(watching, false) // what cannot be done now is tried again
		}
	}
}

// watchStops says that a stop was heard, for it may take long to come about.
func (r *run) watchStops(ctx, watching context.Context) {
	stop := r.Stop
	for {
		select {
		case <-watching.Done():
			return
		case <-stop:
			stop = nil
			r.tell(Stopping, nil, "")
		case <-ctx.Done():
			r.tell(Cutting, nil, "")
			return
		}
	}
}
