package kubernetes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Engine evaluates trials as Jobs of Kubernetes. The zero value is ready to use where kubectl works.
type Engine struct {
	engine.Folders // of this machine: what a pod prints and reports is fetched into them

	Namespace string     // "": as kubectl has it
	Context   string     // of the kubeconfig; "": its current one
	Template  string     // a file with a pod; "": none
	Queue     string     // of Kueue; "": none
	Charge    study.Cost // what pods are charged by; the zero value: nothing, the command reports its cost
	Follow    bool       // what pods print is followed while they run

	// Doubt is how long a pod's log may take to be had, and an image to be pulled after it could not be; 0: five minutes.
	Doubt time.Duration

	mu       sync.Mutex
	client   *client
	jobs     map[string]*job
	mirrors  map[string]*mirror
	nodes    map[string]map[string]string // labels
	possible map[string]bool              // requests that the API server has said it takes
	trying   sync.Mutex
	wake     func()
	why      reasons
}

var (
	_ engine.Engine   = (*Engine)(nil)
	_ engine.Scripted = (*Engine)(nil)
	_ engine.Apart    = (*Engine)(nil)
)

// job is what this process knows of a trial's Job, beside what the cluster and the disk have.
type job struct {
	mu     sync.Mutex
	in     *intent
	doubt  time.Time // since when something is missing that may come
	stuck  time.Time // since when its image cannot be had
	log    *follower
	marked int64 // the deadline that its pod was given
}

// New returns the engine that a study asks for.
func New(s *study.Study) *Engine {
	e := &Engine{}
	if s.Cost.Accounted() {
		e.Charge = s.Cost
	}
	if s.Engine != nil {
		e.Namespace, e.Context, e.Template, e.Queue = s.Engine.Namespace, s.Engine.Context, s.Engine.Template, s.Engine.Queue
	}
	e.Follow = s.Fidelity != nil && s.Fidelity.StopEarly != ""
	return e
}

func (e *Engine) doubt() time.Duration { return cmp.Or(e.Doubt, 5*time.Minute) }

func (e *Engine) job(dir string) *job {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.jobs == nil {
		e.jobs = map[string]*job{}
	}
	if e.jobs[dir] == nil {
		e.jobs[dir] = &job{}
	}
	return e.jobs[dir]
}

// intent returns what is on record of a job; the caller has its lock.
func (x *job) intent(dir string) (*intent, error) {
	if x.in != nil {
		return x.in, nil
	}
	in, err := readIntent(dir)
	x.in = in
	return in, err
}

// reach returns the client, and finds the cluster the first time.
func (e *Engine) reach() (*client, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.client == nil {
		a, err := reach(e.Context)
		if err != nil {
			return nil, err
		}
		e.client = newClient(a)
	}
	return e.client, nil
}

func (e *Engine) namespace(c *client) string { return cmp.Or(e.Namespace, c.namespace) }

// Detached says that Jobs go on without their controller.
func (e *Engine) Detached() bool { return true }

// Checkpoint makes a folder here in which it is noted whether there is a checkpoint in the volume of the pods.
func (e *Engine) Checkpoint(dir string) (holds bool, err error) { return e.Folders.Checkpoint(dir) }

// Probe finds what is wrong with a job before it is submitted: on this machine, and by what the API server says of it.
func (e *Engine) Probe(ctx context.Context, j engine.Job) error {
	manifest, err := e.prepare(j)
	if err != nil {
		return err
	}
	x := e.job(key(j))
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := setAside(key(j)); err != nil {
		return fault.Wrap(err, fault.CannotRun, "see to the folder, and run again", "%s cannot be cleared: %v", j.Dir, err)
	}
	x.in = nil
	return e.tryOut(ctx, j, manifest)
}

// prepare makes the job's folder and its manifest.
func (e *Engine) prepare(j engine.Job) (map[string]any, error) {
	if len(j.Argv) == 0 || j.Argv[0] == "" {
		return nil, fault.New(fault.CannotRun, "give the study a command", "there is no command")
	}
	if strings.ContainsRune(strings.Join(j.Argv, ""), 0) {
		return nil, fault.New(fault.CannotRun, "take it out of the parameter's values or of the command", "an argument has a NUL character, which no command can be given")
	}
	manifest, err := e.manifest(j)
	if err != nil {
		return nil, err
	}
	if err := e.checkRate(manifest, j); err != nil {
		return nil, err
	}
	return manifest, local.Setting(j)
}

