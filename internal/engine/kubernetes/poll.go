package kubernetes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Poll says how jobs stand, by the mirror. The API server is asked only about those that it should know and the mirror does not have.
// If it refuses to change one pod or Job, that is the reason of that job, and the others are reported all the same.
func (e *Engine) Poll(ctx context.Context, jobs []engine.Job) ([]engine.Status, error) {
	list := make([]engine.Status, len(jobs))
	for i, j := range jobs {
		e.remember(j)
		s, err := e.poll(ctx, j)
		if err != nil {
			return nil, err
		}
		list[i] = s
	}
	return list, nil
}

func (e *Engine) poll(ctx context.Context, j engine.Job) (engine.Status, error) {
	x := e.job(key(j))
	x.mu.Lock()
	defer x.mu.Unlock()
	in, err := x.intent(key(j))
	switch {
	case err != nil:
		return engine.Status{}, err
	case in == nil:
		return engine.Unsubmitted(j), nil
	case in.End != nil:
		return x.ended(), nil
	}
	c, err := e.reach()
	if err != nil {
		return engine.Status{}, err
	}
	m, err := e.mirrorOf(ctx, c, in)
	if err != nil {
		return engine.Status{}, err
	}
	known, pods := m.look(in.Name)
	e.absorb(ctx, c, in, pods)
	if known == nil {
		return e.missing(ctx, c, m, x, in)
	}
	if in.UID == "" || in.Server != c.server { // its answer was lost, or a cluster has several addresses
		in.UID, in.Server = cmp.Or(in.UID, known.Metadata.UID), c.server
		_ = in.write() // otherwise with the next change
	}
	if known.end() != nil {
		return e.finish(ctx, c, m, x, known)
	}
	words := ""
	if in.Cancelled != "" { // once more, should the first have been lost
		if words, err = aside(e.stop(ctx, c, in, known, pods)); err != nil {
			return engine.Status{}, err
		}
	}
	s, err := e.alive(ctx, c, x, known, pods)
	s.Reason = cmp.Or(words, s.Reason)
	return s, err
}

func (x *job) ended() engine.Status {
	s := engine.EndedAs(*x.in.End)
	if s.NeverBegan = x.in.Never; x.in.HasCost && s.Outcome.Cost == nil {
		s.Outcome.Cost = &x.in.Cost
	}
	return s
}

// missing says how a job stands whose Job the mirror does not have: it may be newer than the mirror, never have been created, or be gone.
func (e *Engine) missing(ctx context.Context, c *client, m *mirror, x *job, in *intent) (engine.Status, error) {
	found, err := c.getJob(ctx, in.Namespace, in.Name)
	switch code := codeOf(err); {
	case err == nil && (in.UID == "" || in.UID == found.Metadata.UID):
		in.UID, in.Server = found.Metadata.UID, c.server
		return engine.Status{Phase: engine.Queued}, nil
	case err != nil && code != http.StatusNotFound:
		return engine.Status{}, c.explain(err, in.Namespace)
	case in.isElsewhere(c):
		return engine.Status{}, in.elsewhere(c)
	case in.UID != "" || len(in.Attempts) > 0: // of that name there may be another one
		return e.finish(ctx, c, m, x, nil)
	case in.Cancelled != "":
		return x.conclude(study.Finished{State: study.Cut, Note: in.Cancelled}, true)
	}
	switch err = e.create(ctx, c, in); {
	case errors.Is(err, errFull):
		return engine.Status{Phase: engine.Queued, Reason: "the quota of namespace " + in.Namespace + " has no room for another Job: kubectl describe quota -n " + in.Namespace}, nil
	case fault.CodeOf(err) == fault.CannotRun && ctx.Err() == nil:
		return x.conclude(study.Finished{State: study.Failed, Note: err.Error() + "; " + fault.HintOf(err)}, true)
	}
	words, err := aside(err)
	return engine.Status{Phase: engine.Queued, Reason: words}, err
}

// absorb puts on record what pods have used.
func (e *Engine) absorb(ctx context.Context, c *client, in *intent, pods []*kubePod) {
	changed := false
	for _, p := range pods {
		changed = e.take(ctx, c, in, p) || changed
	}
	if in.order() || changed {
		_ = in.write() // otherwise with the next change
	}
}

