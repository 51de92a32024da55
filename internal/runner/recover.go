package runner

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

// silence is how long a runner whose lock cannot be seen must have said nothing before it is taken for dead.
const silence = time.Minute

// recover takes up what runners that died have left. At the start of a run that includes whoever worked in the workspace that is now
// this run's own.
func (r *run) recover(ctx context.Context, starting bool) error {
	free, err := r.shop.takeFree()
	if err != nil {
		return err
	}
	defer func() { // those in which nothing is left to do
		for _, w := range free {
			if !r.holds(w) {
				w.release()
			}
		}
	}()
	if starting && r.shop != nil {
		if len(free) == 0 {
			made, err := r.shop.open()
			if err != nil {
				return err
			}
			free = append(free, made)
		}
		r.workspace = free[0]
		r.hold(r.workspace)
	}
	former, err := r.shop.takeFormer()
	if free = append(free, former...); err != nil {
		return err
	}
	r.reconcile(ctx, free)
	var found []*entry
	for _, w := range free {
		list, err := w.entries()
		if err != nil {
			return err
		}
		for _, e := range list {
			if e.Trial == 0 {
				r.hold(w)
				r.mu.Lock()
				r.backlog = append(r.backlog, e)
				r.mu.Unlock()
				continue
			}
			found = append(found, e)
		}
	}
	if err := r.conclude(ctx, found); err != nil {
		return err
	}
	strays, err := r.strays(ctx, free)
	if err != nil {
		return err
	}
	return r.conclude(ctx, strays)
}

// hold keeps a workspace's lock until the run ends. It comes before a slot can find the work that is left there: whoever could take
// the lock would kill what the slot has begun.
func (r *run) hold(w *workspace) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[w] = true
}

func (r *run) holds(w *workspace) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held[w]
}

// strays returns entries for the running trials of dead runners that are in no journal here: of older versions, or of runners in
// other folders. Those that never began are noted, to be run.
func (r *run) strays(ctx context.Context, free []*workspace) (found []*entry, err error) {
	open, err := r.Source.Strays(ctx)
	if err != nil {
		return nil, err
	}
	var left []study.Trial
	for _, t := range open {
		switch {
		case r.isMine(t.Number) || !r.isDead(t, free):
		case t.State == study.Pending:
			left = append(left, t.Trial)
		default:
			e := &entry{Key: rand.Text(), Trial: t.Number, ID: t.ID, Began: t.Started, in: r.workspace, seen: t.Seen}
			files := r.Engine.Files(r.bareJob(e))
			owner, err := engine.Owner(files)
			e.elsewhere = err != nil || owner != t.ID
			e.Outcome = readOldOutcome(files, t.Number, t.Runner)
			found = append(found, e)
		}
	}
	r.mu.Lock()
	r.left = left
	r.mu.Unlock()
	return found, nil
}

// isMine says whether a trial is evaluated by this run.
func (r *run) isMine(trial int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running[trial] != nil
}

// isDead reports whether the runner of an open trial is no more.
func (r *run) isDead(t study.Stray, free []*workspace) bool {
	for _, w := range free {
		if w.Runner == t.Runner {
			return true
		}
	}
	if t.Runner == r.workspace.Runner {
		return false
	}
	if free, known := r.shop.isFree(t.Runner); known {
		return free
	}
	return time.Since(t.Seen) > silence
}

// conclude settles trials of dead runners. Those whose job still runs are adopted.
func (r *run) conclude(ctx context.Context, found []*entry) error {
	var open []*entry
	var jobs []engine.Job
	for _, e := range found {
		if e.Outcome == nil {
			open, jobs = append(open, e), append(jobs, r.bareJob(e))
		}
	}
	if len(jobs) > 0 {
		var list []engine.Status
		if err := r.insist(ctx, func() (err error) {
			list, err = r.Engine.Poll(ctx, jobs)
			return err
		}); err != nil {
			return err
		}
		for i, s := range list {
			if s.Phase == engine.Ended {
				open[i].Outcome = r.remains(ctx, open[i], jobs[i], s)
				continue
			}
			r.adopt(ctx, open[i], jobs[i])
		}
	}
	for _, e := range found {
		if e.Outcome == nil {
			continue
		}
		if err := errors.Join(ctx.Err(), e.write()); err != nil {
			return err
		}
		r.recoverSteps(ctx, e)
		if t, told := r.settle(ctx, e); told {
			r.mu.Lock()
			r.ended++
			r.mu.Unlock()
			if r.Engine.Detached() {
				r.tell(Ended, &t, "")
			} else {
				r.tell(Recovered, &t, "its runner died")
			}
		}
		if r.isEnding() {
			return r.err
		}
	}
	return nil
}

