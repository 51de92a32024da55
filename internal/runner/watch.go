package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
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

// alive lists the tasks that the source is to hear of.
func (r *run) alive() (list []Task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.running {
		if !t.isOver && !t.isGivenUp {
			list = append(list, t.Task)
		}
	}
	return list
}

// rhythm is how often the source is to hear of the running tasks; 0 means that there are none until begun is closed.
func (r *run) rhythm() (begun <-chan struct{}, every time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.running {
		if t.isOver || t.isGivenUp {
			continue
		}
		if every = beat; t.Lease > 0 {
			every = max(t.Lease/3, 20*time.Millisecond)
		}
	}
	return r.begun, every
}

// wakeUp has the engine polled.
func (r *run) wakeUp() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// heartbeat tells the source that the running trials are alive, and passes its orders on.
//
// A source that cannot be reached stops nothing: within its limits a trial goes on, and a lease that is lost meanwhile does not
// make its result worth less.
func (r *run) heartbeat(ctx context.Context) {
	for late := false; ctx.Err() == nil; {
		begun, every := r.rhythm()
		if every == 0 {
			wait(ctx, begun, time.Minute)
			continue
		}
		if late {
			every /= 4
		}
		wait(ctx, nil, every)
		tasks := r.alive()
		if len(tasks) == 0 || ctx.Err() != nil {
			continue
		}
		orders, err := r.Source.Alive(ctx, tasks)
		switch late = err != nil; {
		case ctx.Err() != nil:
			return
		case err == nil:
			r.reached()
		case passes(err), fault.CodeOf(err) == fault.Internal:
			r.away(err)
		default:
			r.fail(err) // better said now than when hours of results cannot be kept
		}
		r.obey(tasks, orders, err == nil)
	}
}

// obey passes orders on, and notes which trials the source has heard of.
func (r *run) obey(tasks []Task, orders []Order, heard bool) {
	why := map[int]error{}
	for _, o := range orders {
		why[o.Trial] = o.Why
	}
	for _, told := range tasks {
		r.mu.Lock()
		t := r.running[told.Number]
		if t != nil && why[told.Number] == nil && heard {
			t.Heard = now()
		}
		if t != nil && why[told.Number] != nil {
			t.isGivenUp = true
		}
		r.mu.Unlock()
		switch {
		case t == nil || why[told.Number] == nil:
		case errors.Is(why[told.Number], ErrSilent):
			r.tell(Late, &t.Trial, ErrSilent.Error())
		default:
			t.stop <- why[told.Number]
		}
	}
}

// now is the time without the monotonic clock, which stands still while a machine sleeps.
func now() time.Time { return time.Now().Round(0) }

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
