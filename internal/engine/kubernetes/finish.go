package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// finish records the end of a trial whose Job has ended, or is gone if known is nil. The log is fetched first: the pod goes.
func (e *Engine) finish(ctx context.Context, c *client, m *mirror, x *job, known *kubeJob) (engine.Status, error) {
	in, end := x.in, (*condition)(nil)
	if known != nil {
		end = known.end()
	}
	if end == nil && m.holds(in.Name) && x.waits(e.doubt()) {
		return engine.Status{Phase: engine.Running}, nil // a Job that is deleted goes before its pods, which end in their own time
	}
	x.stopFollowing()
	last := in.last()
	for _, a := range in.Attempts {
		if !a.Over && end != nil && x.waits(e.doubt()) {
			return engine.Status{Phase: engine.Running}, nil // the mirror hears of the pod in a moment
		}
		if !a.Over && end != nil {
			in.guess(a, end.LastTransitionTime)
		} else if !a.Over { // it is gone with its Job
			in.vanished(ctx, c, a, time.Now().Round(0))
		}
	}
	if end != nil && (last == nil || in.Cancelled == "" && last.replaced()) {
		if x.waits(e.doubt()) {
			return engine.Status{Phase: engine.Running}, nil
		}
		if in.recall(ctx, c, known, end, m.sawAll(in.Made)); in.last() == last {
			in.unseen(known, end)
		}
		last = in.last()
	} else if end != nil {
		in.recall(ctx, c, known, end, m.sawAll(in.Made))
	}
	trouble := ""
	if last != nil && !last.Started.IsZero() {
		err := e.fetch(ctx, c, in, last)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return engine.Status{}, ctx.Err()
		case end != nil && codeOf(err) != http.StatusNotFound && fault.CodeOf(err) != fault.CannotRun && x.waits(e.doubt()): // its node may answer later
			return engine.Status{Phase: engine.Running}, nil
		default:
			trouble = "its log could not be fetched: " + firstLine(err.Error())
		}
		if last.Message != "" && !last.lostStatus() {
			if err := engine.WriteFile(in.path(engine.ResultFile), []byte(last.Message)); err != nil {
				return engine.Status{}, err
			}
		}
	}
	out := x.judge(end)
	for _, note := range []string{trouble, in.deviation()} {
		if note != "" {
			out.Note = strings.TrimPrefix(out.Note+"; "+note, "; ")
		}
	}
	s, err := x.conclude(out, !in.hasBegun())
	if err == nil {
		m.forget(in.Name)
	}
	return s, err
}

// vanished concludes an attempt that was gone at some time before end, while nobody watched.
//
// If it had no node when the controller had its Job deleted, it has used nothing: a pod that is being deleted gets no node. It may have got one in the moment before,
// but then the scheduler says so, and it was stopped with its grace. In all other cases nobody knows whether it ran since it was last seen, so its time is an estimate
// from then on: if others have deleted the Job, and if this controller was killed before the API server had said that the Job is deleted.
func (in *intent) vanished(ctx context.Context, c *client, a *attempt, end time.Time) {
	if in.Removed.IsZero() || a.Node != "" {
		in.guess(a, end)
		return
	}
	list, _ := c.events(ctx, in.Namespace, "Pod", "Scheduled", a.Pod) // it may be forbidden
	for _, e := range list {
		if e.Object.UID == a.UID {
			a.Scheduled = e.Metadata.CreationTimestamp
			if stopped := in.Removed.Add(in.Grace); stopped.Before(end) {
				end = stopped
			}
			in.guess(a, end)
			return
		}
	}
	a.Over, a.Seen = true, end
}

// recall adds the pods that came and went while nobody watched, from the events in which the Job controller says that it made them. Events are asked for only if
// something may have been missed.
func (in *intent) recall(ctx context.Context, c *client, j *kubeJob, end *condition, sawAll bool) {
	const soon = 3 * time.Second
	if len(in.Attempts) == 0 || sawAll && !slices.ContainsFunc(in.Attempts, (*attempt).replaced) && in.Attempts[0].Created.Sub(j.Metadata.CreationTimestamp) <= soon {
		return
	}
	list, err := c.events(ctx, in.Namespace, "Job", "SuccessfulCreate", in.Name)
	if err != nil {
		return // it may be forbidden
	}
	var deleted []event
	for _, made := range list {
		pod, ok := strings.CutPrefix(made.Message, "Created pod: ")
		if !ok || made.Object.UID != j.Metadata.UID || slices.ContainsFunc(in.Attempts, func(a *attempt) bool { return a.Pod == pod || a.UID == "unseen" }) {
			continue
		}
		a := &attempt{Pod: pod, UID: "unseen-" + pod, Created: made.Last, Scheduled: made.Last, Started: made.Last, Seen: end.LastTransitionTime, Requests: in.Attempts[0].Requests}
		in.guess(a, end.LastTransitionTime)
		if deleted == nil { // a controller that was killed may make a second pod, and delete it when it sees the first
			deleted, _ = c.events(ctx, in.Namespace, "Job", "SuccessfulDelete", in.Name)
		}
		for _, d := range deleted {
			if d.Message == "Deleted pod: "+pod && d.Object.UID == j.Metadata.UID && d.Last.Before(a.Finished) {
				in.guess(a, d.Last)
			}
		}
		in.Attempts = append(in.Attempts, a)
	}
	in.order()
}

