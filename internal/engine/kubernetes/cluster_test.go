package kubernetes

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

var coreHours = study.Cost{Source: "kubernetes", Of: "core-hours", Unit: "core-hours"}

const reports = `echo '{"loss": 0.5, "cost": 2}' > "$EKE_RESULT"`

// bench is one trial on a pretended cluster.
type bench struct {
	*testing.T
	*fake
	e *Engine
	j engine.Job
}

func newBench(t *testing.T, script string) *bench {
	t.Helper()
	return benchOn(t, pretend(t, plain), script)
}

// benchOn is one on a cluster that is there; without a fake one it is the real one.
func benchOn(t *testing.T, f *fake, script string) *bench {
	t.Helper()
	b := &bench{T: t, fake: f, e: open().(*Engine)}
	b.j = engine.Job{Argv: []string{"sh", "-c", script}, Trial: 7, ID: "ABCDEFGH", Study: "Kiln_2.x", Dir: filepath.Join(t.TempDir(), "00007"), WorkDir: t.TempDir(),
		Setting: space.Setting{"x": space.Float(0.25)}, Objective: "loss", Options: []string{"--cpu=2", "--memory=1Gi"}}
	return b
}

func (b *bench) submit() {
	b.Helper()
	if err := errors.Join(b.e.Probe(b.Context(), b.j), b.e.Submit(b.Context(), b.j)); err != nil {
		b.Fatal(err)
	}
}

// until polls until the job stands as wanted.
func (b *bench) until(what string, is func(engine.Status, error) bool) (s engine.Status) {
	b.Helper()
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		list, err := b.e.Poll(b.Context(), []engine.Job{b.j})
		if len(list) > 0 {
			s = list[0]
		}
		if is(s, err) {
			return s
		}
		if time.Since(begin) > 2*time.Minute {
			b.Fatalf("waited in vain: %s: %+v, %v", what, s, err)
		}
	}
}

func (b *bench) end() study.Finished {
	b.Helper()
	return b.until("its end", func(s engine.Status, err error) bool { return err == nil && s.Phase == engine.Ended }).Outcome
}

func (b *bench) waitsFor(part string) {
	b.Helper()
	b.until(part, func(s engine.Status, err error) bool {
		return err == nil && s.Phase == engine.Queued && strings.Contains(s.Reason, part)
	})
}

func isRunning(s engine.Status, err error) bool { return err == nil && s.Phase == engine.Running }

func (b *bench) says(text string, parts ...string) {
	b.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			b.Errorf("%q does not say %q", text, part)
		}
	}
}

// count is how often the server was asked something.
func (b *bench) count(what string) int {
	b.fake.mu.Lock()
	defer b.fake.mu.Unlock()
	return b.fake.requests[what]
}

// An evicted pod is tried again, and both are charged what they used. The note says so.
func TestEviction(t *testing.T) {
	b := newBench(t, `if [ -e again ]; then echo '{"loss": 0.5}'; else touch again; sleep 600; fi`)
	b.e.Charge = study.Cost{Source: "kubernetes", Unit: "EUR", Prices: map[string]float64{"cpu-hour": 3600, "gib-hour": 360}, NodePrices: map[string]map[string]float64{"pool=spot": {"cpu-hour": 1800}}}
	b.runsFirst(func() {})
	out := b.end()
	if out.State != study.Done || out.Value != 0.5 {
		t.Fatalf("%+v", out)
	}
	b.says(out.Note, "2 pods were charged, 1 of them disrupted")
	in, err := readIntent(key(b.j))
	if err != nil || len(in.Attempts) != 2 {
		t.Fatalf("%+v, %v", in, err)
	}
	seconds := 0.0
	for _, a := range in.Attempts {
		seconds += math.Max(a.Finished.Sub(a.Started).Seconds(), 1)
		if a.Guessed != "" || !a.Asked || a.Label != "pool=spot" {
			t.Errorf("%+v", a)
		}
	}
	cost, err := b.e.Cost(b.Context(), b.j)
	if want := seconds * 2 * 0.5; err != nil || cost.Guess || !cost.Known || math.Abs(cost.Amount-want) > 1e-9 {
		t.Errorf("%+v, %v; want %v", cost, err, want)
	}
	// Another controller says the same, from the disk alone.
	if again, err := open().(*Engine).Cost(b.Context(), b.j); err != nil || again != cost {
		t.Errorf("%+v, %v", again, err)
	}
}

