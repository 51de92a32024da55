package runner

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Runners are known by names of their own, so that trials asked for by hand are left alone.
const runnerPrefix = "run-"

func isRunner(name string) bool { return strings.HasPrefix(name, runnerPrefix) }

// silence is how long a runner whose lock cannot be seen must have said nothing before it is taken for dead.
const silence = time.Minute

// hasDied reports whether the runner of an open trial is no more.
func (r *run) hasDied(ctx context.Context, t study.Trial) bool {
	if t.Runner == r.id || !isRunner(t.Runner) {
		return false
	}
	free, known := lockIsFree(r.Dir, t.Runner)
	if known {
		return free
	}
	return time.Since(r.lastSeen(ctx, t)) > silence
}

// lastSeen is when an open trial was last known to be alive.
func (r *run) lastSeen(ctx context.Context, t study.Trial) time.Time {
	seen := t.Started
	if seen.IsZero() {
		seen = t.Asked
	}
	if touched, err := r.Broker.Touched(ctx); err == nil && touched[t.Number].After(seen) {
		seen = touched[t.Number]
	}
	return seen
}

// reap ends the running trials of runners that died.
func (r *run) reap(ctx context.Context) error {
	record, err := r.Broker.Record(ctx)
	if err != nil {
		return err
	}
	for _, t := range record.Open() {
		if t.State == study.Running && r.hasDied(ctx, t) {
			if err := r.recover(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// recover ends one trial whose runner died.
func (r *run) recover(ctx context.Context, t study.Trial) error {
	dir := r.dirOf(t.Number)
	if _, err := local.Sweep(dir); err != nil {
		return err
	}
	f, text := r.remains(ctx, t)
	err := r.Broker.Finish(ctx, t.Number, f)
	if record, e := r.Broker.Record(ctx); err != nil && e == nil && !record.Trials[t.Number-1].State.Open() {
		return nil // another runner was faster
	}
	if err != nil {
		return fmt.Errorf("trial %d, whose runner died, cannot be ended: %w", t.Number, err)
	}
	r.tell(Recovered, &t, text)
	return nil
}

// remains is what is left of a trial whose runner died.
func (r *run) remains(ctx context.Context, t study.Trial) (f study.Finished, text string) {
	dir := r.dirOf(t.Number)
	if f, ok := kept(dir, t.Number, t.Runner); ok {
		return f, "its runner died before it could tell what had come of it"
	}
	// It was alive until it was last seen, and perhaps until just before it would have been seen again.
	until := r.lastSeen(ctx, t).Add(beat)
	if now := time.Now(); until.After(now) {
		until = now
	}
	alive := max(until.Sub(t.Started), 0)
	f = study.Finished{State: study.Abandoned, Wall: alive.Seconds(), Note: "its runner died"}
	text = "its runner died"
	out, found := local.Recover(local.Command{Dir: dir, Objective: r.study.Objective.Name, WallTime: r.study.Measured()})
	if found {
		text = "its runner died, but what it had reported was there"
		f.State, f.Value, f.Note = out.State, out.Value, strings.TrimPrefix(out.Note+"; "+text, "; ")
	}
	if f.Charged = out.Cost; !found || !out.HasCost {
		f.Charged, f.Note = r.estimate(t, alive, f.Note)
	}
	return f, text
}

// noOldTrials refuses a folder with trials of a study that has none: whoever deleted the store would pay for all of them again.
func noOldTrials(dir string) error {
	old, err := filepath.Glob(filepath.Join(dir, "[0-9][0-9][0-9][0-9][0-9]"))
	if err != nil || len(old) == 0 {
		return err
	}
	return fault.New(fault.Conflict, "if the store was deleted or is another one, put it back; to begin anew move that folder away, or give another with --trials",
		"%s holds %d trials, but the store knows of none", dir, len(old))
}

// errNoFolder says that the trials' folder cannot be used.
func errNoFolder(dir string, err error) error {
	return fault.New(fault.CannotRun, "give another with --trials, or make it writable", "the folder of the trials, %s, cannot be used: %w", dir, err)
}
