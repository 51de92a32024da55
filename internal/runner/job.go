package runner

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

// jobOf returns a trial's job with its limits.
func (r *run) jobOf(ctx context.Context, t *task) (engine.Job, error) {
	dir := t.entry.dir()
	places := map[string]string{
		"trial": strconv.Itoa(t.Number), "dir": dir,
		"params": filepath.Join(dir, engine.ParamsFile), "result": filepath.Join(dir, engine.ResultFile),
	}
	argv, err := r.pinned.Argv(t.Setting, places)
	if err != nil {
		return engine.Job{}, err
	}
	env, err := r.pinned.Environ(t.Setting, places)
	if err != nil {
		return engine.Job{}, err
	}
	options, err := r.pinned.EngineOptions(t.Setting, places)
	if err != nil {
		return engine.Job{}, err
	}
	if t.entry.Fidelity = r.pinned.FidelityOf(t.Setting); r.pinned.Fidelity != nil && r.pinned.Fidelity.Resume {
		folder, err := r.checkpoint(ctx, t)
		if err != nil {
			return engine.Job{}, err
		}
		env = append(env, CheckpointVariable+"="+folder)
	}
	j := r.bareJob(t.entry)
	j.Argv, j.Setting, j.WorkDir, j.Limit = argv, t.Setting, r.pinned.Workdir, t.Limit
	j.Env, j.Vars, j.Options, j.Rate = environ(), env, options, r.pinned.Rate(t.Setting)
	if t.Limit > 0 && r.pinned.Measured() {
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
	return engine.Job{Trial: e.Trial, ID: id, Study: s.Name, Dir: e.dir(), Objective: s.Objective.Name, Fidelity: e.Fidelity, WallTime: s.Cost.Source != study.Reported, Changed: r.wakeUp}
}

// TokenVariable holds the token of a worker, and NotifySecret what notices are signed with. Commands do not get to see them.
const (
	TokenVariable = "EKE_TOKEN"
	NotifySecret  = "EKE_NOTIFY_SECRET"
)

// environ is what commands inherit.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, CheckpointVariable+"=") || strings.HasPrefix(entry, TokenVariable+"=") || strings.HasPrefix(entry, NotifySecret+"=")
	})
}

// extend returns how a trial gets more time: it is asked for until there is more, or the command's time is over. There may be more
// only when another trial has ended.
func (r *run) extend(t *task) func(context.Context, time.Duration) (time.Duration, bool) {
	task, now := t.Task, t.Limit // as it was handed out: others note on it when it was heard of
	return func(ctx context.Context, used time.Duration) (time.Duration, bool) {
		for ctx.Err() == nil {
			limit, err := r.Source.Extend(ctx, task, used)
			switch {
			case err == nil && (limit > now || limit == 0):
				if now = limit; now == 0 {
					now = longest
				}
				r.tell(Extended, &t.Trial, "")
				return now, true
			case err != nil && !passes(err):
				return 0, false // a beat finds out why
			}
			wait(ctx, nil, min(250*time.Millisecond, max(now/50, 5*time.Millisecond)))
		}
		return 0, false
	}
}

// longest is the longest time that is a limit.
const longest = time.Duration(1e9) * time.Second

// Duration is a limit of so many seconds, within what can be one: 0 means no limit, so none is that short.
func Duration(seconds float64) time.Duration {
	if math.IsInf(seconds, 1) {
		return 0
	}
	return max(time.Duration(math.Min(seconds, 1e9)*float64(time.Second)), time.Microsecond)
}

// LimitOf is how long a trial may run.
func LimitOf(s *study.Study, t study.Trial) time.Duration { return Duration(s.Limit(t)) }
