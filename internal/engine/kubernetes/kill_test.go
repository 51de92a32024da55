package kubernetes

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/runner/runnertest"
	"github.com/eke-bo/eke/study"
)

// ran is what a node's agent has on a pod that it has run: the truth, whatever the API server has heard of it.
type ran struct {
	dir        string // of its container
	pod        object
	trial      int
	pid        int
	begin, end time.Time
}

// seconds is what the API server would make of it: it counts whole seconds, and whatever ran is charged one.
func (x ran) seconds() float64 {
	return max(x.end.Truncate(time.Second).Sub(x.begin.Truncate(time.Second)).Seconds(), 1)
}

// runsOf lists the pods that agents have run, by what is in their folders.
func runsOf(nodes ...string) (list []ran) {
	for _, node := range nodes {
		dirs, _ := filepath.Glob(filepath.Join(node, "pods", "*", trialName))
		for _, dir := range dirs {
			x := ran{dir: dir}
			stamp := func(name string) time.Time {
				info, err := os.Stat(filepath.Join(dir, name))
				if err != nil {
					return time.Time{}
				}
				return info.ModTime()
			}
			if raw, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "pod.json")); err == nil {
				_ = json.Unmarshal(raw, &x.pod)
			}
			x.trial, _ = strconv.Atoi(text(x.pod, "metadata", "labels", trialLabel))
			raw, _ := os.ReadFile(filepath.Join(dir, "pid"))
			x.pid, _ = strconv.Atoi(strings.TrimSpace(string(raw)))
			if x.begin, x.end = stamp("began"), stamp("exit"); x.end.IsZero() {
				x.end = stamp("killed") // with its node
			}
			if !x.begin.IsZero() && x.pid > 0 {
				list = append(list, x)
			}
		}
	}
	slices.SortFunc(list, func(a, b ran) int { return a.begin.Compare(b.begin) })
	return list
}

// running picks one of a site's pods that run; ok is false if none does.
func (k *site) running(rng *rand.Rand) (x ran, ok bool) {
	alive := slices.DeleteFunc(runsOf(k.nodes...), func(x ran) bool {
		return !x.end.IsZero() || k.namespace != "" && text(x.pod, "metadata", "namespace") != k.namespace
	})
	if len(alive) == 0 {
		return x, false
	}
	return alive[rng.IntN(len(alive))], true
}

// site is a study that a controller of its own runs on nodes of the test.
type site struct {
	*runnertest.Site
	nodes     []string // folders of their agents
	namespace string   // "": that of the pretended cluster
	nodesDie  bool     // with all that runs on them
}

const killsStudy = `
objective: {goal: minimize}
cost: {source: kubernetes, unit: EUR, prices: {cpu-hour: 3600}}
budget: {total: 1000000}
parameters:
  x: {type: float, min: 0, max: 1}
command: [sh, -c, 'sleep $((1 + EKE_TRIAL % 3)).$((EKE_TRIAL % 10)); echo "{{\"objective\": $EKE_PARAM_X}}" > $EKE_RESULT; echo "$EKE_TRIAL $EKE_PARAM_X" >> reported']
parallel: 4
policy: {name: random}
stop: never
engine: {type: kubernetes, image: a, resources: {cpu: 2}, time: 5m}
`

// attack kills or disturbs a part of the pretended cluster.
func (f *fake) attack(k *site, what string, rng *rand.Rand) {
	k.Helper()
	switch what {
	case "controller":
		k.Kill()
		k.Start()
	case "API server":
		f.set(func() { f.down = true })
		f.CloseClientConnections()
		time.Sleep(time.Duration(rng.IntN(1000)) * time.Millisecond)
		f.set(func() { f.down = false })
	case "eviction", "pod":
		x, ok := k.running(rng)
		if !ok {
			return
		}
		if what == "pod" {
			_ = syscall.Kill(x.pid, syscall.SIGKILL)
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if p := f.objects["pods"][text(x.pod, "metadata", "name")]; p != nil && at(p, "metadata", "deletionTimestamp") == nil {
			f.evict(p, "EvictionByEvictionAPI")
		}
	case "duplicate":
		f.mu.Lock()
		var job object
		for _, j := range f.objects["jobs"] {
			job = clone(j)
		}
		f.mu.Unlock()
		if job == nil {
			return
		}
		where, err := reach("")
		if err != nil {
			k.Fatal(err)
		}
		if _, err := newClient(where).createJob(k.Context(), "default", job, false); codeOf(err) != 409 {
			k.Errorf("a second Job: %v", err)
		}
	}
}

// manyKills is how often the long test kills something.
func manyKills(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("EKE_TEST_KUBERNETES_KILLS")); err == nil {
		return n
	}
	return usual
}

// The answer to a Job's creation may be lost. Its UID is on disk as soon as it is known. If the controller was killed before, and the Job was deleted after its pod was
// seen, what that has used is charged, and there is no second Job.
func TestLostAnswer(t *testing.T) {
	b := newBench(t, "sleep 600")
	b.e.Charge = coreHours
	b.submit()
	b.until("it runs", isRunning)
	in := b.e.job(key(b.j)).in
	uid := in.UID
	in.UID = ""
	if err := in.write(); err != nil {
		t.Fatal(err)
	}
	b.until("it runs still", isRunning)
	if in, err := readIntent(key(b.j)); err != nil || in.UID != uid {
		t.Errorf("%+v, %v", in, err)
	}
	in.UID = ""
	if err := in.write(); err != nil {
		t.Fatal(err)
	}
	b.fake.set(func() {
		for _, j := range b.objects["jobs"] {
			b.put("jobs", "DELETED", j)
		}
		for _, p := range b.objects["pods"] {
			b.put("pods", "DELETED", p)
		}
	})
	created := b.count("create jobs")
	b.e = open().(*Engine)
	if out := b.end(); out.State != study.Abandoned || b.count("create jobs") != created {
		t.Errorf("%+v", out)
	}
	if cost, err := b.e.Cost(t.Context(), b.j); err != nil || !cost.Guess || cost.Amount <= 0 {
		t.Errorf("%+v, %v", cost, err)
	}
}

