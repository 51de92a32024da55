package kubernetes

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/source"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// controllerVerb is the word by which the test's program plays a controller.
const controllerVerb = "the-controller-in"

// control runs a study as eke run does.
func control(dir string) error {
	s, db, err := openStudy(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	b, err := broker.Join(context.Background(), db, s)
	if err != nil {
		return err
	}
	e := New(s)
	e.Template, e.Doubt = os.Getenv(templateVariable), 10*time.Second
	sum, err := runner.Run(context.Background(), runner.Config{
		Source: &source.Store{Broker: b}, Engine: e, Dir: filepath.Join(dir, "runners"), Trials: filepath.Join(dir, "trials"), WorkDir: dir,
		Tell: func(n runner.News) {
			if n.Trial != nil {
				fmt.Println(n.Kind, n.Trial.Number, n.Trial.State, n.Text, n.Trial.Note)
			} else {
				fmt.Println(n.Kind, n.Text)
			}
		},
	})
	fmt.Println(sum.Code, sum.Text)
	return err
}

func openStudy(dir string) (*study.Study, *sqlite.Store, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "study.yaml"))
	if err != nil {
		return nil, nil, err
	}
	s, err := study.Parse(raw, "study.yaml")
	if err != nil {
		return nil, nil, err
	}
	db, err := sqlite.Open(context.Background(), filepath.Join(dir, "eke.db"))
	return s, db, err
}

// site is a study that a controller of its own runs.
type site struct {
	*testing.T
	*fake
	dir        string
	controller *exec.Cmd
	over       chan error
}

