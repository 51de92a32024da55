package slurm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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

// control runs a study as eke run does, with less patience.
func control(dir string) error {
	raw, err := os.ReadFile(filepath.Join(dir, "study.yaml"))
	if err != nil {
		return err
	}
	s, err := study.Parse(raw, "study.yaml")
	if err != nil {
		return err
	}
	db, err := sqlite.Open(context.Background(), filepath.Join(dir, "eke.db"))
	if err != nil {
		return err
	}
	defer db.Close()
	b, err := broker.Join(context.Background(), db, s)
	if err != nil {
		return err
	}
	e := quick()
	e.Charge, e.Every = s.Cost, time.Second
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

// kills is a study on a Slurm whose parts are killed.
type kills struct {
	*testing.T
	dir        string
	controller *exec.Cmd
	over       chan error
}

func (k *kills) start() {
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

// attack kills one of the parts, and starts it again, as an administrator would.
func (k *kills) attack(what string) {
	switch what {
	case "controller":
		_ = k.controller.Process.Kill()
		<-k.over
		k.start()
	case "job":
		_ = exec.Command("pkill", "-9", "-o", "-f", jobVerb+" "+k.dir).Run()
	default:
		daemon(k.T, "kill", what)
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Millisecond)
		daemon(k.T, "start", what)
	}
	// A slurmctld that was killed may have forgotten what it has started, and drains the node then.
	_ = exec.Command("scontrol", "update", "NodeName=one", "State=RESUME").Run()
}

// Whatever is killed, every job that ran is charged once, by sacct's own sum; no result is lost; the budget holds at every commit.
func TestKills(t *testing.T) {
	needSlurm(t)
	times, trials := 8, 16
	if n, err := strconv.Atoi(os.Getenv("EKE_TEST_SLURM_KILLS")); err == nil {
		times, trials = n, 2*n
	}
	k := &kills{T: t, dir: t.TempDir()}
	file := fmt.Sprintf(`
name: kills
objective: {goal: minimize}
cost: {source: slurm, unit: core-hours}
budget: {total: 20, trials: %d}
parameters:
  x: {type: float, min: 0, max: 1}
command: [sh, -c, 'sleep $((1 + EKE_TRIAL %% 3)); echo "{{\"objective\": $EKE_PARAM_X}}" > $EKE_RESULT.new && mv $EKE_RESULT.new $EKE_RESULT && echo "$EKE_TRIAL $EKE_PARAM_X" >> reported']
parallel: 4
policy: {name: random}
stop: never
engine: {type: slurm, options: {cpus-per-task: 2}, time: 5m}
`, trials)
	if err := os.WriteFile(filepath.Join(k.dir, "study.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	rng, done := rand.New(rand.NewPCG(1, 2)), map[string]int{}
	k.start()
	for range times {
		time.Sleep(time.Duration(500+rng.IntN(3000)) * time.Millisecond)
		what := []string{"controller", "controller", "slurmctld", "slurmdbd", "job", "job"}[rng.IntN(6)]
		k.attack(what)
		done[what]++
	}
	for range 5 { // until nothing is estimated any more
		select {
		case err := <-k.over:
			if err != nil {
				t.Fatalf("the controller failed: %v\n%s", err, k.said())
			}
		case <-time.After(8 * time.Minute):
			_ = k.controller.Process.Kill()
			t.Fatalf("the study does not end; squeue:\n%s\n%s", slurm(t, "squeue", "-t", "all"), k.said())
		}
		if k.estimated() == 0 {
			break
		}
		time.Sleep(20 * time.Second)
		k.start()
	}
	t.Logf("killed: %v", done)
	k.audit()
}

func (k *kills) said() string {
	raw, _ := os.ReadFile(filepath.Join(k.dir, "said"))
	return string(raw[max(len(raw)-4000, 0):])
}

// record replays the log, and checks the budget after every event.
func (k *kills) record() *study.Record {
	db, err := sqlite.Open(k.Context(), filepath.Join(k.dir, "eke.db"))
	if err != nil {
		k.Fatal(err)
	}
	defer db.Close()
	header, events, err := db.Read(k.Context(), "kills", 0)
	if err != nil {
		k.Fatal(err)
	}
	replay := study.NewRecord(header.Total, header.Measured)
	for _, e := range events {
		if err := replay.Apply(e); err != nil {
			k.Fatal(err)
		}
		if l := replay.Ledger; l.Spent+l.Reserved > l.Total*(1+1e-9) {
			k.Errorf("after event %d: %+v", e.Seq, l)
		}
	}
	return replay
}

func (k *kills) estimated() (n int) {
	for _, t := range k.record().Trials {
		if t.Estimated {
			n++
		}
	}
	return n
}

// audit compares every trial with sacct's records of its jobs. A slurmctld that is killed may forget a job, or leave a record open for ever:
// only then a charge may stay an estimate.
func (k *kills) audit() {
	r, seconds, lost, ids := k.record(), map[int]int{}, map[int]bool{}, map[int]map[string]bool{}
	for _, line := range strings.Split(slurm(k.T, "sacct", "-D", "-X", "-n", "-P", "-S", "now-1days", "-o", "JobName,JobIDRaw,State,CPUTimeRAW"), "\n") {
		f := strings.Split(line, "|")
		if len(f) != 4 || !strings.HasPrefix(f[0], "eke-kills-") {
			continue
		}
		n, _ := strconv.Atoi(strings.Split(f[0], "-")[2])
		s, _ := strconv.Atoi(f[3])
		seconds[n] += s
		lost[n] = lost[n] || !isOver(f[2]) && plain(f[2]) != "REQUEUED"
		if ids[n] == nil {
			ids[n] = map[string]bool{}
		}
		ids[n][f[1]] = true
	}
	states, sum := map[study.State]int{}, 0
	for _, t := range r.Trials {
		states[t.State]++
		sum += seconds[t.Number]
		switch isLost := lost[t.Number] || len(ids[t.Number]) == 0; {
		case t.State.Open() || t.Estimated && !isLost:
			k.Errorf("trial %d is %s, estimated %v", t.Number, t.State, t.Estimated)
		case t.Estimated:
			k.Logf("Slurm has lost the accounts of trial %d, which is charged an estimate of %v core-seconds", t.Number, t.Charged*3600)
		case math.Abs(t.Charged*3600-float64(seconds[t.Number])) > 1e-6:
			k.Errorf("trial %d is charged %v core-seconds, and sacct has %d", t.Number, t.Charged*3600, seconds[t.Number])
		}
		if len(ids[t.Number]) > 1 {
			k.Errorf("trial %d was submitted %d times", t.Number, len(ids[t.Number]))
		}
	}
	reported, _ := os.ReadFile(filepath.Join(k.dir, "reported"))
	for _, line := range strings.Fields(strings.ReplaceAll(strings.TrimSpace(string(reported)), " ", ":")) {
		number, value, _ := strings.Cut(line, ":")
		n, _ := strconv.Atoi(number)
		x, _ := strconv.ParseFloat(value, 64)
		if n < 1 || n > len(r.Trials) || r.Trials[n-1].State != study.Done || r.Trials[n-1].Value != x {
			k.Errorf("trial %d reported %v, and is not on record so", n, x)
		}
	}
	k.Logf("%d trials: %v; %v core-seconds; %+v", len(r.Trials), states, sum, r.Ledger)
}
