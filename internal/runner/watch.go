package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
)

// watch waits for the end of a trial's job, and has it stopped when the run is cut or the source says so.
// A detached engine goes on when the run is cut: then the trial has not ended.
func (r *run) watch(ctx context.Context, t *task, steps *follower) (o *outcome, ended bool) {
	if r.Once {
		steps.follow(ctx)()
		r.obeyOnce(ctx, t)
		return o, false
	}
	defer steps.follow(ctx)()
	// The job is watched while it is being stopped: that may have to be tried again, and ends with the job.
	running, over := context.WithCancel(context.WithoutCancel(ctx))
	var stopping sync.WaitGroup
	defer stopping.Wait()
	defer over()
	stop := func(why error) { stopping.Go(func() { r.cancel(running, t.job, why) }) }
	cut := ctx.Done()
	var why error
	for {
		select {
		case s := <-t.ended:
			return r.outcomeOf(ctx, t, s.Outcome, why), true
		case <-cut:
			if r.Engine.Detached() {
				return o, false
			}
			cut = nil
			stop(context.Cause(ctx))
		case why = <-t.stop:
			stop(why)
		}
	}
}

// obeyOnce stops a job that somebody wants stopped, in a run that waits for nothing.
func (r *run) obeyOnce(ctx context.Context, t *task) {
	orders, err := r.Source.Alive(ctx, []Task{t.Task})
	for _, o := range orders {
		if err == nil && o.Trial == t.Number && !errors.Is(o.Why, ErrSilent) && !r.isNearlyDone(t.job, o) {
			r.cancel(ctx, t.job, o.Why)
		}
	}
}

func (r *run) cancel(ctx context.Context, j engine.Job, why error) {
	if err := r.insist(ctx, func() error { return r.Engine.Cancel(ctx, j, why) }); err != nil && ctx.Err() == nil {
		r.tell(Trouble, nil, fmt.Sprintf("trial %d cannot be stopped: %v", j.Trial, err))
	}
}

// poll asks the engine how all running jobs stand, whenever it has something to say, and at least every second, or as often as a
// paced engine allows.
func (r *run) poll(ctx context.Context) {
	turns, hasTurns := r.Engine.(engine.Paced)
	for failing := false; ctx.Err() == nil; {
		wait(ctx, r.wake, time.Second)
		if hasTurns && turns.Turn(ctx) != nil { // jobs that are submitted until then are asked for as well
			return
		}
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
			r.trouble(&failing, err)
			wait(ctx, nil, 2*time.Second)
			continue
		}
		r.over(&failing, err)
		for i, s := range list {
			r.noteRunning(tasks[i], s)
			if s.Phase == engine.Ended {
				r.mu.Lock()
				tasks[i].isOver = true
				r.mu.Unlock()
				tasks[i].ended <- s
				continue
			}
			r.noteQueue(ctx, tasks[i], s)
		}
	}
}

// noteQueue tells the source when a trial waits for its turn, and when it does not any more.
func (r *run) noteQueue(ctx context.Context, t *task, s engine.Status) {
	reason := s.Reason
	if s.Phase == engine.Running {
		reason = ""
	} else if reason == "" {
		return // nobody knows why yet
	}
	if reason == t.queued || r.Source.Queue(ctx, t.entry.ref(), reason) != nil {
		return // it is tried again at the next poll
	}
	r.mu.Lock()
	t.queued = reason // which no other goroutine changes
	r.mu.Unlock()
	r.tell(Queue, &t.Trial, reason)
}

// noteRunning says once what is wrong with a job that runs, and when nothing is any more.
func (r *run) noteRunning(t *task, s engine.Status) {
	before := t.wrong
	if t.wrong = ""; s.Phase == engine.Running {
		t.wrong = s.Reason
	}
	if t.wrong == "" {
		r.over(&t.failing, nil)
	} else if t.wrong != before {
		r.trouble(&t.failing, fmt.Errorf("trial %d: %s", t.Number, t.wrong))
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

// touch says on disk that the running trials are alive, each as often as its age asks for: young trials are seen many times a second.
func (r *run) touch(watching context.Context) {
	seen := map[*task]time.Time{}
	for watching.Err() == nil {
		r.mu.Lock()
		tasks, begun := slices.Collect(maps.Values(r.running)), r.begun
		r.mu.Unlock()
		next, last := beat, seen
		seen = make(map[*task]time.Time, len(tasks))
		for _, t := range tasks {
			every := untilSeen(time.Since(t.entry.Began))
			if seen[t] = last[t]; time.Since(seen[t]) > every/2 { // what is due soon is due now, so that most are touched together
				t.entry.touch()
				seen[t] = time.Now()
			}
			next = min(next, every-time.Since(seen[t]))
		}
		wait(watching, begun, next)
	}
}

// look takes up the trials of runners that have died. What cannot be done now is tried again.
func (r *run) look(ctx, watching context.Context) {
	for wait(watching, nil, 10*beat); watching.Err() == nil && ctx.Err() == nil; wait(watching, nil, 10*beat) {
		_ = r.recover(watching, false)
		r.reconcile(watching, []*workspace{r.workspace})
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
			r.awaitPrepared(ctx)
			r.tell(Stopping, nil, "")
		case <-ctx.Done():
			r.tell(Cutting, nil, "")
			return
		}
	}
}

// prepareGrace is how long the news of a stop waits for trials that are about to start.
const prepareGrace = time.Second

func (r *run) awaitPrepared(ctx context.Context) {
	for end := time.Now().Add(prepareGrace); ctx.Err() == nil && time.Now().Before(end); {
		r.mu.Lock()
		preparing, changed := r.preparing, r.changed
		r.mu.Unlock()
		if preparing == 0 {
			return
		}
		wait(ctx, changed, min(time.Until(end), 10*time.Millisecond))
	}
}

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
		r.untilBeat(ctx, every)
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

// lookEvery is how often a run looks whether a trial is to be stopped. A beat is written down and a look is not, so there may be many looks between two beats.
const lookEvery = 2 * time.Second

// untilBeat waits until the next beat is due: after some time or, if a running trial is to be stopped, at once. The answer to the beat says why.
func (r *run) untilBeat(ctx context.Context, every time.Duration) {
	end := time.Now().Add(every)
	for time.Until(end) > lookEvery && ctx.Err() == nil {
		wait(ctx, nil, lookEvery)
		look, cancel := context.WithDeadline(ctx, end)
		record, err := r.Source.Record(look)
		cancel()
		if err != nil {
			continue // the beat will say so
		}
		for _, t := range r.alive() {
			if now, err := record.Trial(t.Number); err == nil && now.Stopping {
				return
			}
		}
	}
	wait(ctx, nil, time.Until(end))
}

// obey passes orders on, and notes which trials the source has heard of.
func (r *run) obey(tasks []Task, orders []Order, heard bool) {
	why := map[int]error{}
	for _, o := range orders {
		r.mu.Lock()
		t := r.running[o.Trial]
		r.mu.Unlock()
		if t == nil || !r.isNearlyDone(t.job, o) {
			why[o.Trial] = o.Why
		}
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
