package runner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// task is a trial that is evaluated here.
type task struct {
	Task
	entry *entry
	slot  *engine.Slot // nil: the engine has none
	job   engine.Job
	ended chan engine.Status // gets one
	stop  chan error         // gets the source's order to stop it

	// Only the goroutine that polls uses these.
	wrong   string // what is wrong with its job while it runs, as was said
	failing bool   // it was said, and is not over

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
			r.tell(Started, &t.Trial, "") // while it still counts as being prepared: the news of a stop waits for that
		}
		r.mu.Lock()
		if r.preparing--; !prepared {
			r.change()
		}
		r.mu.Unlock()
		if !prepared {
			return
		}
	} else if !r.Once { // otherwise it was begun in an earlier step
		r.tell(Started, &t.Trial, "")
	}
	var (
		o       *outcome
		problem error
		steps   *follower
	)
	if !t.isOut {
		problem = r.insist(ctx, func() error { return r.Engine.Submit(ctx, t.job) })
	}
	switch {
	case problem != nil: // nothing ran, which says nothing of the setting
		o = neverBegan(problem.Error())
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
	t.entry.Outcome = o
	if err := t.entry.write(); err != nil {
		r.tell(Trouble, &t.Trial, err.Error()+"; the outcome is lost if this process dies before it is recorded")
	}
	if steps != nil {
		steps.finish(ctx, o.Finished)
	}
	trial, told := r.settle(ctx, t.entry)
	if told && o.State == study.Done && trial.State == study.Failed { // an objective was missing
		o.State, o.Note = study.Failed, trial.Note
	}
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

// prepare does what comes before a trial runs, in the order that recovery depends on. Once the journal says that the trial runs, only what
// this trial leaves may be found in its folder. Nothing runs that the source does not know of.
func (r *run) prepare(ctx context.Context, t *task) bool {
	aside, err := r.Engine.Claim(r.bareJob(t.entry))
	if aside != "" {
		r.tell(Trouble, nil, fmt.Sprintf("the folder of trial %d held another trial of that number, which the study's log does not have; that is kept in %s", t.Number, aside))
	}
	if err == nil {
		t.job, err = r.jobOf(ctx, t)
	}
	if err == nil {
		err = r.insist(ctx, func() error { return r.Engine.Probe(ctx, t.job) })
	}
	if err == nil && (isClosed(r.Stop) || r.isEnding()) { // while it was prepared
		r.giveBack(ctx, t, "the run was stopped before it began")
		return false
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
	if err := r.insist(ctx, func() error { return r.Source.Begin(ctx, t.entry.ref(), t.By, t.Place) }); err != nil {
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
	t.entry.Outcome = neverBegan(why)
	_ = t.entry.write()
	r.settle(ctx, t.entry)
}

// outcomeOf is the outcome of a trial whose job has ended. One that was cut because the run was stopped, or because it is somebody
// else's, is abandoned: that says nothing of its setting.
func (r *run) outcomeOf(ctx context.Context, t *task, end study.Finished, why error) *outcome {
	o := &outcome{Finished: r.shown.Load().Kept(end)}
	o.Lost = o.Lost || t.entry.Lost
	if o.State == study.Done && errors.Is(why, ErrEarly) && r.Engine.Detached() {
		o.State, o.Value = study.Cut, 0 // nobody saw whether it had come to its end before
	}
	switch {
	case o.State == study.Cut && ctx.Err() != nil:
		o.State, o.Stopped, o.Note = study.Abandoned, true, "the run was stopped"
	case o.State == study.Cut && (errors.Is(why, ErrStopped) || errors.Is(why, ErrEarly)):
		o.onRequest = true
	case o.State == study.Cut && errors.Is(why, ErrTaken):
		o.State, o.Stopped = study.Abandoned, true
	}
	switch s, now := r.shown.Load(), r.asItStands(ctx, t, o); {
	case o.onRequest || s.Cost.Accounted():
	case hung(s, now, o.Finished):
		o.Note = tooLong(s, now, o.Wall) + "\n" + o.Note
	case outOfMoney(s, now, o.Finished):
		o.Note = "the budget had no more for it\n" + o.Note
	}
	r.charge(ctx, o, t.job)
	return o
}

// asItStands is a trial that was cut, with the steps that the source knows of.
func (r *run) asItStands(ctx context.Context, t *task, o *outcome) study.Trial {
	if o.State == study.Cut && t.job.Fidelity > 0 {
		if record, err := r.Source.Record(ctx); err == nil {
			if now, err := record.Trial(t.Number); err == nil {
				return now
			}
		}
	}
	return t.Trial
}

// hung reports whether a trial was cut because it took longer than was credible, and not at another limit.
func hung(s *study.Study, t study.Trial, o study.Finished) bool {
	t.Wall, t.Charged = o.Wall, 0
	return o.State == study.Cut && s.Budget.Timeout <= 0 && s.ReachedLimit(t)
}

// tooLong says that a trial took longer than was credible. Whether it hung or was slow nobody knows.
func tooLong(s *study.Study, t study.Trial, wall float64) string {
	note, most := "it was stopped after "+say.Duration(wall), say.Duration(t.Credible)
	if e := t.Forecast(); s.Measured() && e != nil && e.CostMedian > 0 {
		note += ", " + say.Number(math.Round(wall/e.CostMedian)) + " times as long as forecast"
	}
	if len(t.Steps) > 0 {
		most += " from one step to the next"
	}
	return note + ": its forecast makes no more than " + most + " credible (budget.limit)"
}

// outOfMoney reports whether a trial was cut because the budget came to its end, and not at a limit of its own.
func outOfMoney(s *study.Study, t study.Trial, o study.Finished) bool {
	t.Wall, t.Charged = o.Wall, o.Wall
	return o.State == study.Cut && s.Measured() && !s.ReachedLimit(t)
}

// charge asks the engine what a job has cost. Accounts that are late are waited for, but not for long once the run is cut.
func (r *run) charge(ctx context.Context, o *outcome, j engine.Job) {
	o.Cost = nil // what the engine says now is what counts
	ctx, cancel := lasting(ctx)
	defer cancel()
	var cost engine.Cost
	err := r.insist(ctx, func() (err error) {
		cost, err = r.Engine.Cost(ctx, j)
		return err
	})
	elsewhere := r.shown.Load().Cost.Accounted() && !r.Engine.Detached() // a worker in a job knows nothing of accounts
	if err != nil || !cost.Known || elsewhere {
		return // the source estimates it
	}
	o.Cost, o.Late = &cost.Amount, cost.Late || cost.Fresh
	o.Estimated = o.Estimated || cost.Late || cost.Guess
}

// jobOf returns a trial's job with its limits.
func (r *run) jobOf(ctx context.Context, t *task) (engine.Job, error) {
	t.entry.Fidelity = r.pinned.FidelityOf(t.Setting)
	j := r.bareJob(t.entry)
	j.Setting, j.Limit = t.Setting, t.Limit
	if r.Runner != "" { // a call needs no more
		return j, nil
	}
	places := map[string]string{
		"trial": strconv.Itoa(t.Number), "dir": j.Dir,
		"params": filepath.Join(j.Dir, engine.ParamsFile), "result": filepath.Join(j.Dir, engine.ResultFile),
	}
	if apart, ok := r.Engine.(engine.Apart); ok {
		places["dir"], places["params"], places["result"] = apart.Places()
	}
	argv, err := r.pinned.Argv(t.Setting, places)
	env, noEnv := r.pinned.Environ(t.Setting, places)
	more, noMore := r.slotEnviron(t.slot, t, places)
	options, noOptions := r.pinned.EngineOptions(t.Setting, places)
	if err := cmp.Or(err, noEnv, noMore, noOptions); err != nil {
		return engine.Job{}, err
	}
	env = append(env, more...) // which win
	j.Lines = r.pinned.Protocol == study.ProtocolLines
	if r.pinned.Fidelity != nil && r.pinned.Fidelity.Resume {
		folder, err := r.checkpoint(ctx, t)
		if err != nil {
			return engine.Job{}, err
		}
		if j.Lines {
			j.Checkpoint = folder
		} else {
			env = append(env, engine.CheckpointVariable+"="+folder)
		}
	}
	j.Argv, j.WorkDir, j.Slot = argv, r.pinned.Workdir, t.slot
	j.Env, j.Vars, j.Options, j.Rate = engine.Environ(), env, options, r.pinned.Rate(t.Setting)
	if t.Limit > 0 && (r.pinned.Measured() || t.Credible > 0 && j.Fidelity > 0) { // a step gives it more time, whatever its cost
		j.Extend = r.extend(t)
	}
	if t.Limit > 0 && t.Lease > 0 {
		// A server grants more only when a third of a lease is left at most; asking to stop must come after that.
		j.Grace = min(2*time.Second, t.Limit/10, t.Lease/12)
	}
	return j, nil
}

// bareJob is what an engine needs to find a job again.
func (r *run) bareJob(e *entry) engine.Job {
	s := r.shown.Load()
	id := e.ID
	if e.elsewhere {
		id = "" // as of an older version, which notes no starts
	}
	return engine.Job{Trial: e.Trial, ID: id, Study: s.Name, Dir: e.dir(), Objective: s.Objective.Name, Quantities: s.AsksFor(), Several: s.Several(), Setup: len(s.Changeover) > 0, Fidelity: e.Fidelity, WallTime: s.Cost.Source != study.Reported, Changed: r.wakeUp}
}

// extend returns how a trial gets more time: it is asked for until there is more, and for the last time when the command would be stopped. There
// may be more only when another trial has ended.
func (r *run) extend(t *task) func(context.Context, time.Duration, <-chan struct{}) (time.Duration, bool) {
	task, now := t.Task, t.Limit // as it was handed out: others note on it when it was heard of
	return func(ctx context.Context, used time.Duration, due <-chan struct{}) (time.Duration, bool) {
		for last := false; ctx.Err() == nil; {
			if !last && isClosed(due) { // what is answered from now on counts
				last, due = true, nil
			}
			limit, err := r.Source.Extend(ctx, task, used)
			switch {
			case err == nil && (limit > now || limit == 0):
				if now = limit; now == 0 {
					now = longest
				}
				if r.pinned.Measured() {
					r.tell(Extended, &t.Trial, "")
				}
				return now, true
			case err != nil && !passes(err), err == nil && last:
				return 0, false // a beat finds out why
			}
			wait(ctx, due, min(250*time.Millisecond, max(now/50, 5*time.Millisecond)))
		}
		return 0, false
	}
}

// longest is the longest time that is a limit.
const longest = time.Duration(1e9) * time.Second

// Duration is a limit of this many seconds, within what can be one: 0 means no limit, so none is that short.
func Duration(seconds float64) time.Duration {
	if math.IsInf(seconds, 1) {
		return 0
	}
	return max(time.Duration(math.Min(seconds, 1e9)*float64(time.Second)), time.Microsecond)
}

// LimitOf is how long a trial may run.
func LimitOf(s *study.Study, t study.Trial) time.Duration { return Duration(s.Limit(t)) }

// ErrChanged says that a study has another command than the one that was shown when the run began.
var ErrChanged error = fault.New(fault.CannotRun, "look at the new command, and start again if it may run here", "the study's command has changed while this ran")

// pin returns the study whose command is run: the source's as it is now, or the one that was given. Nothing that the source says
// later changes it.
func (c *Config) pin(given *study.Study) (*study.Study, error) {
	s := *given
	if c.Runner != "" {
		return &s, nil
	}
	if c.Own != nil {
		s = *c.Own
		const hint = "use the file that the study was created from; only its command, env and workdir may differ"
		switch {
		case s.Objective != given.Objective:
			return nil, fault.New(fault.BadStudy, hint, "the objective (name or goal) in the study file differs from the study on the server")
		case !reflect.DeepEqual(s.Objectives, given.Objectives):
			return nil, fault.New(fault.BadStudy, hint, "the objectives (names, goals or worst) in the study file differ from the study on the server")
		case !s.Cost.Equal(given.Cost):
			return nil, fault.New(fault.BadStudy, hint, "the cost (unit or source) in the study file differs from the study on the server")
		case !sameParameters(&s, given):
			return nil, fault.New(fault.BadStudy, hint, "the parameters in the study file differ from the study on the server")
		}
	}
	if len(s.Command) == 0 {
		return nil, fault.Errorf("add a command to the study file; or ask for trials and tell their results: eke ask, eke tell",
			"study %s %w", s.Name, ErrNoCommand)
	}
	if c.WorkDir != "" {
		s.Workdir = c.WorkDir
	}
	if _, apart := c.Engine.(engine.Apart); apart { // it is a folder of the image
		return &s, nil
	}
	dir, err := filepath.Abs(s.Workdir)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &os.PathError{Op: "stat", Path: dir, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return nil, fault.New(fault.CannotRun, "make it, or give another: workdir in the study file, or eke worker --workdir DIR", "the study's working directory cannot be used on this machine: %w", err)
	}
	s.Workdir = dir
	return &s, nil
}

// mayGoOn looks whether the study still has the command that was shown. What runs is the one that was shown, in any case; but a
// study whose command has changed wants other results than this one's.
func (r *run) mayGoOn(now *study.Study) error {
	shown := r.shown.Load()
	for _, part := range [][3]any{{"command", shown.Command, now.Command}, {"env", shown.Env, now.Env}, {"workdir", shown.Workdir, now.Workdir},
		{"protocol", shown.Protocol, now.Protocol}, {"slots", shown.Slots, now.Slots}, {"gpus", shown.GPUs, now.GPUs}} {
		if was, is := fmt.Sprintf("%q", part[1]), fmt.Sprintf("%q", part[2]); r.Own == nil && was != is {
			return fault.New(fault.CannotRun, "", "%w: its %s was %s, and is %s", ErrChanged, part[0], was, is)
		}
	}
	return nil
}

// sameParameters compares what a study file says with what came over the network, in the latter's form.
func sameParameters(a, b *study.Study) bool {
	one, err1 := json.Marshal(study.Study{Parameters: a.Parameters, Fidelity: a.Fidelity})
	other, err2 := json.Marshal(study.Study{Parameters: b.Parameters, Fidelity: b.Fidelity})
	return err1 == nil && err2 == nil && bytes.Equal(one, other)
}

// checkpoint makes the folder of a trial's checkpoint. It notes whether there is none to go on from although there should be: it was
// deleted, or is on another machine. The folder's name has the ID of the trial that began it, so that no other study's is found.
func (r *run) checkpoint(ctx context.Context, t *task) (string, error) {
	root := cmp.Or(r.shop.trials, r.shop.dir) // which all workspaces here share
	first := t.Trial
	if t.Checkpoint > 0 {
		record, err := r.Source.Record(ctx)
		if err != nil {
			return "", err
		}
		if first, err = record.Trial(t.Checkpoint); err != nil {
			return "", err
		}
	}
	folder := filepath.Join(root, "checkpoints", strings.TrimSuffix(fmt.Sprintf("%05d-%.8s", t.FolderOf(), first.ID), "-"))
	holds, err := r.Engine.Checkpoint(folder)
	if err != nil {
		return "", fault.New(fault.CannotRun, "make it writable", "the checkpoint's folder cannot be made: %w", err)
	}
	t.entry.Lost = t.Resumes > 0 && !holds
	return folder, nil
}
