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
	"slices"
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

	several bool          // the study has two objectives, of which the second is the trial's number
	patient bool          // half of the runs are killed only once they have started a trial, however slow the machine
	within  time.Duration // of their start, or of that of a trial, runs are killed
}

func newKilled(t *testing.T, cost study.Source, total string, seed uint64) *killed {
	k := &killed{t: t, dir: t.TempDir(), rng: rand.New(rand.NewPCG(seed, 2)), cost: cost, within: 260 * time.Millisecond}
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

// useSeveral gives the study two objectives.
func (k *killed) useSeveral() {
	k.several = true
	path := filepath.Join(k.dir, "study.yaml")
	raw, err := os.ReadFile(path)
	if err != nil {
		k.t.Fatal(err)
	}
	text := strings.NewReplacer("objective: {goal: minimize}", "objectives: {loss: {goal: minimize}, number: {goal: maximize}}",
		`\\\"objective\\\": $EKE_PARAM_X`, `\\\"loss\\\": $EKE_PARAM_X, \\\"number\\\": $EKE_TRIAL`).Replace(string(raw))
	if strings.Contains(text, "objective\\") {
		k.t.Fatalf("the command reports one objective:\n%s", text)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		k.t.Fatal(err)
	}
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

// await waits until the process has said something, or has ended.
func (s *said) await(t *testing.T, what *regexp.Regexp, ended <-chan struct{}) {
	t.Helper()
	for begun := time.Now(); !what.MatchString(s.String()); {
		select {
		case <-ended:
			return
		case <-time.After(5 * time.Millisecond):
		}
		if time.Since(begun) > hangs {
			t.Fatalf("after %v it has not said %q, but:\n%s", hangs, what, s)
		}
	}
}

// hangs is how long a process may take for what takes it a moment, however busy the machine.
const hangs = 5 * time.Minute

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
	var err error
	over := make(chan struct{})
	go func() {
		err = run.Wait()
		close(over)
	}()
	if k.patient {
		out.await(k.t, underWay, over)
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
	<-over
	if run.ProcessState.Exited() && !wentWell(run.ProcessState) {
		k.t.Fatalf("the run went wrong: %v\n%s", err, out)
	}
	return run.ProcessState.Exited()
}

// wentWell says whether a run has spent all it could, or found nothing to do.
func wentWell(run *os.ProcessState) bool {
	return run.ExitCode() == fault.ExitFine || run.ExitCode() == fault.ExitOver
}

// finish lets the study come to its end. The first run takes up what the killed ones have left. Reported costs may have gone past the budget
// by then: the last run has money all the same, and so something to do.
func (k *killed) finish() {
	run := k.eke("run")
	if out, err := run.CombinedOutput(); !wentWell(run.ProcessState) {
		k.t.Fatalf("the last run but one: %v\n%s", err, out)
	}
	k.must("budget", "add", fmt.Sprint(k.record().Ledger.Overrun()+2))
	k.must("run")
}

func (k *killed) must(args ...string) {
	k.t.Helper()
	if out, err := k.eke(args...).CombinedOutput(); err != nil {
		k.t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// record replays the log of the study. Nobody runs the study meanwhile.
func (k *killed) record() *study.Record {
	k.t.Helper()
	h, events := k.history()
	r := study.NewRecord(h.Total, h.Measured)
	for _, e := range events {
		if err := r.Apply(e); err != nil {
			k.t.Fatal(err)
		}
	}
	return r
}

// abandoned says whether a kill has hit a trial, as far as is known: the trials of the run that was killed last are settled by the next.
func (k *killed) abandoned() bool {
	_, events := k.history()
	return slices.ContainsFunc(events, func(e study.Event) bool { return e.Kind == study.EventFinished && e.Finished.State == study.Abandoned })
}

// TestKill kills runs of studies, with their children, at random moments, and looks whether anything was lost, or paid twice.
func TestKill(t *testing.T) {
	eachKilled(t, map[study.Source]int{study.Reported: 4, study.Walltime: 2}, func(k *killed) {
		if strings.HasSuffix(k.t.Name(), "/2") {
			k.useSeveral()
		}
		n := 50
		if k.cost == study.Walltime {
			n = 30
		}
		if testing.Short() {
			n = 5
		}
		kills := 0
		for kills < n || kills < 10*n && !k.abandoned() {
			k.patient = kills%2 == 1 // on a busy machine some runs would all be killed before they begin a trial
			if !k.killOnce() {
				kills++
				continue
			}
			k.must("budget", "add", "2") // and on
		}
		k.finish()
		k.audit(kills)
	})
}

// eachKilled has some studies of each source of costs killed, each with a luck of its own. Several short studies are quicker than a long one,
// whose models take longer with every result.
func eachKilled(t *testing.T, studies map[study.Source]int, kill func(*killed)) {
	for cost, n := range studies {
		for seed := range n {
			t.Run(fmt.Sprintf("%s/%d", cost, seed+1), func(t *testing.T) {
				t.Parallel()
				kill(newKilled(t, cost, "3", uint64(seed+1)))
			})
		}
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
	if !k.abandoned() || states[study.Done] == 0 { // a correction may have given an abandoned trial a value since
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
		if number, there := got.Metrics["number"]; k.several && (!there || number != float64(trial)) {
			k.t.Errorf("trial %d has another objective of %v", trial, number)
		}
		if got.State != study.Done || got.Value != value || (k.cost == study.Reported && got.Charged != cost) {
			raw, _ := json.Marshal(got)
			k.t.Errorf("trial %d reported %v at %v, the store has %s", trial, value, cost, raw)
		}
	}
	return n
}
