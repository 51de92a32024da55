package runner

import (
	"context"
	"errors"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// task is a trial that is evaluated here.
type task struct {
	Task
	entry *entry
	job   engine.Job
	ended chan engine.Status // gets one
	stop  chan error         // gets the source's order to stop it

	// Guarded by the run's mutex, like Heard.
	queued    string // why it waits in the engine's queue, as the source was told
	isOut     bool   // the engine has its job: it may be polled
	isOver    bool   // its job has ended
	isGivenUp bool   // the source wants to hear no more of it
}

func newTask(t Task, e *entry) *task {
	e.Trial, e.ID, e.Lease = t.Number, t.ID, t.Lease
	return &task{Task: t, entry: e, queued: t.Queued, ended: make(chan engine.Status, 1), stop: make(chan error, 1)}
}

// evaluate evaluates one trial. Its outcome is in the journal before the source is told, and the source knows when evaluate returns,
// unless the run is to end and the source does not answer.
func (r *run) evaluate(ctx context.Context, t *task) {
	if !t.isOut {
		prepared := r.prepare(ctx, t)
		if prepared {
			r.enlist(t)
		}
		r.mu.Lock()
		if r.preparing--; !prepared {
			r.change()
		}
		r.mu.Unlock()
		if !prepared {
			return
		}
	}
	if !t.isOut || !r.Once { // otherwise it was begun in an earlier step
		r.tell(Started, &t.Trial, "")
	}
	var (
		o       Outcome
		problem error
		steps   *follower
	)
	if !t.isOut {
		problem = r.insist(ctx, func() error { return r.Engine.Submit(ctx, t.job) })
	}
	switch {
	case problem != nil: // nothing ran, which says nothing of the setting
		o = Outcome{State: study.Abandoned, Stopped: true, Cost: new(float64), Note: problem.Error()}
		if ctx.Err() != nil {
			o.Note, problem = "the run was stopped before it began", nil
		}
	default:
		r.mu.Lock()
		t.isOut = true
		r.mu.Unlock()
		r.wakeUp() // it may have ended meanwhile
		shipped := r.ship(ctx, t)
		var ended bool
		steps = r.newFollower(t)
		o, ended = r.watch(ctx, t, steps)
		defer shipped() // when the source knows the outcome, which matters more
		if !ended {
			r.park()
			return
		}
	}
	t.entry.Outcome = &o
	if err := t.entry.write(); err != nil {
		r.tell(Trouble, &t.Trial, err.Error()+"; the outcome is lost if this process dies before it is recorded")
	}
	if steps != nil {
		steps.finish(ctx, o)
	}
	trial, told := r.settle(ctx, t.entry)
	r.leave(ctx, t.Number, o)
	if told {
		r.tell(Ended, &trial, "")
	}
	if problem != nil {
		r.fail(problem)
	}
}

// park leaves a trial to whoever runs next. The journal says that it was begun, and the engine goes on with it.
func (r *run) park() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parked++
}

func (r *run) enlist(t *task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running[t.Number] = t
	close(r.begun)
	r.begun = make(chan struct{})
}

// prepare does what comes before a trial runs, in the order that recovery depends on: only what this trial leaves may be found in
// its folder once the journal says that it runs, and nothing runs that the source does not know of.
func (r *run) prepare(ctx context.Context, t *task) bool {
	var err error
	if err = r.claim(t); err == nil {
		t.job, err = r.jobOf(ctx, t)
	}
	if err == nil {
		err = r.insist(ctx, func() error { return r.Engine.Probe(ctx, t.job) })
	}
	if err == nil {
		t.entry.Began = time.Now()
		err = r.insist(ctx, t.entry.write)
	}
	if err != nil {
		r.giveBack(ctx, t, err.Error())
		if ctx.Err() == nil {
			r.fail(err) // nothing has begun: a pending trial is run when this is fixed
		}
		return false
	}
	if t.State != study.Pending {
		return true
	}
	if err := r.insist(ctx, func() error { return r.Source.Begin(ctx, t.entry.ref(), t.By) }); err != nil {
		t.entry.done()
		if fault.CodeOf(err) != fault.Conflict && ctx.Err() == nil { // in a conflict another was faster to begin it
			r.fail(err)
		}
		return false
	}
	return true
}

// giveBack ends a trial that is not begun. One that is pending is left to whoever comes next.
func (r *run) giveBack(ctx context.Context, t *task, why string) {
	if t.State == study.Pending {
		t.entry.done()
		return
	}
	t.entry.Outcome = &Outcome{State: study.Abandoned, Stopped: true, Cost: new(float64), Note: why}
	_ = t.entry.write()
	r.settle(ctx, t.entry)
}

// outcomeOf is the outcome of a trial whose job has ended. One that was cut because the run was stopped, or because it is somebody
// else's, is abandoned: that says nothing of its setting.
func (r *run) outcomeOf(ctx context.Context, t *task, out engine.Outcome, why error) Outcome {
	o := Outcome{State: out.State, Value: out.Value, Wall: out.Wall.Seconds(), Note: out.Note, Exit: out.Exit, Estimated: out.Estimated, Lost: out.Lost || t.entry.Lost}
	if out.State == study.Done && errors.Is(why, ErrEarly) && r.Engine.Detached() {
		out.State, o.State, o.Value = study.Cut, study.Cut, 0 // nobody saw whether it had come to its end before
	}
	switch {
	case out.State == study.Cut && ctx.Err() != nil:
		o.State, o.Stopped, o.Note = study.Abandoned, true, "the run was stopped"
	case out.State == study.Cut && (errors.Is(why, ErrStopped) || errors.Is(why, ErrEarly)):
		o.onRequest = true
	case out.State == study.Cut && errors.Is(why, ErrTaken):
		o.State, o.Stopped = study.Abandoned, true
	}
	if !o.onRequest && r.shown.Load().Cost.Source != study.FromSlurm && hung(r.shown.Load(), t.Trial, o) {
		o.Note = "it hangs: it took longer than its forecast makes credible (budget.limit)\n" + o.Note
	}
	r.charge(ctx, &o, t.job)
	return o
}

// hung reports whether a trial was cut because it took longer than was credible, and not at another limit.
func hung(s *study.Study, t study.Trial, o Outcome) bool {
	limited := *s
	limited.Budget.PerTrial, limited.Budget.Timeout = 0, 0
	t.Wall, t.Charged = o.Wall, 0
	timeout := s.Budget.Timeout.Seconds()
	return o.State == study.Cut && limited.ReachedLimit(t) && (timeout <= 0 || t.Credible < timeout)
}

// charge asks the engine what a job has cost. Accounts that are late are waited for, but not for long once the run is cut.
func (r *run) charge(ctx context.Context, o *Outcome, j engine.Job) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	var cost engine.Cost
	err := r.insist(ctx, func() (err error) {
		cost, err = r.Engine.Cost(ctx, j)
		return err
	})
	elsewhere := r.shown.Load().Cost.Source == study.FromSlurm && !r.Engine.Detached() // a worker in a job knows nothing of accounts
	if err != nil || !cost.Known || elsewhere {
		return // the source estimates it
	}
	o.Cost, o.Late = &cost.Amount, cost.Late || cost.Fresh
	o.Estimated = o.Estimated || cost.Late || cost.Guess
}