// unseen is the attempt of a Job that has ended, and whose last pod was gone before anybody saw it.
func (in *intent) unseen(j *kubeJob, end *condition) {
	a := &attempt{Pod: in.Name, UID: "unseen", Created: j.Metadata.CreationTimestamp, Started: j.Status.StartTime, Seen: end.LastTransitionTime}
	if last := in.last(); last != nil { // the one that followed it
		a.Created, a.Started = last.Finished, last.Finished
	}
	var manifest map[string]any
	if raw, err := os.ReadFile(in.path(manifestFile)); err == nil && json.Unmarshal(raw, &manifest) == nil {
		spec := specOf(manifest)
		a.Requests = spec.requests()
	}
	in.guess(a, end.LastTransitionTime)
	in.Attempts = append(in.Attempts, a)
}

// waits reports whether something that is missing may still come.
func (x *job) waits(patience time.Duration) bool {
	if x.doubt.IsZero() {
		x.doubt = time.Now()
	}
	return time.Since(x.doubt) < patience
}

// deviation says how a charge came about that is more, or less certain, than that of one pod.
func (in *intent) deviation() string {
	var notes []string
	disrupted := 0
	for _, a := range in.Attempts {
		if a.Disrupted != "" {
			disrupted++
		}
		if a.Guessed != "" {
			notes = append(notes, a.Pod+": "+a.Guessed+", so its time is an estimate")
		}
	}
	if n := len(in.Attempts); n > 1 {
		notes = append([]string{fmt.Sprintf("%d pods were charged, %d of them disrupted", n, disrupted)}, notes...)
	}
	return strings.Join(notes, "; ")
}

// judge is what came of a trial.
func (x *job) judge(end *condition) study.Finished {
	in, last := x.in, x.in.last()
	took := wall(in.Attempts, time.Now())
	cut := study.Finished{State: study.Cut, Wall: took.Seconds(), Note: in.Cancelled}
	switch {
	case in.Refused != "":
		cut.State, cut.Note = study.Failed, in.Refused
		if len(in.Attempts) > 1 {
			cut.State = study.Abandoned
		}
		return cut
	case (last == nil || last.Exit == nil && last.Message == "") && in.Cancelled != "":
		return cut
	case last == nil:
		cut.State, cut.Note = study.Abandoned, "its Job "+in.Name+" was deleted from outside"
		return cut
	}
	how := local.End{Wall: took, Stdout: in.path(logFile), Guessed: last.Guessed != "" && in.WallTime && !in.Charge.Accounted()}
	if last.Exit != nil {
		how.Exit = *last.Exit
	}
	switch {
	case in.Cancelled != "":
		how.Stopped, how.Why = true, errors.New(strings.TrimPrefix(in.Cancelled, "stopped: "))
		if in.Early {
			how.Why = fmt.Errorf("%w%s", engine.ErrEarly, strings.TrimPrefix(how.Why.Error(), engine.ErrEarly.Error()))
		}
	case last.Reason == "DeadlineExceeded":
		how.Limit = max(in.Limit, time.Second)
	}
	out := local.Judge(in.job(), how)
	switch {
	case out.State == study.Done || in.Cancelled != "" || last.Reason == "DeadlineExceeded":
	case last.Disrupted != "" || end == nil || last.Exit == nil && last.Reason == "" || last.lostStatus() || last.Deleted: // it was not the command's doing
		why := last.Disrupted
		if why == "" && last.lostStatus() {
			why = "its node " + last.Node + " went down: " + firstLine(last.Message)
		} else if why == "" && last.Deleted {
			why = "its pod was deleted from outside"
		} else if why == "" {
			why = "its pod was gone before its end was seen: deleted from outside, evicted while nobody watched, or with its node"
		}
		out.State, out.Value, out.Metrics, out.Note = study.Abandoned, 0, nil, why
	case last.Reason == "OOMKilled":
		out.Note = "it ran out of memory: ask for more with engine.resources memory; " + out.Note
	case last.Exit == nil: // its node has refused the pod, such as with OutOfcpu or UnexpectedAdmissionError
		out.Machine, out.Note = true, strings.TrimSuffix("its node did not take the pod: "+last.Reason+": "+firstLine(last.Message), ": ")
	case last.Reason == "StartError", last.Reason == "ContainerCannotRun":
		out.Note = strings.TrimSuffix("the container could not be started: "+last.Reason+": "+firstLine(last.Message), ": ")
		_ = os.Remove(in.path(engine.ResultFile)) // the message is the kubelet's
	}
	return out
}