// order sorts attempts, and reports whether more is known of one by the next.
func (in *intent) order() (changed bool) {
	slices.SortStableFunc(in.Attempts, func(a, b *attempt) int { return a.Created.Compare(b.Created) })
	for i, a := range in.Attempts { // one whose end nobody saw had ended when the next was made
		if next := i + 1; next < len(in.Attempts) && (!a.Over || a.Guessed != "" && a.Finished.After(in.Attempts[next].Created)) {
			in.guess(a, in.Attempts[next].Created)
			changed = true
		}
	}
	return changed
}

// take notes one pod, and reports whether something is new.
func (e *Engine) take(ctx context.Context, c *client, in *intent, p *kubePod) bool {
	a := in.attempt(p.Metadata.UID)
	if a == nil {
		a = &attempt{Pod: p.Metadata.Name, UID: p.Metadata.UID, Created: p.Metadata.CreationTimestamp, Requests: p.Spec.requests()}
		in.Attempts = append(in.Attempts, a)
	}
	isKnown := a.version != "" && a.version == p.Metadata.ResourceVersion && !p.gone && time.Since(a.Seen) < time.Minute
	if a.Over || isKnown && (a.Asked || len(in.Charge.NodePrices) == 0) {
		return false
	}
	a.version = p.Metadata.ResourceVersion
	before := *a
	started, finished, over := p.times()
	a.Node, a.Scheduled = p.Spec.NodeName, p.scheduled()
	if !started.IsZero() { // when its node has gone down, nobody says it any more
		a.Started = started
	}
	if a.Node == "" {
		a.Scheduled = time.Time{}
	}
	if len(in.Charge.NodePrices) > 0 && a.Node != "" && !a.Asked {
		if labels, err := e.labelsOf(ctx, c, a.Node); err == nil {
			a.Label, a.Asked = labelFor(in.Charge, labels), true
		}
	}
	if d := find(p.Status.Conditions, "DisruptionTarget", "True"); d != nil {
		a.Disrupted = strings.TrimPrefix(d.Reason+": "+d.Message, ": ")
	}
	for _, s := range p.Status.Containers {
		if t := s.State.Terminated; t != nil && s.Name == in.Container {
			a.Exit = exitOf(t.ExitCode)
			a.Reason, a.Message = t.Reason, t.Message
		}
	}
	a.Deleted = a.Deleted || p.Metadata.DeletionTimestamp != nil && !over
	if p.Status.Reason != "" { // of the pod, such as DeadlineExceeded or Evicted
		a.Reason = p.Status.Reason
	}
	switch now := time.Now().Round(0); {
	case over && !finished.IsZero():
		a.Over, a.Finished, a.Seen = true, finished, now
	case (over || p.gone && !p.lost) && a.begins(in.Charge).IsZero() && !a.lostStatus(): // it has not begun, and never will
		a.Over, a.Seen = true, now
	case over, p.gone: // its node was lost, or the pod was deleted by force
		in.vanished(ctx, c, a, endOf(p, now))
		a.Seen = now
		if a.lostStatus() {
			a.Guessed = "its node went down, and nobody saw its end"
		}
	case (a.Node == "" || !started.IsZero()) && now.Sub(before.Seen) > time.Minute:
		a.Seen = now
	}
	return !reflect.DeepEqual(before, *a)
}

// guess estimates the end of an attempt that nobody has seen, and its beginning if need be. Its kubelet would not have let it run for longer
// than its limit. One that had no node when it was last seen has begun after that.
func (in *intent) guess(a *attempt, end time.Time) {
	if a.Started.IsZero() {
		if a.Started = a.Scheduled; a.Started.IsZero() {
			a.Started = a.Created
			if a.Node == "" && a.Seen.After(a.Created) {
				a.Started = a.Seen
			}
		}
	}
	if a.Scheduled.IsZero() {
		a.Scheduled = a.Started
	}
	if longest := a.Started.Add(in.Limit + in.Grace); in.Limit > 0 && end.After(longest) {
		end = longest
	}
	a.Over, a.Finished, a.Guessed = true, end, cmp.Or(a.Guessed, "its pod was gone before its end was seen")
}

// endOf estimates when a pod ended of which nobody says it.
func endOf(p *kubePod, now time.Time) time.Time {
	for _, c := range p.Status.Conditions {
		if (c.Type == "DisruptionTarget" && c.Status == "True" || c.Type == "Ready" && c.Status == "False") && c.LastTransitionTime.After(p.Metadata.CreationTimestamp) {
			return c.LastTransitionTime
		}
	}
	if p.Metadata.DeletionTimestamp != nil && p.Metadata.DeletionTimestamp.Before(now) {
		return *p.Metadata.DeletionTimestamp
	}
	return now
}

