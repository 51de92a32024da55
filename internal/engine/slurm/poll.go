package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
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
			list[i] = engine.Unsubmitted(j)
		}
	}
	return list, e.settle(ctx, missing, list, &full)
}

// squeue lists this user's jobs by name, with those that ended a moment ago, and those in partitions that are hidden.
func (e *Engine) squeue(ctx context.Context) (map[string][]queued, error) {
	begun := time.Now()
	out, err := call(ctx, nil, "squeue", "--all", "--noheader", "--states=all", "--user="+strconv.Itoa(os.Getuid()), "--format=%i|%j|%T|%r")
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

// status is how a job stands by what squeue says; false if that is not enough.
func (x *job) status(ctx context.Context, in *intent, q []queued, full *bool) (engine.Status, bool) {
	in.noteOthers(q)
	if end := in.ended(); end != nil {
		if slices.ContainsFunc(q, func(j queued) bool { return isWaiting(j.state) }) {
			_ = in.scancel(ctx) // it would start only to find that there is nothing to do
		}
		return engine.EndedAs(end.outcome()), true
	}
	if in.Refused != "" {
		return engine.EndedAs(study.Finished{State: study.Failed, Note: in.Refused}), true
	}
	live := slices.DeleteFunc(slices.Clone(q), func(j queued) bool { return isOver(j.state) })
	switch {
	case len(live) == 0 && in.Tried.IsZero() && in.Cancelled != "":
		return engine.EndedAs(study.Finished{State: study.Cut, Note: in.Cancelled}), true
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
		return engine.EndedAs(study.Finished{State: study.Failed, Note: in.Refused})
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
	return engine.EndedAs(study.Finished{State: study.Failed, Note: in.Refused})
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

// lost is a job that was submitted, perhaps, and is not in the queue.
type lost struct {
	at int // in the list of statuses
	x  *job
	in *intent
	q  []queued // ended a moment ago
}

// settle finds out what became of jobs that squeue knows no more, by one sacct for all of them.
func (e *Engine) settle(ctx context.Context, missing []lost, list []engine.Status, full *bool) error {
	if len(missing) == 0 {
		return nil
	}
	c, err := e.look(ctx)
	if err != nil {
		return err
	}
	intents := make([]*intent, len(missing))
	for i, m := range missing {
		intents[i] = m.in
	}
	found, asked := map[string][]record{}, !c.accounting
	if c.accounting {
		found, err = sacct(ctx, intents)
		asked = err == nil
	}
	for _, m := range missing {
		m.x.mu.Lock()
		list[m.at] = e.settled(ctx, m, found[m.in.Name], asked, full)
		m.x.mu.Unlock()
	}
	return nil
}

// settled is how a job that squeue knows no more stands. Asked says that accounting has answered, or that there is none.
func (e *Engine) settled(ctx context.Context, m lost, records []record, asked bool, full *bool) engine.Status {
	in := m.in
	_, _ = os.ReadDir(in.dir) // has a shared file system look again
	if end := in.ended(); end != nil {
		return engine.EndedAs(end.outcome())
	}
	state, exit := "", ""
	for _, q := range m.q {
		if q.id == in.ID || state == "" {
			state = q.state
		}
	}
	for _, r := range records {
		if in.ID == "" && r.id != "" { // the answer to its submission was lost
			in.ID = r.id
			_ = in.write()
		}
		if r.id == in.ID && isOver(r.state) {
			state, exit = r.state, r.exit
		}
	}
	if m.x.gone.IsZero() {
		m.x.gone = time.Now()
	}
	waited := time.Since(m.x.gone) > e.doubt()
	switch {
	case state == "" && !asked:
		return engine.Status{Phase: engine.Queued, Reason: "Slurm's accounting does not answer, and nothing else knows the job"}
	case state == "" && in.ID == "" && (!waited || time.Since(in.Tried) <= e.doubt()):
		return engine.Status{Phase: engine.Queued, Reason: "Slurm did not confirm the job, and does not know it yet"}
	case state == "" && in.ID == "" && in.Cancelled != "":
		return engine.EndedAs(study.Finished{State: study.Cut, Note: in.Cancelled})
	case state == "" && in.ID == "": // now it is sure that no job is on its way
		m.x.gone = time.Time{}
		return in.submitNow(ctx, full)
	case !waited && (in.Cancelled == "" || state == ""), // the end file may be on its way
		(in.Cancelled == "" || state == "") && in.isAlive(): // whatever Slurm believes, it runs
		return engine.Status{Phase: engine.Running}
	}
	return in.outcome(state, exit, records)
}

// outcome is the end of a trial whose job left no end file: by the result that it left, or by its state.
func (in *intent) outcome(state, exit string, records []record) engine.Status {
	s := local.Found(in.job())
	o := &s.Outcome
	for _, r := range records {
		o.Wall += float64(r.elapsed)
	}
	if o.Wall == 0 {
		o.Wall = in.ran().Seconds()
	}
	if o.State == study.Done {
		o.Note = strings.TrimPrefix(o.Note+"; its job ended as "+plain(state)+", and left a result", "; ")
		return s
	}
	o.State, o.Note = endOf(state, exit)
	switch {
	case state == "":
		o.State, o.Note = study.Abandoned, fmt.Sprintf("neither squeue nor sacct knows its job %s any more", in.ID)
	case in.Cancelled != "":
		o.State, o.Note = study.Cut, in.Cancelled
	case plain(state) == "FAILED" && in.isUnseen():
		o.Note += "; it left nothing in " + in.dir + ": the trials' folder must be on a file system that all nodes share (eke run --dir FOLDER)"
	}
	o.Value = 0
	return s
}

// isUnseen reports whether a job that has ended left no trace in its folder, as if its node did not see it.
func (in *intent) isUnseen() bool {
	_, err := os.Stat(in.path(outputFile))
	return os.IsNotExist(err) && len(in.runs()) == 0
}

// What follows from a job's state in Slurm. A state that is not listed is one that newer versions have: the job is taken to run as long
// as squeue lists it, and to be lost when nothing does. It is never a success.
var (
	waiting = []string{"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT", "RESIZING"}
	over    = []string{"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "DEADLINE", "REVOKED", "LAUNCH_FAILED"}
)

// plain is a state without what may follow it: "CANCELLED by 1000", "COMPLETED+".
func plain(state string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(state), " ")
	return strings.TrimRight(word, "+")
}

func isWaiting(state string) bool { return slices.Contains(waiting, plain(state)) }
func isOver(state string) bool    { return slices.Contains(over, plain(state)) }

// hopeless are the reasons for which a job waits for ever.
var hopeless = regexp.MustCompile(`^(PartitionTimeLimit|PartitionConfig|PartitionNodeLimit|BadConstraints|InvalidAccount|InvalidQOS|QOSNotAllowed|AccountNotAllowed|` +
	`DependencyNeverSatisfied|JobHoldMaxRequeue|(QOS|Assoc)(Grp|Max)?\w*PerJob\w*)$`)

// stoppedExit is the exit code of a job that was stopped by a signal: fault.ExitInterrupted.
const stoppedExit = "130"

// launchFailed is the reason of a job that Slurm could not start on a node, put back into the queue, and holds.
const launchFailed = "launch failed requeued held"

// endOf is the end of a trial whose job left no end file.
func endOf(state, exit string) (end study.State, note string) {
	_, signal, _ := strings.Cut(exit, ":")
	switch state := plain(state); state {
	case "COMPLETED":
		return study.Failed, "the job ended without a word about its result; see " + outputFile
	case "FAILED", "LAUNCH_FAILED":
		switch {
		case exit == "" || exit == "0:0":
			return study.Abandoned, "Slurm says that the job failed, and not how"
		case signal == "53":
			return study.Failed, "Slurm could not write to the trial's folder on the node: keep the folder on a file system that all nodes share"
		case exit == "127:0" || exit == "126:0":
			return study.Failed, "the job's script found no program; eke and the trial's folder must be on a file system that all nodes share; see " + outputFile
		case exit == stoppedExit+":0":
			return study.Abandoned, "the job was stopped from outside, and not put back into the queue"
		case signal != "" && signal != "0": // the program around the command catches what it can
			return study.Abandoned, "the job was killed by signal " + signal
		}
		return study.Failed, "the job failed with exit code " + exit + "; see " + outputFile
	case "OUT_OF_MEMORY":
		return study.Failed, "the job ran out of memory: ask for more with engine.options mem"
	case "TIMEOUT":
		return study.Cut, "Slurm stopped the job at its time limit"
	case "DEADLINE":
		return study.Cut, "Slurm stopped the job at its deadline"
	case "CANCELLED":
		return study.Cut, "the job was cancelled in Slurm, by hand or by an administrator"
	case "NODE_FAIL", "BOOT_FAIL":
		return study.Abandoned, "the job's node failed"
	case "PREEMPTED", "REVOKED":
		return study.Abandoned, "the job was preempted, and not put back into the queue"
	default:
		return study.Abandoned, "the job ended as " + state
	}
}