func (k *site) start() {
	k.Helper()
	k.controller = exec.Command(os.Args[0], controllerVerb, k.dir)
	out, err := os.OpenFile(filepath.Join(k.dir, "said"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		k.Fatal(err)
	}
	defer out.Close()
	k.controller.Stdout, k.controller.Stderr = out, out
	if err := k.controller.Start(); err != nil {
		k.Fatal(err)
	}
	k.over = make(chan error, 1)
	go func(c *exec.Cmd, over chan<- error) { over <- c.Wait() }(k.controller, k.over)
}

func (k *site) said() string {
	raw, _ := os.ReadFile(filepath.Join(k.dir, "said"))
	return string(raw[max(len(raw)-3000, 0):])
}

// attack kills or disturbs one of the parts.
func (k *site) attack(what string, rng *rand.Rand) {
	k.Helper()
	switch what {
	case "controller":
		_ = k.controller.Process.Kill()
		<-k.over
		k.start()
	case "API server":
		k.fake.set(func() { k.down = true })
		k.CloseClientConnections()
		time.Sleep(time.Duration(rng.IntN(1000)) * time.Millisecond)
		k.fake.set(func() { k.down = false })
	case "eviction", "pod":
		k.fake.mu.Lock()
		defer k.fake.mu.Unlock()
		for _, name := range slices.Sorted(maps.Keys(k.objects["pods"])) {
			p := k.objects["pods"][name]
			if text(p, "status", "phase") != "Running" || at(p, "metadata", "deletionTimestamp") != nil {
				continue
			}
			if what == "eviction" {
				k.evict(p, "EvictionByEvictionAPI")
			} else if pid, err := os.ReadFile(filepath.Join(k.dir, "pid-"+text(p, "metadata", "labels", trialLabel))); err == nil {
				n, _ := strconv.Atoi(string(pid))
				_ = syscall.Kill(n, syscall.SIGKILL)
			}
			return
		}
	case "duplicate":
		k.fake.mu.Lock()
		var job object
		for _, j := range k.objects["jobs"] {
			job = clone(j)
		}
		before := len(k.objects["jobs"])
		k.fake.mu.Unlock()
		if job == nil {
			return
		}
		where, err := reach("")
		if err != nil {
			k.Fatal(err)
		}
		if _, err := newClient(where).createJob(k.Context(), "default", job, false); codeOf(err) != 409 {
			k.Errorf("a second Job of %d: %v", before, err)
		}
	}
}

// used adds up, from all that the API server has ever said, for how many seconds the pods of each trial ran.
func (k *site) used() map[int]float64 {
	k.fake.mu.Lock()
	defer k.fake.mu.Unlock()
	type span struct {
		trial      int
		begin, end time.Time
	}
	pods := map[string]*span{}
	for _, c := range k.history {
		if c.resource != "pods" {
			continue
		}
		uid := text(c.object, "metadata", "uid")
		if pods[uid] == nil {
			pods[uid] = &span{}
		}
		s := pods[uid]
		s.trial, _ = strconv.Atoi(text(c.object, "metadata", "labels", trialLabel))
		list, _ := at(c.object, "status", "containerStatuses").([]any)
		for _, status := range list {
			for _, state := range []string{"running", "terminated"} {
				if t, err := time.Parse(time.RFC3339, text(status, "state", state, "startedAt")); err == nil {
					s.begin = t
				}
			}
			if t, err := time.Parse(time.RFC3339, text(status, "state", "terminated", "finishedAt")); err == nil {
				s.end = t
			}
		}
	}
	seconds := map[int]float64{}
	for uid, s := range pods {
		if !s.begin.IsZero() && s.end.IsZero() {
			k.Errorf("pod %s of trial %d never ended", uid, s.trial)
		}
		if !s.begin.IsZero() {
			seconds[s.trial] += math.Max(s.end.Sub(s.begin).Seconds(), 1)
		}
	}
	return seconds
}

// Whatever is killed, every pod that ran is charged once, by its own time; no result is lost, and no trial has two Jobs.
func TestKills(t *testing.T) {
	times := 10
	if n, err := strconv.Atoi(os.Getenv("EKE_TEST_KUBERNETES_KILLS")); err == nil {
		times = n
	} else if testing.Short() {
		times = 5
	}
	k := &site{T: t, fake: pretend(t, plain), dir: t.TempDir()}
	const file = `name: kills
objective: {goal: minimize}
cost: {source: kubernetes, unit: EUR, prices: {cpu-hour: 3600}}
budget: {total: 1000000}
parameters:
  x: {type: float, min: 0, max: 1}
command: [sh, -c, 'echo -n $$ > pid-$EKE_TRIAL; sleep 1.$((EKE_TRIAL % 10)); echo "$EKE_TRIAL $EKE_PARAM_X" >> reported; echo "{{\"objective\": $EKE_PARAM_X}}" > $EKE_RESULT']
parallel: 4
policy: {name: random}
stop: never
engine: {type: kubernetes, image: a, resources: {cpu: 2}, time: 5m}
`
	if err := os.WriteFile(filepath.Join(k.dir, "study.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	rng, done := rand.New(rand.NewPCG(1, uint64(times))), map[string]int{}
	k.start()
	for i := range times {
		select {
		case err := <-k.over:
			t.Fatalf("the controller ended before all was killed: %v, %v\n%s", err, done, k.said())
		case <-time.After(time.Duration(200+rng.IntN(1500)) * time.Millisecond):
		}
		what := []string{"controller", "eviction", "API server", "duplicate", "pod"}[i%5]
		k.attack(what, rng)
		done[what]++
	}
	s, db, err := openStudy(k.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	b, err := broker.Join(t.Context(), db, s)
	if err == nil {
		err = b.Close(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-k.over:
		if err != nil {
			t.Fatalf("%v\n%s", err, k.said())
		}
	case <-time.After(5 * time.Minute):
		_ = k.controller.Process.Kill()
		t.Fatalf("the study does not end\n%s", k.said())
	}
	k.audit(db)
	t.Logf("killed: %v", done)
}

func (k *site) audit(db *sqlite.Store) {
	k.Helper()
	header, events, err := db.Read(k.Context(), "kills", 0)
	if err != nil {
		k.Fatal(err)
	}
	record := study.NewRecord(header.Total, header.Measured)
	for _, e := range events {
		if err := record.Apply(e); err != nil {
			k.Fatal(err)
		}
		if l := record.Ledger; l.Spent+l.Reserved > l.Total*(1+1e-9) {
			k.Errorf("after event %d: %+v", e.Seq, l)
		}
	}
	used, charged, ran, estimated := k.used(), 0.0, 0.0, 0
	for _, t := range record.Trials {
		want := used[t.Number] * 2
		charged, ran = charged+t.Charged, ran+want
		if t.Estimated {
			estimated++
		} else if math.Abs(t.Charged-want) > 1e-9 {
			k.Errorf("trial %d (%s: %s) was charged %v, and used %v", t.Number, t.State, t.Note, t.Charged, want)
		}
		if x, _ := t.Setting["x"].Number(); t.State == study.Done && math.Abs(x-t.Value) > 1e-12 {
			k.Errorf("trial %d has the value %v, and reported %v", t.Number, t.Value, x)
		}
		if !t.State.Ended() {
			k.Errorf("trial %d is %s", t.Number, t.State)
		}
		delete(used, t.Number)
	}
	if len(used) > 0 {
		k.Errorf("pods ran for trials that nobody knows: %v", used)
	}
	if math.Abs(charged-ran) > 0.02*ran+2*float64(estimated) || len(record.Trials) < 5 || ran == 0 {
		k.Errorf("%d trials were charged %v, and used %v; %d are estimates", len(record.Trials), charged, ran, estimated)
	}
	jobs := map[string]int{}
	k.fake.mu.Lock()
	for _, c := range k.history {
		if c.resource == "jobs" && c.kind == "ADDED" {
			jobs[text(c.object, "metadata", "name")]++
		}
	}
	k.fake.mu.Unlock()
	for name, n := range jobs {
		if n > 1 {
			k.Errorf("%s was created %d times", name, n)
		}
	}
	k.Logf("%d trials, %v charged, %v used, %d estimated", len(record.Trials), charged, ran, estimated)
}