// signals are those that exit codes stand for: 128 and the signal.
var signals = map[int]string{1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM"}

// exitOf is how a command ended, by its exit code. Container runtimes say 137 where a signal killed it.
func exitOf(code int) *study.Exit {
	if name := signals[code-128]; code > 128 && name != "" {
		return &study.Exit{Signal: name}
	}
	return &study.Exit{Code: code}
}

func (e *Engine) labelsOf(ctx context.Context, c *client, node string) (map[string]string, error) {
	e.mu.Lock()
	known, ok := e.nodes[node]
	e.mu.Unlock()
	if ok {
		return known, nil
	}
	labels, err := c.labelsOf(ctx, node)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.nodes == nil {
		e.nodes = map[string]map[string]string{}
	}
	e.nodes[node] = labels
	return labels, nil
}

// mostAttempts is how often a trial is begun. A pod that fills its node's disk is evicted each time.
const mostAttempts = 5

// alive says how a job stands that has not ended.
func (e *Engine) alive(ctx context.Context, c *client, x *job, known *kubeJob, pods []*kubePod) (engine.Status, error) {
	in := x.in
	var now *kubePod
	for _, p := range pods {
		if _, _, over := p.times(); !over && !p.gone {
			now = p
		}
	}
	if n := len(in.Attempts); n > mostAttempts && in.Cancelled == "" {
		in.Cancelled, in.Refused = "stopped", fmt.Sprintf("its pod was disrupted %d times, the last time by %s", n-1, in.Attempts[n-2].Disrupted)
		if err := in.write(); err != nil {
			return engine.Status{}, err
		}
		words, err := aside(e.stop(ctx, c, in, known, pods))
		return engine.Status{Phase: engine.Running, Reason: words}, err
	}
	if now == nil {
		if last := in.last(); last != nil && last.Over && last.Disrupted == "" && last.Guessed == "" && !known.Spec.Suspend {
			return engine.Status{Phase: engine.Running}, nil // the Job is about to end
		}
		return engine.Status{Phase: engine.Queued, Reason: e.why.job(ctx, c, in, known)}, nil
	}
	started, _, _ := now.times()
	if started.IsZero() {
		reason, hopeless := e.why.pod(ctx, c, in, now)
		if !hopeless {
			x.stuck = time.Time{}
		} else if x.stuck.IsZero() {
			x.stuck = time.Now()
		} else if time.Since(x.stuck) > e.doubt() && in.Cancelled == "" {
			in.Cancelled, in.Refused = "stopped", reason
			if err := in.write(); err != nil {
				return engine.Status{}, err
			}
			words, err := aside(e.stop(ctx, c, in, known, pods))
			return engine.Status{Phase: engine.Queued, Reason: cmp.Or(words, reason)}, err
		}
		return engine.Status{Phase: engine.Queued, Reason: reason}, nil
	}
	x.stuck = time.Time{}
	words, err := aside(e.limit(ctx, c, x, now, started))
	if e.Follow {
		e.follow(c, x, now)
	}
	return engine.Status{Phase: engine.Running, Began: started, Reason: words}, err
}

// limit brings the deadline of a pod forward, now that its command runs, so that the kubelet stops it at its limit even if nobody watches.
// What earlier pods of the trial have used counts.
func (e *Engine) limit(ctx context.Context, c *client, x *job, p *kubePod, started time.Time) error {
	in := x.in
	if in.Limit == 0 || p.Status.StartTime.IsZero() || in.Cancelled != "" {
		return nil
	}
	var used time.Duration
	for _, a := range in.Attempts {
		if a.UID != p.Metadata.UID {
			used += a.lasted(in.Charge, time.Now())
		}
	}
	late := max(started.Sub(p.Status.StartTime), 0)
	if in.Charge.From == study.FromScheduled {
		late = 0
	}
	seconds := max(int64((late+allowed(in.Limit-used, in.Grace))/time.Second), 1)
	if p.Spec.ActiveDeadlineSeconds > 0 && p.Spec.ActiveDeadlineSeconds <= seconds || x.marked == seconds {
		return nil
	}
	if err := c.limitPod(ctx, in.Namespace, p.Metadata.Name, seconds); err != nil {
		return c.explain(err, in.Namespace)
	}
	x.marked = seconds
	return nil
}