// runsFirst has the command run in a first pod, which is evicted then, after the cluster was changed.
func (b *bench) runsFirst(before func()) {
	b.Helper()
	b.submit()
	b.until("it runs", isRunning)
	for {
		if _, err := os.Stat(filepath.Join(b.j.WorkDir, "again")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.fake.set(func() {
		before()
		for _, p := range b.objects["pods"] {
			b.evict(p, "EvictionByEvictionAPI")
		}
	})
}

// What the first pod has used is charged, although the second one was refused by its node while no controller ran.
func TestNeverBeganAfterAPreemption(t *testing.T) {
	b := newBench(t, "touch again; sleep 600")
	b.e.Charge = coreHours
	b.runsFirst(func() { b.unschedulable = "0/1 nodes" })
	b.until("a second pod", func(engine.Status, error) bool { return len(b.e.job(key(b.j)).in.Attempts) == 2 })
	b.fake.set(func() {
		for _, p := range b.objects["pods"] {
			if text(p, "status", "phase") == "Pending" {
				p = clone(p)
				p["spec"].(object)["nodeName"] = "another"
				p["status"] = object{"phase": "Failed", "reason": "UnexpectedAdmissionError", "message": "Allocate failed"}
				b.put("pods", "MODIFIED", p)
			}
		}
	})
	b.e = open().(*Engine)
	if out := b.end(); out.State != study.Failed || !out.Machine { // which says nothing of the setting
		t.Errorf("%+v", out)
	}
	list, err := b.e.Poll(t.Context(), []engine.Job{b.j})
	if err != nil || list[0].NeverBegan {
		t.Errorf("%+v, %v", list, err)
	}
	if cost, err := b.e.Cost(t.Context(), b.j); err != nil || cost.Amount < 2.0/3600 {
		t.Errorf("%+v, %v", cost, err)
	}
}

// A pod that vanishes before its end was seen is charged an estimate, which is marked.
func TestVanished(t *testing.T) {
	b := newBench(t, "sleep 600")
	b.e.Charge = coreHours
	b.submit()
	b.until("it runs", isRunning)
	b.fake.mu.Lock()
	for _, j := range b.objects["jobs"] {
		b.put("jobs", "DELETED", j)
	}
	for _, p := range b.objects["pods"] {
		b.put("pods", "DELETED", p)
	}
	b.fake.mu.Unlock()
	out := b.end()
	if out.State != study.Abandoned {
		t.Errorf("%+v", out)
	}
	b.says(out.Note, "deleted", "estimate")
	if cost, err := b.e.Cost(b.Context(), b.j); err != nil || !cost.Guess || !cost.Known || cost.Amount <= 0 {
		t.Errorf("%+v, %v", cost, err)
	}
}

// Why a job waits is said, and nothing is charged meanwhile.
func TestReasons(t *testing.T) {
	b := newBench(t, reports)
	b.fake.set(func() {
		b.podQuota = `Error creating: pods "x" is forbidden: exceeded quota: few, requested: cpu=2, used: cpu=8, limited: cpu=8`
	})
	b.submit()
	b.waitsFor("exceeded quota: few")
	b.fake.set(func() { b.podQuota, b.unschedulable = "", "0/3 nodes are available: 3 Insufficient cpu." })
	b.waitsFor("Unschedulable: 0/3 nodes are available")
	if cost, err := b.e.Cost(b.Context(), b.j); err != nil || cost.Amount != 0 {
		t.Errorf("%+v, %v", cost, err)
	}
	b.fake.set(func() { b.unschedulable = "" })
	if out := b.end(); out.State != study.Done {
		t.Errorf("%+v", out)
	}
}

// A suspended Job says whom it waits for.
func TestQueue(t *testing.T) {
	b := newBench(t, reports)
	b.e.Queue = "gpus"
	b.submit()
	b.fake.set(func() {
		for _, j := range b.objects["jobs"] {
			if text(j, "metadata", "labels", queueLabel) != "gpus" {
				t.Errorf("%v", j["metadata"])
			}
		}
	})
	b.end()
	r := &reasons{known: map[string]told{"workloads": {time.Now(), map[string]string{"u": "couldn't assign flavors"}}}}
	j := &kubeJob{Metadata: meta{UID: "u", Labels: map[string]string{queueLabel: "gpus"}}}
	j.Spec.Suspend = true
	if got := r.job(t.Context(), nil, &intent{}, j); got != "queue gpus: couldn't assign flavors" {
		t.Error(got)
	}
}

// An image that cannot be had is waited for, and then given up, at no cost.
func TestImage(t *testing.T) {
	b := newBench(t, reports)
	b.e.Charge = coreHours
	b.j.Options = append(b.j.Options, "--image=missing:1")
	b.submit()
	b.waitsFor("ImagePullBackOff: Back-off pulling image \"missing:1\"")
	b.e.Doubt = time.Millisecond
	b.until("it is given up", func(s engine.Status, err error) bool { return b.count("patch pods") > 0 || s.Phase == engine.Ended })
	b.e.Doubt = time.Minute
	out := b.end()
	if out.State != study.Failed {
		t.Errorf("%+v", out)
	}
	b.says(out.Note, "ImagePullBackOff", "engine.image")
	if cost, err := b.e.Cost(b.Context(), b.j); err != nil || cost != (engine.Cost{Known: true}) {
		t.Errorf("%+v, %v", cost, err)
	}
}

// What cannot run is refused before anything is submitted, with the fix.
func TestRefusals(t *testing.T) {
	b := newBench(t, reports)
	probe := func(what string, parts ...string) {
		t.Helper()
		err := open().(*Engine).Probe(t.Context(), b.j)
		if e := b.e; e.Namespace != "" || e.Template != "" && what == "template" {
			err = e.Probe(t.Context(), b.j)
		}
		if fault.CodeOf(err) != fault.CannotRun || fault.HintOf(err) == "" {
			t.Errorf("%s: %v, hint %q", what, err, fault.HintOf(err))
			return
		}
		b.says(err.Error()+"; "+fault.HintOf(err), parts...)
	}
	b.fake.set(func() { b.denied["create jobs"] = true })
	probe("create", "create jobs", "deploy/kubernetes/role.yaml", `User "eke" cannot create resource "jobs"`)
	b.fake.set(func() { clear(b.denied); b.denied["watch pods"], b.denied["get pods/log"] = true, true })
	probe("rights", "no right in namespace default to watch pods, to get pods/log")
	b.fake.set(func() { clear(b.denied) })
	b.e.Namespace = "gone"
	probe("namespace", "there is no namespace gone", "engine: {namespace: NAME}")
	b.e.Namespace = ""
	for text, want := range map[string]string{
		"a: [":                          "it is not YAML",
		"spec: {restartPolicy: Always}": "spec.restartPolicy: it is Always",
		"spec: {containers: [{name: a}, {name: b}]}": "spec.containers: there are 2, and none is called trial",
		"kind: Deployment":                           "kind: it is Deployment",
		"spec: {}":                                   "the container has no image",
	} {
		if err := os.WriteFile(b.e.Template, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		probe("template", want)
	}
	if err := os.WriteFile(b.e.Template, []byte(plain+"  initContainers: [{name: a, image: b, resources: {requests: {cpu: 8}}}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.e.Charge, b.j.Rate = coreHours, 2.0/3600
	probe("template", "a pod costs 8 core-hours in an hour", "cost: {rate: 8}")
	if n := b.count("create jobs"); n > 5 {
		t.Errorf("%d Jobs", n)
	}
	if len(b.objects["jobs"]) > 0 {
		t.Error("something was submitted")
	}
}

// The quota may have no room for another Job, and the API server may be away: the trial waits, and is created once.
func TestAway(t *testing.T) {
	b := newBench(t, reports)
	b.fake.set(func() {
		b.objects["jobs"]["other"] = object{"metadata": object{"name": "other"}, "status": object{"conditions": []any{}}}
		b.jobQuota = 1
	})
	b.submit()
	b.waitsFor("has no room for another Job")
	b.fake.set(func() { b.down = true })
	b.CloseClientConnections()
	b.until("it is away", func(_ engine.Status, err error) bool {
		return fault.CodeOf(err) == fault.Unavailable && strings.Contains(err.Error(), "does not answer") && fault.HintOf(err) != ""
	})
	b.fake.set(func() { b.down, b.jobQuota = false, 0 })
	if out := b.end(); out.State != study.Done {
		t.Errorf("%+v", out)
	}
	if n := len(b.objects["jobs"]); n != 2 {
		t.Errorf("%d Jobs", n)
	}
}

// Jobs that are created at the same time get in each other's way where a quota counts them, and a Job may be deleted by hand just after its name
// was found to be taken. The trial waits, and is created once.
func TestCreatedAtOnce(t *testing.T) {
	changed := refusal{Code: 409, Reason: "Conflict", Message: `Operation cannot be fulfilled on resourcequotas "gke-resource-quotas": the object has been modified; please apply your changes to the latest version and try again`}
	uncounted := refusal{Code: 403, Reason: "Forbidden", Message: `jobs.batch "x" is forbidden: status unknown for quota: few, resources: count/jobs.batch`}
	gone := refusal{Code: 409, Reason: "AlreadyExists", Message: `jobs.batch "x" already exists`}
	b := newBench(t, reports)
	b.fake.set(func() { b.hindered = []refusal{changed, changed, gone, uncounted} })
	b.submit()
	b.waitsFor("resourcequotas")
	b.waitsFor("was deleted a moment ago")
	b.waitsFor("has no room for another Job")
	if out := b.end(); out.State != study.Done {
		t.Errorf("%+v", out)
	}
	b.fake.set(func() { b.hindered = []refusal{gone} })
	b.j.ID, b.j.Dir = "another", filepath.Join(t.TempDir(), "8")
	b.submit()
	if out := b.end(); out.State != study.Done {
		t.Errorf("%+v", out)
	}
}

// An API server that has just been started denies everything for a moment. What was allowed before is tried again; if it stays denied, it is
// an error.
func TestDeniedForAMoment(t *testing.T) {
	b := newBench(t, reports)
	b.submit()
	b.fake.set(func() { b.denied["create jobs"], b.denied["list pods"] = true, true })
	another := b.j
	another.ID, another.Dir, another.Options = "another", filepath.Join(t.TempDir(), "8"), []string{"--cpu=1"}
	if err := b.e.Probe(t.Context(), another); !fault.CodeOf(err).Retryable() || !strings.Contains(err.Error(), "no longer lets eke create jobs") {
		t.Error(err)
	}
	if err := b.e.Submit(t.Context(), another); err != nil {
		t.Errorf("it is to be created later: %v", err)
	}
	next := open().(*Engine) // a controller that was started meanwhile knows that another one was allowed
	if _, err := next.Poll(t.Context(), []engine.Job{b.j}); !fault.CodeOf(err).Retryable() {
		t.Error(err)
	}
	b.e.client.denied["create jobs"] = time.Now().Add(-startTime)
	if err := b.e.Probe(t.Context(), another); fault.CodeOf(err) != fault.CannotRun {
		t.Error(err)
	}
	b.fake.set(func() { clear(b.denied) })
	if out := b.end(); out.State != study.Done {
		t.Errorf("%+v", out)
	}
}

// A Job of that name which is another trial's is left alone.
func TestForeign(t *testing.T) {
	b := newBench(t, reports)
	b.fake.set(func() {
		b.objects["jobs"][nameOf(b.j)] = object{"metadata": object{"name": nameOf(b.j)}, "status": object{"conditions": []any{}}}
	})
	if err := b.e.Submit(t.Context(), b.j); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), nameOf(b.j)) {
		t.Error(err)
	}
}

// What a pod prints is followed only where trials may be stopped early. When the controller changes, nothing is lost or doubled.
func TestFollow(t *testing.T) {
	b := newBench(t, `echo '{"step": 1, "loss": 3}'; while [ ! -e go ]; do sleep 0.02; done; echo '{"step": 2, "loss": 2}'; while [ ! -e on ]; do sleep 0.02; done; echo '{"loss": 1, "cost": 2}'`)
	b.e.Follow, b.j.Fidelity = true, 9
	b.submit()
	printed := func(want string) {
		t.Helper()
		b.until(want, func(engine.Status, error) bool {
			raw, _ := os.ReadFile(filepath.Join(b.j.Dir, engine.StdoutFile))
			return string(raw) == want
		})
	}
	printed("{\"step\": 1, \"loss\": 3}\n")
	b.e = open().(*Engine)
	b.e.Follow = true
	if err := os.WriteFile(filepath.Join(b.j.WorkDir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	printed("{\"step\": 1, \"loss\": 3}\n{\"step\": 2, \"loss\": 2}\n")
	if err := os.WriteFile(filepath.Join(b.j.WorkDir, "on"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := b.end(); out.State != study.Done || out.Value != 1 {
		t.Errorf("%+v", out)
	}
	printed("{\"step\": 1, \"loss\": 3}\n{\"step\": 2, \"loss\": 2}\n{\"loss\": 1, \"cost\": 2}\n")
}

// However many trials there are, the API server is asked for one list of Jobs and one of pods, and a log per trial.
func TestFewRequests(t *testing.T) {
	b := newBench(t, "")
	const trials = 30
	jobs := make([]engine.Job, trials)
	for i := range jobs {
		jobs[i] = b.j
		jobs[i].Trial, jobs[i].ID, jobs[i].Dir = i+1, fmt.Sprintf("trial-%d", i), filepath.Join(t.TempDir(), fmt.Sprint(i))
		jobs[i].Argv = []string{"sh", "-c", fmt.Sprintf("while [ ! -e go ]; do sleep 0.05; done; echo loss=%d; echo cost=1", i)}
		if err := errors.Join(b.e.Probe(t.Context(), jobs[i]), b.e.Submit(t.Context(), jobs[i])); err != nil {
			t.Fatal(err)
		}
	}
	for range 50 {
		if _, err := b.e.Poll(t.Context(), jobs); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(b.j.WorkDir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for ended := 0; ended < trials; time.Sleep(20 * time.Millisecond) {
		list, err := b.e.Poll(t.Context(), jobs)
		if err != nil {
			t.Fatal(err)
		}
		ended = 0
		for i, s := range list {
			if s.Phase == engine.Ended {
				if ended++; s.Outcome.Value != float64(i) {
					t.Fatalf("%d: %+v", i, s.Outcome)
				}
			}
		}
	}
	if lists, logs, dry := b.count("list jobs"), b.count("get pods/log"), b.count("create jobs"); lists != 1 || logs != trials || dry != trials+1 {
		t.Errorf("%d lists, %d logs, %d Jobs", lists, logs, dry)
	}
	if n := b.count("get jobs"); n > 2*trials {
		t.Errorf("%d single questions", n)
	}
}

// A trial's Job has what the API server and people need to know it by, and the setting in three ways. Nothing of the controller's
// environment is in it.
func TestManifest(t *testing.T) {
	t.Setenv("SECRET", "hush")
	e := &Engine{Queue: "gpus", Template: filepath.Join(t.TempDir(), "pod.yaml")}
	if err := os.WriteFile(e.Template, []byte("metadata: {labels: {team: a}}\nspec:\n  volumes: [{name: eke, persistentVolumeClaim: {claimName: data}}]\n  containers:\n  - {name: trial, image: b, env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: s, key: k}}}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	j := engine.Job{Argv: []string{"train", "--lr=$(SECRET)"}, Trial: 7, ID: "x", Study: "A_b.c", Dir: "/d", Options: []string{"--cpu=4", "--nvidia.com/gpu=1", "--image=c:2"}, Setting: space.Setting{"lr": space.Float(0.5)},
		Vars: []string{engine.CheckpointVariable + "=/d/checkpoints/00003-abc"}, Limit: time.Hour, Env: os.Environ()}
	text, err := e.Script(j)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"name: " + nameOf(j), "eke/study: A_b.c", `eke/trial: "7"`, "team: a", queueLabel + ": gpus", "backoffLimit: 0", "type: DisruptionTarget", "action: Ignore", "restartPolicy: Never", "ttlSecondsAfterFinished: 604800",
		"image: c:2", "- --lr=$$(SECRET)", "name: EKE_PARAM_LR", "/eke/params/params.json", "/dev/termination-log", "subPath: checkpoints/00003-abc", "claimName: data", "secretKeyRef", `nvidia.com/gpu: "1"`, "activeDeadlineSeconds: 4469", "terminationGracePeriodSeconds: 30"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in it:\n%s", part, text)
		}
	}
	if strings.Contains(text, "hush") {
		t.Error("a secret is in it")
	}
	if name := nameOf(j); name != nameOf(j) || len(name) > 63 || name == nameOf(engine.Job{ID: "y", Study: j.Study, Trial: 7}) {
		t.Error(name)
	}
}

// Of a trial that was never submitted nothing is charged. Where the folder of a trial is not here, nobody knows what became of its Job.
func TestNeverSubmitted(t *testing.T) {
	for id, isKnown := range map[string]bool{"ABCDEFGH": true, "": false} {
		e, j := &Engine{}, engine.Job{Dir: t.TempDir(), Trial: 1, ID: id}
		list, err := e.Poll(t.Context(), []engine.Job{j})
		if err != nil || list[0].Outcome.State != study.Abandoned || strings.Contains(list[0].Outcome.Note, "never submitted") != isKnown {
			t.Errorf("%q: %+v, %v", id, list, err)
		}
		if cost, err := e.Cost(t.Context(), j); err != nil || cost != (engine.Cost{Known: isKnown}) {
			t.Errorf("%q: %+v, %v", id, cost, err)
		}
	}
}

// The kubeconfig may come to name another cluster than the one that has the Jobs of the open trials. Then nothing is recorded of them, and nothing is
// created again. The same cluster may have another address.
func TestAnotherCluster(t *testing.T) {
	b := newBench(t, "sleep 600")
	b.submit()
	kubeconfig := os.Getenv("KUBECONFIG")
	other := pretend(t, plain)
	refuses := func(err error, was string) {
		t.Helper()
		if fault.CodeOf(err) != fault.CannotRun {
			t.Fatal(err)
		}
		b.says(err.Error()+"; "+fault.HintOf(err), "trial 7 is on the cluster "+was, other.URL, "switch the context back", "engine: {context: NAME}", intentFile)
	}
	_, err := open().Poll(t.Context(), []engine.Job{b.j})
	refuses(err, b.URL)

	raw, err := os.ReadFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	alias := strings.Replace(b.URL, "127.0.0.1", "localhost", 1)
	write(t, filepath.Dir(kubeconfig), map[string]string{"alias": strings.Replace(string(raw), b.URL, alias, 1)})
	elsewhere := os.Getenv("KUBECONFIG")
	t.Setenv("KUBECONFIG", filepath.Join(filepath.Dir(kubeconfig), "alias"))
	in, err := readIntent(key(b.j))
	if err == nil {
		in.Server = "" // as an earlier version leaves it
		err = in.write()
	}
	if err != nil {
		t.Fatal(err)
	}
	b.e = open().(*Engine)
	b.until("it runs", isRunning)
	t.Setenv("KUBECONFIG", elsewhere)
	refuses(open().Cancel(t.Context(), b.j, errors.New("enough")), alias)

	t.Setenv("KUBECONFIG", kubeconfig) // what was to be cancelled is cancelled
	b.e = open().(*Engine)
	if out := b.end(); out.State != study.Cut || !strings.Contains(out.Note, "enough") {
		t.Errorf("%+v", out)
	}
	if n := len(other.objects["jobs"]); n > 0 {
		t.Errorf("%d Jobs on the other cluster", n)
	}
}

// What Kubernetes makes of dollar signs in a Job is what was meant.
func TestDollars(t *testing.T) {
	texts := []string{"$$", "$$(A)", "$(A)", "$", "a$b", "$$$(A)$$", "$(", "$é"}
	b := newBench(t, `printf '%s\n' "$@" "$B"; `+reports)
	b.j.Argv = append(append(b.j.Argv, "sh"), texts...)
	b.j.Vars = []string{"A=wrong", "B=" + strings.Join(texts, " ")}
	b.submit()
	if out := b.end(); out.State != study.Done {
		t.Fatalf("%+v", out)
	}
	raw, err := os.ReadFile(filepath.Join(b.j.Dir, engine.StdoutFile))
	if want := strings.Join(texts, "\n") + "\n" + strings.Join(texts, " ") + "\n"; err != nil || string(raw) != want {
		t.Errorf("%q, want %q, %v", raw, want, err)
	}
}