// conclude puts the end on record. Never says that the command never began.
func (x *job) conclude(out study.Finished, never bool) (engine.Status, error) {
	in := x.in
	if out.Cost != nil && !in.WallTime && !in.Charge.Accounted() {
		in.HasCost, in.Cost = true, *out.Cost
	}
	if out.Cost = nil; never && out.State == study.Cut {
		out.Note = strings.TrimPrefix(out.Note+"; it never began", "; ")
	}
	in.End, in.Never = &out, never
	if err := in.write(); err != nil {
		in.End = nil
		return engine.Status{}, err
	}
	_ = os.Remove(in.path(logFile))
	if in.Checkpoint != "" && !never {
		_ = os.WriteFile(filepath.Join(in.Checkpoint, "in-the-volume"), []byte(in.Name+"\n"), 0o600)
	}
	return x.ended(), nil
}

// Of what a pod prints the beginning and the end are kept, as of a command on this machine.
const keptLog = 8 << 20

// fetch gets the log of a trial's last pod. What was followed of it already stays.
func (e *Engine) fetch(ctx context.Context, c *client, in *intent, a *attempt) error {
	ctx, cancel := context.WithTimeout(ctx, 10*longestRequest)
	defer cancel()
	body, err := c.log(ctx, in.Namespace, a.Pod, in.Container, false)
	if err != nil {
		return err
	}
	defer body.Close()
	file, err := os.Create(in.path(logFile))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := copyEnds(file, body); err != nil {
		return err
	}
	return in.keepLog(a, file)
}

// copyEnds copies the beginning and the end of a stream, with a line between them that says what is missing.
func copyEnds(to io.Writer, from io.Reader) error {
	if n, err := io.CopyN(to, from, keptLog); n < keptLog {
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	ring, total := make([]byte, 0, 2*keptLog), int64(0)
	part := make([]byte, 64<<10)
	for {
		n, err := from.Read(part)
		ring = append(ring, part[:n]...)
		total += int64(n)
		if len(ring) > 2*keptLog-len(part) {
			ring = append(ring[:0], ring[len(ring)-keptLog:]...)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	ring = ring[max(0, len(ring)-keptLog):]
	if missing := total - int64(len(ring)); missing > 0 {
		if _, err := fmt.Fprintf(to, "\n… %d bytes were left out here by eke …\n", missing); err != nil {
			return err
		}
	}
	_, err := to.Write(ring)
	return err
}

// keepLog adds a whole log to the job's stdout file, without what is there already.
func (in *intent) keepLog(a *attempt, whole *os.File) error {
	stdout, err := os.OpenFile(in.path(engine.StdoutFile), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer stdout.Close()
	size, err := stdout.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if !a.Logged {
		a.Log, a.Logged = size, true
	}
	if _, err := whole.Seek(size-a.Log, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(stdout, whole)
	return err
}

// follower copies what a pod prints while it runs.
type follower struct {
	pod  string
	stop context.CancelFunc
	done chan struct{}
}

// follow sees that the log of a pod is followed; the caller has the job's lock.
func (e *Engine) follow(c *client, x *job, p *kubePod) {
	if x.log != nil && x.log.pod == p.Metadata.UID {
		select {
		case <-x.log.done: // it broke off
		default:
			return
		}
	}
	x.stopFollowing()
	in, a := x.in, x.in.attempt(p.Metadata.UID)
	if a == nil {
		return
	}
	stdout, err := os.OpenFile(in.path(engine.StdoutFile), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	size, err := stdout.Seek(0, io.SeekEnd)
	if err == nil && !a.Logged {
		a.Log, a.Logged = size, true
		err = in.write()
	}
	if err != nil {
		stdout.Close()
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	x.log = &follower{p.Metadata.UID, stop, make(chan struct{})}
	namespace, pod, container, skip, done := in.Namespace, p.Metadata.Name, in.Container, size-a.Log, x.log.done
	go func() {
		defer close(done)
		defer stdout.Close()
		body, err := c.log(ctx, namespace, pod, container, true)
		if err != nil {
			return
		}
		defer body.Close()
		if _, err := io.CopyN(io.Discard, body, skip); err == nil {
			_, _ = io.Copy(stdout, body)
		}
	}()
}

func (x *job) stopFollowing() {
	if x.log != nil {
		x.log.stop()
		<-x.log.done
		x.log = nil
	}
}
