package runner

import (
	"context"
	"errors"
	"time"

	"github.com/eke-bo/eke/internal/fault"
)

// heartbeat tells the source that the running trials are alive, and passes its orders on.
//
// A source that cannot be reached stops nothing: within its limits a trial goes on, and a lease that is lost meanwhile does not
// make its result worth less.
func (r *run) heartbeat(ctx context.Context) {
	for late, failing := false, false; ctx.Err() == nil; {
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
			r.over(&failing, nil)
		case passes(err), fault.CodeOf(err) == fault.Internal:
			r.trouble(&failing, err)
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
			select {
			case t.stop <- why[told.Number]:
			default: // it is being stopped already
			}
		}
	}
}

// now is the time without the monotonic clock, which stands still while a machine sleeps.
func now() time.Time { return time.Now().Round(0) }

// alive lists the tasks that the source is to hear of.
func (r *run) alive() (list []Task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.running {
		if !t.isOver && !t.isGivenUp {
			task := t.Task
			task.Queued = t.queued
			list = append(list, task)
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
		own := beat
		if t.Lease > 0 {
			own = max(t.Lease/3, 20*time.Millisecond)
		}
		if every == 0 || own < every {
			every = own
		}
	}
	return r.begun, every
}
