package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// The command of the kill test. It says in a file of its own that it has reported, after it has: whoever is named there
// must be in the store. Writing the result and renaming it is how a careful program reports. That its mv is killed, so that
// there is no result, or its last sleep, is no failure of its own.
const reporter = `sleep 0.0$((EKE_TRIAL % 7))
echo "{\"objective\": $EKE_PARAM_X, \"cost\": 0.$((1 + EKE_TRIAL % 9))}" > $EKE_RESULT.new
mv $EKE_RESULT.new $EKE_RESULT || exit 0
echo "$EKE_TRIAL $EKE_PARAM_X 0.$((1 + EKE_TRIAL % 9))" >> reported
sleep 0.0$((EKE_TRIAL % 5)) || exit 0`

// killed is a study whose runs are killed.
type killed struct {
	t    *testing.T
	dir  string
	rng  *rand.Rand
	cost study.Source

	patient bool          // half of the runs are killed only once they have started a trial, however slow the machine
	within  time.Duration // of their start, or of that of a trial, runs are killed
}

func newKilled(t *testing.T, cost study.Source, total string) *killed {
	k := &killed{t: t, dir: t.TempDir(), rng: rand.New(rand.NewPCG(1, 2)), cost: cost, within: 260 * time.Millisecond}
	file := fmt.Sprintf(`
name: killed
objective: {goal: minimize}
cost: {source: %s}
budget: {total: %s}
parameters:
  x: {type: float, min: 0, max: 1}
command: [sh, -c, %q]
parallel: 3
policy: {name: random}
`, cost, total, strings.NewReplacer("{", "{{", "}", "}}").Replace(reporter))
	if err := os.WriteFile(filepath.Join(k.dir, "study.yaml"), []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	return k
}

// fork returns a source of luck that depends on this one.
func (k *killed) fork() *rand.Rand { return rand.New(rand.NewPCG(k.rng.Uint64(), 3)) }

func (k *killed) eke(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		k.t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Args[0] = "eke" // the name by which this program plays that role
	c.Dir = k.dir
	return c
}

// said is what a process has said so far.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// children lists the processes of the study's trials.
func (k *killed) children() (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if env, err := os.ReadFile("/proc/" + e.Name() + "/environ"); err == nil && strings.Contains(string(env), "EKE_DIR="+k.dir) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// underWay is what a run says when a trial has begun, or will not.
var underWay = regexp.MustCompile("started|ended|paused")

// killOnce starts a run and kills it, with its children or without, at some moment. It says whether the run ended before.
func (k *killed) killOnce() (ended bool) {
	run := k.eke("run")
	out := &said{}
	run.Stdout, run.Stderr = out, out
	if err := run.Start(); err != nil {
		k.t.Fatal(err)
	}
	for begun := time.Now(); k.patient && time.Since(begun) < time.Minute && !underWay.MatchString(out.String()); {
		time.Sleep(5 * time.Millisecond)
	}
	const soonest = 10
	time.Sleep(time.Duration(soonest+k.rng.IntN(int(k.within.Milliseconds())-soonest)) * time.Millisecond)
	var children []int
	if k.rng.IntN(2) == 0 {
		children = k.children()
	}
	if len(children) > 0 && k.rng.IntN(2) == 0 { // sometimes a child goes first
		_ = syscall.Kill(children[k.rng.IntN(len(children))], syscall.SIGKILL)
		time.Sleep(time.Duration(k.rng.IntN(3)) * time.Millisecond)
	}
	_ = run.Process.Kill()
	for _, pid := range children {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	err := run.Wait()
	if run.ProcessState.Exited() && run.ProcessState.ExitCode() != fault.ExitFine && run.ProcessState.ExitCode() != fault.ExitOver {
		k.t.Fatalf("the run went wrong: %v\n%s", err, out.String())
	}
	return run.ProcessState.Exited()
}

// TestKill kills runs of a study, with their children, at random moments, and looks whether anything was lost, or paid twice.
func TestKill(t *testing.T) {
	times := map[study.Source]int{study.Reported: 200, study.Walltime: 60}
	if testing.Short() {
		times = map[study.Source]int{study.Reported: 20, study.Walltime: 10}
	}
	for cost, n := range times {
		t.Run(string(cost), func(t *testing.T) {
			t.Parallel()
			k := newKilled(t, cost, "3")
			kills := 0
			for kills < n {
				k.patient = kills%2 == 1 // on a busy machine some runs would all be killed before they begin a trial
				if !k.killOnce() {
					kills++
					continue
				}
				if out, err := k.eke("budget", "add", "2").CombinedOutput(); err != nil { // and on
					t.Fatalf("%v\n%s", err, out)
				}
			}
			if out, err := k.eke("budget", "add", "2").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if out, err := k.eke("run").CombinedOutput(); err != nil {
				t.Fatalf("the last run: %v\n%s", err, out)
			}
			k.audit(kills)
		})
	}
}

// history reads the log of the study.
func (k *killed) history() (store.Header, []study.Event) {
	db, err := sqlite.Open(context.Background(), filepath.Join(k.dir, "eke.db"))
	if err != nil {
		k.t.Fatal(err)
	}
	defer db.Close()
	h, events, err := db.Read(context.Background(), "killed", 0)
	if err != nil {
		k.t.Fatal(err)
	}
	return h, events
}

// audit goes through the history of the ledger, and through what the commands have reported.
func (k *killed) audit(kills int) {
	t := k.t
	h, events := k.history()
	r := study.NewRecord(h.Total, h.Measured)
	for _, e := range events {
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
		grants := e.Kind == study.EventAsked || e.Kind == study.EventExtended || e.Kind == study.EventLowered
		if l := r.Ledger; grants && l.Spent+l.Reserved > l.Total*(1+1e-9) {
			t.Errorf("event %d (%s) carried spent + reserved past the total: %+v", e.Seq, e.Kind, l)
		}
		if l := r.Ledger; h.Measured && l.Spent > l.Total*(1+1e-9) {
			t.Errorf("event %d: more was spent than there is: %+v", e.Seq, l)
		}
	}
	sum, states := 0.0, map[study.State]int{}
	for _, trial := range r.Trials {
		sum += trial.Charged
		if states[trial.State]++; trial.State.Open() {
			t.Errorf("trial %d is left %s", trial.Number, trial.State)
		}
	}
	if diff := sum - r.Ledger.Spent; diff > 1e-9 || diff < -1e-9 {
		t.Errorf("spent is %v, the sum of what was charged %v", r.Ledger.Spent, sum)
	}
	if n := len(r.Known); n != 0 && n != 3 {
		t.Errorf("%d of 3 known results are there", n)
	}
	reported := k.reported(r)
	if pids := k.children(); len(pids) > 0 {
		t.Errorf("processes are left: %v", pids)
	}
	t.Logf("%d kills, %d trials %v, %d reported, spent %.2f of %.2f", kills, len(r.Trials), states, reported, sum, r.Ledger.Total)
	if states[study.Abandoned] == 0 || states[study.Done] == 0 {
		t.Errorf("the kills hit nothing: %v", states)
	}
}

// reported checks that every trial which reported is there, once, with its value and what it cost.
func (k *killed) reported(r *study.Record) (n int) {
	file, err := os.Open(filepath.Join(k.dir, "reported"))
	if err != nil {
		k.t.Fatal(err)
	}
	defer file.Close()
	seen := map[int]bool{}
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		var trial int
		var value, cost float64
		if _, err := fmt.Sscan(lines.Text(), &trial, &value, &cost); err != nil {
			k.t.Fatalf("%q: %v", lines.Text(), err)
		}
		if seen[trial] {
			k.t.Errorf("trial %d reported twice: it was run twice", trial)
		}
		seen[trial] = true
		got := r.Trials[trial-1]
		if len(got.Was) > 0 { // it was corrected: the first figures are those that were reported, unless it was given up then
			if got.State, got.Value, got.Charged = got.Was[0].State, got.Was[0].Value, got.Was[0].Charged; got.State == study.Abandoned {
				continue
			}
		}
		if got.State != study.Done || got.Value != value || (k.cost == study.Reported && got.Charged != cost) {
			raw, _ := json.Marshal(got)
			k.t.Errorf("trial %d reported %v at %v, the store has %s", trial, value, cost, raw)
		}
	}
	return n
}
