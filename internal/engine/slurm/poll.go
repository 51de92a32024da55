package slurm

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

// queued is a job in squeue.
type queued struct{ id, state, reason string }

// Turn waits until Slurm may be asked again.
func (e *Engine) Turn(ctx context.Context) error { return e.pace.wait(ctx) }

// Poll asks squeue about all jobs at once, and sacct about those that squeue knows no more. It waits for its turn: Slurm is not asked
// more often than the study says, and less often while it does not answer.
func (e *Engine) Poll(ctx context.Context, jobs []engine.Job) ([]engine.Status, error) {
	if err := e.pace.wait(ctx); err != nil {
		return nil, err
	}
	list, missing := make([]engine.Status, len(jobs)), []lost{}
	queue, err := e.squeue(ctx)
	if e.pace.next(e.every(), err); err != nil {
		return nil, err
	}
	full := false // one refusal is enough
	for i, j := range jobs {
		x := e.job(key(j))
		x.mu.Lock()
		in, err := readIntent(key(j))
		if err == nil && in != nil {
			var known bool
			if list[i], known = x.status(ctx, in, queue[in.Name], &full); !known {
				missing = append(missing, lost{i, x, in, queue[in.Name]})
			}
		}
		x.mu.Unlock()
		switch {
		case err != nil:
			return nil, err
		case in == nil:
			list[i] = ended(engine.Outcome{State: study.Abandoned, Note: "it was never submitted"})
		}
	}
	return list, e.settle(ctx, missing, list, &full)
}

// squeue lists this user's jobs by name, with those that ended a moment ago.
func (e *Engine) squeue(ctx context.Context) (map[string][]queued, error) {
	begun := time.Now()
	out, err := call(ctx, nil, "squeue", "--noheader", "--states=all", "--user="+strconv.Itoa(os.Getuid()), "--format=%i|%j|%T|%r")
	if err != nil {
		return nil, down(err)
	}
	queue := readQueue(out)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queue, e.asked = queue, begun
	return queue, nil
}

// readQueue reads what squeue prints, and leaves out what it does not understand.
func readQueue(out string) map[string][]queued {
	queue := map[string][]queued{}
	for _, line := range strings.Split(out, "\n") {
		f := strings.SplitN(strings.TrimSpace(line), "|", 4)
		if len(f) == 4 && strings.HasPrefix(f[1], "eke-") {
			queue[f[1]] = append(queue[f[1]], queued{f[0], f[2], f[3]})
		}
	}
	return queue
}

func ended(o engine.Outcome) engine.Status { return engine.Status{Phase: engine.Ended, Outcome: o} }

// status is how a job stands by what squeue says; false if that is not enough.
func (x *job) status(ctx context.Context, in *intent, q []queued, full *bool) (engine.Status, bool) {
	in.noteOthers(q)
	if end := in.ended(); end != nil {
		if slices.ContainsFunc(q, func(j queued) bool { return isWaiting(j.state) }) {
			_ = in.scancel(ctx) // it would start only to find that there is nothing to do
		}
		return ended(end.outcome()), true
	}
	if in.Refused != "" {
		return ended(engine.Outcome{State: study.Failed, Note: in.Refused}), true
	}
	live := slices.DeleteFunc(slices.Clone(q), func(j queued) bool { return isOver(j.state) })
	switch {
	case len(live) == 0 && in.Tried.IsZero() && in.Cancelled != "":
		return ended(engine.Outcome{State: study.Cut, Note: in.Cancelled}), true
	case len(live) == 0 && in.Tried.IsZero():
		return in.submitNow(ctx, full), true
	case len(live) == 0:
		return engine.Status{}, false
	}
	x.gone = time.Time{}
	j := in.keepOne(ctx, live)
	if in.Cancelled != "" {
		_ = in.scancel(ctx) // once more, should the first have been lost
	}
	if !isWaiting(j.state) {
		x.never = 0
		return engine.Status{Phase: engine.Running}, true
	}
	if j.reason == launchFailed { // it is the node's fault, and others may do
		_, _ = call(ctx, nil, "scontrol", "release", j.id)
	}
	if !hopeless.MatchString(j.reason) {
		x.never = 0
	} else if x.never++; x.never > 1 { // not because of a moment's confusion
		return in.giveUp(ctx, j.reason), true
	}
	return engine.Status{Phase: engine.Queued, Reason: strings.TrimSuffix(j.reason, "None")}, true
}

// noteOthers puts duplicates on record, so that none is forgotten when the trial is charged.
func (in *intent) noteOthers(q []queued) {
	before := len(in.Others)
	for _, j := range q {
		if in.ID != "" && j.id != in.ID && !slices.Contains(in.Others, j.id) {
			in.Others = append(in.Others, j.id)
		}
	}
	if len(in.Others) > before {
		_ = in.write() // otherwise at the next poll
	}
}

// submitNow submits a job that there was no room for.
func (in *intent) submitNow(ctx context.Context, full *bool) engine.Status {
	if *full {
		return engine.Status{Phase: engine.Queued, Reason: errFull.Error()}
	}
	switch err := in.submit(ctx, nil); {
	case errors.Is(err, errFull):
		*full = true
		return engine.Status{Phase: engine.Queued, Reason: err.Error()}
	case err != nil && ctx.Err() == nil:
		in.Refused = err.Error()
		_ = in.write()
		return ended(engine.Outcome{State: study.Failed, Note: in.Refused})
	}
	return engine.Status{Phase: engine.Queued}
}

// giveUp cancels a job that will never run.
func (in *intent) giveUp(ctx context.Context, reason string) engine.Status {
	if in.scancel(ctx) != nil {
		return engine.Status{Phase: engine.Queued, Reason: reason}
	}
	in.Refused = "Slurm will never run the job: " + reason
	_ = in.write()
	return ended(engine.Outcome{State: study.Failed, Note: in.Refused})
}

// keepOne cancels all jobs of a name but one, and returns that one: the one that runs the trial, or else the oldest.
func (in *intent) keepOne(ctx context.Context, live []queued) queued {
	keep := slices.IndexFunc(live, func(j queued) bool { return j.id == in.owner() })
	if keep < 0 {
		keep = slices.IndexFunc(live, func(j queued) bool { return j.id == in.ID })
	}
	if keep < 0 {
		keep = 0
		for i, j := range live {
			if number(j.id) < number(live[keep].id) {
				keep = i
			}
		}
	}
	for i, j := range live {
		if i != keep {
			_, _ = call(ctx, nil, "scancel", j.id) // otherwise at the next poll
		}
	}
	if in.ID != live[keep].id {
		if in.ID != "" {
			in.Others = append(in.Others, in.ID)
		}
		in.ID = live[keep].id
		in.Others = slices.DeleteFunc(in.Others, func(id string) bool { return id == in.ID })
		_ = in.write()
	}
	return live[keep]
}

func number(id string) int {
	n, err := strconv.Atoi(id)
	if err != nil {
		return 1 << 60
	}
	return n
}

// pace is how often Slurm is asked.
type pace struct {
	mu     sync.Mutex
	at     time.Time // not before
	failed int       // how often in a row
}

const longestPause = 5 * time.Minute

func (p *pace) wait(ctx context.Context) error {
	p.mu.Lock()
	late := time.NewTimer(time.Until(p.at))
	p.mu.Unlock()
	defer late.Stop()
	select {
	case <-late.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

func (p *pace) next(every time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed++; err == nil {
		p.failed = 0
	}
	p.at = time.Now().Add(min(every<<min(p.failed, 6), max(longestPause, every)))
}
