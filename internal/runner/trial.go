package runner

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/study"
)

// try runs one trial. Whatever happens to it is on record when try returns, or the run fails and the trial's
// folder has it.
func (r *run) try(ctx context.Context, t study.Trial) {
	c, err := r.command(t)
	if err != nil {
		r.fail(err)
		return
	}
	forget(c.Dir)
	prepared, err := local.Prepare(c)
	if err != nil {
		if t.State == study.Running { // taken over: it is not to be left running
			_ = r.finish(ctx, t.Number, study.Finished{State: study.Abandoned, Stopped: true, Note: err.Error()})
		}
		r.fail(err) // nothing has begun: the trial stays pending, or is tried again, when this is mended
		return
	}
	if t.State == study.Pending {
		if err := r.Broker.Start(ctx, t.Number, r.id); err != nil {
			if ctx.Err() == nil && !r.takenByOther(ctx, t) {
				r.fail(err)
			}
			return
		}
	}
	r.begin(t)
	out, err := prepared.Run(ctx)
	f, problem := r.finished(ctx, t, out, err)
	unkept := keep(c.Dir, t.Number, r.id, f)
	err = r.finish(ctx, t.Number, f)
	r.leave(t.Number, f)
	switch {
	case err != nil && r.endedByOther(ctx, t):
		r.tell(Trouble, &t, fmt.Sprintf("trial %d was ended by somebody else while it ran; what came of it here is in %s", t.Number, c.Dir))
		return
	case err != nil && unkept != nil:
		r.fail(fmt.Errorf("trial %d ended as %s with value %v at cost %v, which could be recorded neither in the store nor in %s (%v): "+
			"write it down, and tell it when there is room again (eke tell %d): %w", t.Number, f.State, f.Value, f.Charged, c.Dir, unkept, t.Number, err))
		return
	case err != nil:
		r.fail(fmt.Errorf("what came of trial %d could not be recorded; it is kept in %s and will be when you run again: %w",
			t.Number, filepath.Join(c.Dir, journalFile), err))
		return
	}
	r.tell(Ended, &t, "")
	if problem != nil {
		r.fail(problem)
	}
	r.giveUpIfAllFail(ctx, f)
}

// endedByOther says whether the store knows of the trial's end.
func (r *run) endedByOther(ctx context.Context, t study.Trial) bool {
	record, err := r.Broker.Record(context.WithoutCancel(ctx))
	return err == nil && !record.Trials[t.Number-1].State.Open()
}

// command returns the trial's command with its limits.
func (r *run) command(t study.Trial) (local.Command, error) {
	dir := r.dirOf(t.Number)
	places := map[string]string{
		"trial": strconv.Itoa(t.Number), "dir": dir,
		"params": filepath.Join(dir, local.ParamsFile), "result": filepath.Join(dir, local.ResultFile),
	}
	argv, err := r.study.Argv(t.Setting, places)
	if err != nil {
		return local.Command{}, err
	}
	env, err := r.study.Environ(t.Setting, places)
	if err != nil {
		return local.Command{}, err
	}
	c := local.Command{
		Argv: argv, Setting: t.Setting, Trial: t.Number, Study: r.study.Name, Dir: dir, WorkDir: r.study.Workdir,
		Env: append(os.Environ(), env...), Objective: r.study.Objective.Name, WallTime: r.study.Measured(),
	}
	c.Limit = r.limit(t.Reserved)
	if r.study.Measured() {
		c.Extend = r.extend(t)
	}
	return c, nil
}

func (r *run) dirOf(trial int) string { return filepath.Join(r.Dir, fmt.Sprintf("%05d", trial)) }

// limit is how long a trial may take that has so much reserved; 0 means no limit.
func (r *run) limit(reserved float64) time.Duration {
	seconds := r.study.Limit(reserved)
	if math.IsInf(seconds, 1) {
		return 0
	}
	return max(time.Duration(math.Min(seconds, math.MaxInt64/2e9)*float64(time.Second)), time.Microsecond)
}

// extend returns how a trial gets more time.
func (r *run) extend(t study.Trial) func(context.Context, time.Duration) (time.Duration, bool) {
	now := r.limit(t.Reserved)
	return func(ctx context.Context, used time.Duration) (time.Duration, bool) {
		for ctx.Err() == nil {
			extended, err := r.Broker.Extend(ctx, t.Number, used.Seconds(), math.Inf(1))
			switch limit := r.limit(extended.Reserved); {
			case err == nil && limit > now:
				now = limit
				r.tell(Extended, &t, "")
				return limit, true
			case !isMendable(err): // a full disk, say: as long as the command may run, that may pass
				return 0, false
			}
			wait(ctx, nil, 50*time.Millisecond)
		}
		return 0, false
	}
}

// takenByOther says whether another runner was faster to start a trial that both were about to take over.
func (r *run) takenByOther(ctx context.Context, t study.Trial) bool {
	record, err := r.Broker.Record(ctx)
	return err == nil && record.Trials[t.Number-1].State != study.Pending
}

func (r *run) begin(t study.Trial) {
	r.mu.Lock()
	r.running[t.Number] = true
	r.mu.Unlock()
	r.tell(Started, &t, "")
}

// leave notes that a trial has ended.
func (r *run) leave(trial int, f study.Finished) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.running, trial)
	switch r.ended++; f.State {
	case study.Done:
		r.failures = 0
	case study.Failed, study.Cut:
		r.failures++
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// Trials that fail or are cut in a row before a run gives up: a command that never worked is a mistake in the command, and
// one that has worked may meet a bad region.
const failuresAtFirst, failuresLater = 3, 10

func (r *run) giveUpIfAllFail(ctx context.Context, f study.Finished) {
	r.mu.Lock()
	failures := r.failures
	r.mu.Unlock()
	record, err := r.Broker.Record(context.WithoutCancel(ctx))
	all := err == nil && !slices.ContainsFunc(record.Trials, func(t study.Trial) bool { return t.State == study.Done })
	if failures >= failuresLater || (all && failures >= failuresAtFirst) {
		r.end(Failing, fmt.Sprintf("%d trials in a row came to nothing, the last with: %s", failures, f.Note), nil)
	}
}

// finish tells the store, and waits where waiting may help.
func (r *run) finish(ctx context.Context, trial int, f study.Finished) error {
	record := context.WithoutCancel(ctx)
	for begin := time.Now(); ; {
		err := r.Broker.Finish(record, trial, f)
		if err == nil || !isMendable(err) || time.Since(begin) > patience || ctx.Err() != nil {
			return err
		}
		r.tell(Trouble, nil, err.Error())
		wait(ctx, nil, 2*time.Second)
	}
}