// recoverSteps tells the source the values that a trial of a dead runner had on its way, as far as it does not know them.
func (r *run) recoverSteps(ctx context.Context, e *entry) {
	t, known := r.trialOf(ctx, e)
	if !known || e.Fidelity <= 0 {
		return
	}
	f := follower{run: r, task: Task{Trial: t, By: e.in.Runner}, trial: t, job: r.bareJob(e)}
	f.finish(ctx, e.Outcome.Finished)
}

// trialOf returns the trial of an entry as the source knows it.
func (r *run) trialOf(ctx context.Context, e *entry) (t study.Trial, known bool) {
	record, err := r.Source.Record(ctx)
	if err != nil || e.Trial > len(record.Trials) {
		return t, false
	}
	t = record.Trials[e.Trial-1]
	return t, e.ID == "" || t.ID == "" || t.ID == e.ID
}

// remains is the outcome of a trial whose runner died.
func (r *run) remains(ctx context.Context, e *entry, j engine.Job, s engine.Status) *outcome {
	o := &outcome{Finished: r.shown.Load().Kept(s.Outcome)}
	o.Lost = o.Lost || e.Lost
	r.charge(ctx, o, j)
	switch {
	case s.NeverBegan: // which says nothing of the setting
		o.Cost, o.Stopped, o.Estimated = new(float64), true, false
	case o.Wall == 0:
		o.Wall = e.alive(s.Began).Seconds()
	}
	if r.Engine.Detached() { // the job did not
		return o
	}
	died := "its runner died"
	if o.State != study.Abandoned {
		died += ", but had left a report"
	}
	o.Note = strings.TrimPrefix(o.Note+"; "+died, "; ")
	return o
}

// adopt has a job watched that outlived its runner: the source hears of it at once, and the next free slot waits for its end.
func (r *run) adopt(ctx context.Context, e *entry, j engine.Job) {
	trial, known := r.trialOf(ctx, e)
	if !known {
		trial = study.Trial{Number: e.Trial, State: study.Running, Started: e.Began}
	}
	trial.ID = e.ID
	t := newTask(Task{Trial: trial, By: e.in.Runner, Lease: e.Lease}, e)
	t.job, t.isOut = j, true
	r.hold(e.in)
	r.enlist(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.adopted = append(r.adopted, t)
	r.change()
}

// What versions before this one have left on disk. Their workers' folders are workspaces by other names. Their runs had a lock for a
// workspace, a file named after the runner, and kept a trial's outcome in the trial's folder.
const (
	oldPrefix   = "seat-"
	oldCardFile = "seat.json"
	oldOutcome  = "outcome.json"
)

func readEither(name, old string) ([]byte, error) {
	raw, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return os.ReadFile(old)
	}
	return raw, err
}

// readOldOutcome returns the outcome of a trial that an older version's runner left in the trial's folder; nil if there is none. A
// folder may be left from another time, so it has to be that runner's.
func readOldOutcome(files fs.FS, trial int, runner string) *outcome {
	raw, err := fs.ReadFile(files, oldOutcome)
	if err != nil {
		return nil
	}
	var old struct {
		Trial    int            `json:"trial"`
		Runner   string         `json:"runner"`
		Finished study.Finished `json:"finished"`
	}
	if err := json.Unmarshal(raw, &old); err != nil || old.Trial != trial || old.Runner != runner || !old.Finished.State.Ended() {
		return nil
	}
	old.Finished.Cost = &old.Finished.Charged
	return &outcome{Finished: old.Finished}
}