// setAside keeps what an earlier job has left in the folder from being taken for this one's.
func setAside(dir string) error {
	for _, name := range []string{manifestFile, logFile, engine.StdoutFile} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	err := os.Rename(filepath.Join(dir, intentFile), filepath.Join(dir, intentFile+"~"))
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// tryOut asks the API server whether it would take a Job, and what is missing of the rights, once for each kind of request.
func (e *Engine) tryOut(ctx context.Context, j engine.Job, manifest map[string]any) error {
	kind := strings.Join(j.Options, "\n") + "\n" + j.WorkDir
	e.trying.Lock() // trials that begin together would all ask the same
	defer e.trying.Unlock()
	e.mu.Lock()
	known := e.possible[kind]
	e.mu.Unlock()
	if known {
		return nil
	}
	c, err := e.reach()
	if err != nil {
		return err
	}
	namespace := e.namespace(c)
	if _, err := c.createJob(ctx, namespace, manifest, true); err != nil && codeOf(err) != http.StatusConflict {
		var r *refusal
		if errors.As(err, &r) && isQuota(r) {
			return nil // it waits until there is room
		}
		return c.explain(err, namespace)
	}
	if err := e.rights(ctx, c, namespace); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.possible == nil {
		e.possible = map[string]bool{}
	}
	e.possible[kind] = true
	return nil
}

// rights names all that are missing at once.
func (e *Engine) rights(ctx context.Context, c *client, namespace string) error {
	type right struct{ verb, group, resource, sub string }
	needs := []right{{"get", "batch", "jobs", ""}, {"list", "batch", "jobs", ""}, {"watch", "batch", "jobs", ""}, {"delete", "batch", "jobs", ""},
		{"list", "", "pods", ""}, {"watch", "", "pods", ""}, {"patch", "", "pods", ""}, {"get", "", "pods", "log"}}
	if len(e.Charge.NodePrices) > 0 {
		needs = append(needs, right{"get", "", "nodes", ""})
	}
	var missing []string
	for _, n := range needs {
		if !c.mayI(ctx, namespace, n.verb, n.group, n.resource, n.sub) {
			missing = append(missing, n.verb+" "+strings.TrimSuffix(n.resource+"/"+n.sub, "/"))
		}
	}
	if len(missing) > 0 {
		return denied(nil, namespace, missing, "")
	}
	return ctx.Err()
}

// Submit has a Job created. If the API server does not answer, or the quota has no room, it is created when it is polled.
func (e *Engine) Submit(ctx context.Context, j engine.Job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x := e.job(key(j))
	x.mu.Lock()
	defer x.mu.Unlock()
	if in, err := x.intent(key(j)); in != nil || err != nil {
		return err // it was submitted, or is about to be
	}
	manifest, err := e.prepare(j)
	if err != nil {
		return err
	}
	c, err := e.reach()
	if err != nil {
		return err
	}
	spec := manifest["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	trial, err := e.container(spec, "")
	if err != nil {
		return err
	}
	in := &intent{
		Name: nameOf(j), Server: c.server, Namespace: e.namespace(c), Study: label(j.Study), Container: trial["name"].(string), Made: time.Now().Round(0), dir: key(j),
		Charge: e.Charge, Trial: j.Trial, Objective: j.Objective, Quantities: j.Quantities, Several: j.Several, WallTime: j.WallTime, Fidelity: j.Fidelity, Limit: j.Limit, Grace: graceOf(j),
	}
	if e.keepsFiles() {
		for _, v := range j.Vars {
			if name, folder, _ := strings.Cut(v, "="); name == engine.CheckpointVariable {
				in.Checkpoint = folder
			}
		}
	}
	raw, err := json.Marshal(manifest)
	if err == nil {
		err = engine.WriteFile(in.path(manifestFile), raw)
	}
	if err == nil {
		err = in.write()
	}
	if err != nil {
		return err
	}
	e.remember(j)
	x.in = in
	switch err := e.create(ctx, c, in); {
	case err == nil:
	case fault.CodeOf(err).Retryable(), errors.Is(err, errFull): // it is created when it is polled
	case ctx.Err() != nil: // nobody knows whether it was created
	default:
		x.in = nil
		_ = os.Remove(in.path(intentFile))
		return err
	}
	return nil
}

func (e *Engine) keepsFiles() bool {
	pod, file, err := e.template()
	if err != nil {
		return false
	}
	spec, err := mapping(pod, "spec", file)
	if err != nil {
		return false
	}
	volumes, err := list(spec, "volumes", file)
	return err == nil && hasVolume(volumes)
}

// remember keeps how the controller is told of changes.
func (e *Engine) remember(j engine.Job) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if j.Changed != nil {
		e.wake = j.Changed
	}
}

func (e *Engine) changed() {
	e.mu.Lock()
	wake := e.wake
	e.mu.Unlock()
	if wake != nil {
		wake()
	}
}

// errFull says that the namespace has no room for another Job.
var errFull = errors.New("the quota has no room for another Job")

// create has the Job created. That there is one already of that name is as good, if it is this trial's.
func (e *Engine) create(ctx context.Context, c *client, in *intent) error {
	raw, err := os.ReadFile(in.path(manifestFile))
	if err != nil {
		return fault.Wrap(err, fault.CannotRun, "see to the folder, and run again", "the Job of trial %d cannot be read: %v", in.Trial, err)
	}
	var r *refusal
	made, err := c.createJob(ctx, in.Namespace, json.RawMessage(raw), false)
	if errors.As(err, &r) && r.Reason == alreadyExists {
		if made, err = c.getJob(ctx, in.Namespace, in.Name); codeOf(err) == http.StatusNotFound {
			return fault.Wrap(err, fault.Unavailable, "it is created again", "Job %s was deleted a moment ago", in.Name)
		}
		var own struct {
			Metadata meta `json:"metadata"`
		}
		if _ = json.Unmarshal(raw, &own); err == nil && made.Metadata.Annotations[keyNote] != own.Metadata.Annotations[keyNote] {
			return fault.New(fault.Conflict, "kubectl delete job -n "+in.Namespace+" "+in.Name, "there is a Job %s in namespace %s already, which is not of this trial", in.Name, in.Namespace)
		}
	}
	switch {
	case errors.As(err, &r) && isQuota(r): // it is on no cluster, for certain
		in.Server = ""
		_ = in.write() // otherwise with the next change
		return errFull
	case err != nil:
		return c.explain(err, in.Namespace)
	}
	in.Server = c.server
	in.UID = made.Metadata.UID
	return in.write()
}

// Cancel has the pods of a trial stopped, with their grace. It puts that on record first.
func (e *Engine) Cancel(ctx context.Context, j engine.Job, why error) error {
	x := e.job(key(j))
	x.mu.Lock()
	defer x.mu.Unlock()
	in, err := x.intent(key(j))
	if err != nil || in == nil || in.End != nil {
		return err
	}
	if in.Cancelled == "" {
		in.Cancelled, in.Early = "stopped", errors.Is(why, engine.ErrEarly)
		if why != nil {
			in.Cancelled += ": " + why.Error()
		}
		if err := in.write(); err != nil {
			return err
		}
	}
	c, err := e.reach()
	if err != nil {
		return err
	}
	m, err := e.mirrorOf(ctx, c, in)
	if err != nil {
		return err
	}
	known, pods := m.look(in.Name)
	if known == nil && in.isElsewhere(c) {
		return in.elsewhere(c)
	}
	e.absorb(ctx, c, in, pods)
	return e.stop(ctx, c, in, known, pods)
}

// stop has the kubelet end the pods that have a node, so that the API server keeps what they have used. If there is none, nothing is
// lost when the Job is deleted.
func (e *Engine) stop(ctx context.Context, c *client, in *intent, known *kubeJob, pods []*kubePod) error {
	placed := false
	for _, p := range pods {
		if _, _, over := p.times(); p.Spec.NodeName == "" || over || p.gone {
			continue
		}
		placed = true
		if p.Spec.ActiveDeadlineSeconds == 1 {
			continue
		}
		if err := c.limitPod(ctx, in.Namespace, p.Metadata.Name, 1); err != nil {
			return c.explain(err, in.Namespace)
		}
	}
	if placed || in.UID == "" || in.endsItself(known) {
		return nil
	}
	if err := c.deleteJob(ctx, in.Namespace, in.Name, in.UID); err != nil {
		return c.explain(err, in.Namespace)
	}
	if in.Removed.IsZero() { // not before: a Job that was only meant to be deleted goes on
		in.Removed = time.Now().Round(0)
		_ = in.write() // otherwise with the next change
	}
	return nil
}

// mirrorOf is what the API server has of the Jobs that are labelled like this one.
func (e *Engine) mirrorOf(ctx context.Context, c *client, in *intent) (*mirror, error) {
	e.mu.Lock()
	if e.mirrors == nil {
		e.mirrors = map[string]*mirror{}
	}
	if in.UID != "" {
		c.trust()
	}
	at := in.Namespace + "/" + in.Study
	if e.mirrors[at] == nil {
		e.mirrors[at] = &mirror{c: c, namespace: in.Namespace, selector: managedLabel + "=" + managedBy + "," + studyLabel + "=" + in.Study, changed: e.changed}
	}
	m := e.mirrors[at]
	e.mu.Unlock()
	return m, m.sync(ctx)
}

// Cost is what the pods of a job have used, or what the command reported.
func (e *Engine) Cost(_ context.Context, j engine.Job) (engine.Cost, error) {
	x := e.job(key(j))
	x.mu.Lock()
	defer x.mu.Unlock()
	in, err := x.intent(key(j))
	switch {
	case err != nil:
		return engine.Cost{}, err
	case in == nil: // it was never submitted, or its folder is not here
		return engine.Cost{Known: j.ID != ""}, nil
	case in.Charge.Accounted():
		return sum(in.Attempts, in.Charge, time.Now()), nil
	case in.WallTime:
		took := wall(in.Attempts, time.Now())
		return engine.Cost{Amount: took.Seconds(), Known: took > 0 || in.Never, Guess: sum(in.Attempts, study.Cost{}, time.Now()).Guess}, nil
	}
	return engine.Cost{Amount: in.Cost, Known: in.HasCost}, nil
}