// Whatever is killed, every pod that ran is charged once, by its own time; no result is lost, and no trial has two Jobs.
func TestKills(t *testing.T) {
	f := pretend(t, plain)
	k := &site{Site: runnertest.New(t, "kills", killsStudy), nodes: []string{f.node.dir}}
	times := 10
	if testing.Short() {
		times = 5
	}
	rng, done := rand.New(rand.NewPCG(1, uint64(times))), map[string]int{}
	k.Start()
	for i := range times {
		k.pause(time.Duration(200+rng.IntN(1500))*time.Millisecond, done)
		what := []string{"controller", "eviction", "API server", "duplicate", "pod"}[i%5]
		f.attack(k, what, rng)
		done[what]++
	}
	k.Close()
	k.End()
	k.audit()
	t.Logf("killed: %v", done)
}

// pause waits; the controller is not to end meanwhile.
func (k *site) pause(d time.Duration, done map[string]int) {
	k.Helper()
	select {
	case err := <-k.Over:
		k.Fatalf("the controller ended before all was killed: %v, %v\n%s", err, done, k.Said())
	case <-time.After(d):
	}
}

// audit compares every trial with what the nodes know of its pods.
func (k *site) audit() *study.Record {
	k.Helper()
	r := k.Record()
	pods := map[int][]ran{}
	for _, x := range runsOf(k.nodes...) {
		if k.namespace == "" || text(x.pod, "metadata", "namespace") == k.namespace {
			pods[x.trial] = append(pods[x.trial], x)
		}
	}
	states, charged, used, exact, estimated := map[study.State]int{}, 0.0, 0.0, 0.0, 0
	guessed, guessedOf := 0.0, 0.0
	for _, t := range r.Trials {
		states[t.State]++
		want, jobs := 0.0, map[string]bool{}
		for i, x := range pods[t.Number] {
			want += 2 * x.seconds()
			exact += 2 * x.end.Sub(x.begin).Seconds()
			if x.end.IsZero() {
				k.Errorf("trial %d: pod %s never ended", t.Number, x.dir)
			}
			if i > 0 && x.begin.Before(pods[t.Number][i-1].end) {
				k.Errorf("trial %d: two of its pods ran at once", t.Number)
			}
			owners, _ := at(x.pod, "metadata", "ownerReferences").([]any)
			for _, o := range owners {
				jobs[text(o, "uid")] = true
			}
		}
		charged, used = charged+t.Charged, used+want
		if t.Estimated {
			guessed, guessedOf = guessed+t.Charged, guessedOf+want
		}
		switch {
		case t.Estimated:
			k.Logf("trial %d (%s: %s) was charged an estimate of %v, and used %v", t.Number, t.State, t.Note, t.Charged, want)
			if estimated++; !strings.Contains(t.Note, "estimate") {
				k.Errorf("trial %d was charged an estimate, and does not say why: %s", t.Number, t.Note)
			}
			if t.Charged < want-2 { // an estimate goes to when its node was back, and Kubernetes counts whole seconds
				k.Errorf("trial %d was charged an estimate of %v, and used %v", t.Number, t.Charged, want)
			}
		case math.Abs(t.Charged-want) > 1e-9:
			k.Errorf("trial %d (%s: %s) was charged %v, and used %v", t.Number, t.State, t.Note, t.Charged, want)
		}
		if !t.State.Ended() || len(jobs) > 1 {
			k.Errorf("trial %d is %s, and has %d Jobs", t.Number, t.State, len(jobs))
		}
		if x, _ := t.Setting["x"].Number(); t.State == study.Done && x != t.Value {
			k.Errorf("trial %d has the value %v, and its setting %v", t.Number, t.Value, x)
		}
		if t.Estimated || math.Abs(t.Charged-want) > 1e-9 { // how it came about
			if in, err := readIntent(filepath.Join(k.Dir, "trials", fmt.Sprintf("%05d", t.Number))); err == nil {
				for _, a := range in.Attempts {
					k.Logf("trial %d: pod %s, created %v, started %v, finished %v, %q, disrupted %q", t.Number, a.Pod, a.Created, a.Started, a.Finished, a.Guessed, a.Disrupted)
				}
			}
			for _, x := range pods[t.Number] {
				k.Logf("trial %d: pod %s ran from %v to %v", t.Number, text(x.pod, "metadata", "name"), x.begin, x.end)
			}
		}
		delete(pods, t.Number)
	}
	if len(pods) > 0 {
		k.Errorf("pods ran for trials that nobody knows: %v", slices.Collect(maps.Keys(pods)))
	}
	of, paid := used, charged
	if k.nodesDie { // nobody knows when what ran on a node ended
		of, paid = used-guessedOf, charged-guessed
	}
	if math.Abs(paid-of) > 0.02*of || len(r.Trials) < 4 {
		k.Errorf("%d trials were charged %v, and used %v; %d are estimates", len(r.Trials), charged, used, estimated)
	}
	k.Reported(r, func(t study.Trial) bool { return strings.Contains(t.Note, "deleted from outside") }) // a pod that was deleted has told nobody
	k.Logf("%d trials: %v; charged %.2f, used %.2f in whole seconds (%+.2f %%), %.2f in all; %d are estimates of %.2f for %.2f", len(r.Trials), states, charged, used, 100*(charged/used-1), exact, estimated, guessed, guessedOf)
	return r
}
