package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/study"
)

// The command of the kill test with steps. It goes on from its checkpoint, costs 0.1 for each epoch of its own, and says in a file of its
// own what it has printed, after it has.
const trainer = `saved=$(cat $EKE_CHECKPOINT/epoch) 2>&- || saved=0
own=0 e=$saved
while test $e -lt $EKE_PARAM_EPOCHS; do
  sleep 0.0$((4 + EKE_TRIAL % 4)) || exit 0
  e=$((e + 1)) own=$((own + 1))
  value=$EKE_PARAM_X.$((9 - e))
  echo "{\"step\": $e, \"objective\": $value, \"cost\": 0.$own}"
  echo "$EKE_TRIAL $e $value 0.$own" >> stepped
  echo $e > $EKE_CHECKPOINT/new && mv $EKE_CHECKPOINT/new $EKE_CHECKPOINT/epoch
done
echo "{\"objective\": $value, \"cost\": 0.$own}" > $EKE_RESULT.new
mv $EKE_RESULT.new $EKE_RESULT || exit 0
echo "$EKE_TRIAL $value 0.$own" >> reported`

func newKilledOnItsWay(t *testing.T, cost study.Source) *killed {
	k := newKilled(t, cost, "3", 1)
	file := fmt.Sprintf(`
name: killed
objective: {goal: minimize}
cost: {source: %s}
budget: {total: 3}
parameters:
  x: {type: int, min: 10, max: 99}
fidelity: {name: epochs, steps: [1, 3, 9], resume: true, stop_early: median}
command: [sh, -c, %q]
parallel: 3
policy: {name: asha}
`, cost, strings.NewReplacer("{", "{{", "}", "}}").Replace(trainer))
	if err := os.WriteFile(filepath.Join(k.dir, "study.yaml"), []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	k.within = 700 * time.Millisecond // trials have to get far enough to be stopped early
	return k
}

// TestKillSteps kills runs of a study whose trials show values on their way, are stopped early, and go on from each other's checkpoints, some
// of which are lost:
// EKE_KILLS=100 go test -run TestKillSteps ./cmd/eke.
func TestKillSteps(t *testing.T) {
	kills, long := 4, false
	if n, err := strconv.Atoi(os.Getenv("EKE_KILLS")); err == nil {
		kills, long = n, true
	}
	for _, cost := range []study.Source{study.Reported, study.Walltime} {
		t.Run(string(cost), func(t *testing.T) {
			t.Parallel()
			k := newKilledOnItsWay(t, cost)
			deleted, end := k.deleteCheckpoints()
			defer end()
			n := 0
			for n < kills || n < 100*kills && !k.hits(long, deleted).all() {
				k.enqueueLevels()
				k.patient = n%2 == 0
				if !k.killOnce() {
					n++
					continue
				}
				k.must("budget", "add", "2") // and on
			}
			k.finish()
			end()
			k.auditSteps(n, k.hits(long, deleted))
		})
	}
}

// enqueueLevels asks for a look, and for the same setting in full. The second goes on from the first if that has ended by then.
func (k *killed) enqueueLevels() {
	if _, err := os.Stat(filepath.Join(k.dir, "eke.db")); err != nil {
		return // the study has not begun
	}
	x := fmt.Sprintf("x=%d", 10+k.rng.IntN(20))
	k.must("enqueue", x, "epochs=3")
	k.must("enqueue", x, "epochs=9")
}

// deleteCheckpoints deletes some checkpoint again and again, at random moments, the file in it or all of its folder, and counts them, until
// end is called. A trial may have begun to go on from one, or may be about to.
func (k *killed) deleteCheckpoints() (deleted *atomic.Int64, end func()) {
	rng, stop := k.fork(), make(chan struct{})
	deleted = &atomic.Int64{}
	var deleting sync.WaitGroup
	deleting.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(rng.IntN(600)) * time.Millisecond):
			}
			folders, _ := filepath.Glob(filepath.Join(k.dir, "eke.trials", "*", "checkpoints", "*"))
			if len(folders) == 0 {
				continue
			}
			victim := folders[rng.IntN(len(folders))]
			if rng.IntN(2) == 0 {
				victim = filepath.Join(victim, "epoch")
			}
			if _, err := os.Stat(victim); err == nil && os.RemoveAll(victim) == nil {
				deleted.Add(1)
			}
		}
	})
	return deleted, sync.OnceFunc(func() {
		close(stop)
		deleting.Wait()
	})
}

// hits are what the kills have met so far, among the trials that have ended.
type hits struct {
	states               map[study.State]int
	steps, resumed, lost int
	deleted              int64
	long                 bool // rare ones are wanted as well
}

func (k *killed) hits(long bool, deleted *atomic.Int64) hits {
	header, events := k.history()
	r, found := study.NewRecord(header.Total, header.Measured), hits{states: map[study.State]int{}, deleted: deleted.Load(), long: long}
	for _, e := range events {
		if err := r.Apply(e); err != nil {
			k.t.Fatal(err)
		}
		if e.Kind == study.EventStep || e.Kind == study.EventStop {
			found.steps++
		}
	}
	for _, trial := range r.Trials {
		if trial.State.Open() {
			continue
		}
		if found.states[trial.State]++; trial.Resumes > 0 {
			found.resumed++
		}
		if trial.Lost {
			found.lost++
		}
	}
	return found
}

// all says whether they have met everything that is to be tested.
func (h hits) all() bool {
	often := h.states[study.Abandoned] > 0 && h.states[study.Done] > 0 && h.steps > 0 && h.deleted > 0
	return often && (!h.long || h.states[study.StoppedEarly] > 0 && h.lost > 0 && h.resumed > h.lost)
}

// auditSteps goes through the history of the ledger, and through what the commands have printed.
func (k *killed) auditSteps(kills int, found hits) {
	t := k.t
	h, events := k.history()
	r, ends := study.NewRecord(h.Total, h.Measured), map[int]int{}
	for _, e := range events {
		before := r.Ledger
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
		l := r.Ledger
		grants := e.Kind == study.EventAsked || e.Kind == study.EventExtended // a cost that is reported may be above its reservation
		if (h.Measured || grants) && l.Spent+l.Reserved > l.Total*(1+1e-9) {
			t.Errorf("event %d (%s) carried spent + reserved past the total: %+v", e.Seq, e.Kind, l)
		}
		switch e.Kind {
		case study.EventStep, study.EventStop:
			if l != before {
				t.Errorf("event %d (%s) changed the ledger from %+v to %+v", e.Seq, e.Kind, before, l)
			}
		case study.EventFinished:
			if ends[e.Trial]++; ends[e.Trial] > 1 {
				t.Errorf("trial %d ended %d times", e.Trial, ends[e.Trial])
			}
		}
	}
	sum := 0.0
	for _, trial := range r.Trials {
		sum += trial.Charged
		if ends[trial.Number] != 1 {
			t.Errorf("trial %d is left %s, and ended %d times", trial.Number, trial.State, ends[trial.Number])
		}
		if trial.State == study.StoppedEarly && trial.Early == "" {
			t.Errorf("trial %d was stopped early without a reason", trial.Number)
		}
		if trial.Lost && (trial.Resumes == 0 || r.PaidBefore(trial) != 0) {
			t.Errorf("trial %d has lost a checkpoint; it resumes trial %d, and %v counts as paid before it", trial.Number, trial.Resumes, r.PaidBefore(trial))
		}
	}
	if math.Abs(sum-r.Ledger.Spent) > 1e-9 {
		t.Errorf("spent is %v, the sum of what was charged %v", r.Ledger.Spent, sum)
	}
	if r.Ledger.Reserved != 0 {
		t.Errorf("%v is left reserved", r.Ledger.Reserved)
	}
	k.printed(r)
	if pids := k.children(); len(pids) > 0 {
		t.Errorf("processes are left: %v", pids)
	}
	t.Logf("%d kills, %d trials %v, %d were to go on from another (%d of them from a lost checkpoint, of %d that were deleted), %d steps and stops, spent %.2f of %.2f",
		kills, len(r.Trials), found.states, found.resumed, found.lost, found.deleted, found.steps, sum, r.Ledger.Total)
	if !found.all() {
		t.Errorf("the kills hit nothing: %+v", found)
	}
}

// printed compares each trial with what its command had printed: its steps, what it cost, its value if it came to its end, and whether it
// went on where an earlier one had stopped.
func (k *killed) printed(r *study.Record) {
	t, last, printed := k.t, map[int]study.Step{}, map[int][]study.Step{}
	for _, line := range k.lines("stepped") {
		var trial int
		var s study.Step
		if _, err := fmt.Sscan(line, &trial, &s.Step, &s.Value, &s.Cost); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if s.Step <= last[trial].Step {
			t.Errorf("trial %d printed step %v after step %v: it was run twice", trial, s.Step, last[trial].Step)
		}
		last[trial], printed[trial] = s, append(printed[trial], s)
	}
	for _, trial := range r.Trials {
		for _, s := range trial.Steps {
			same := func(p study.Step) bool { return p.Step == s.Step && p.Value == s.Value }
			if s.Step <= last[trial.Number].Step && !slices.ContainsFunc(printed[trial.Number], same) {
				t.Errorf("trial %d has a step %+v, which it did not print: %+v", trial.Number, s, printed[trial.Number])
			}
		}
		// What was printed last may not be in the file yet.
		if cost := last[trial.Number].Cost; k.cost == study.Reported && cost > 0 && (trial.Charged < cost-1e-9 || trial.Charged > cost+0.1+1e-9) {
			t.Errorf("trial %d (%s) had printed a cost of %v, and was charged %v", trial.Number, trial.State, cost, trial.Charged)
		}
		// Whoever began anew had lost its checkpoint, and whoever had began anew: it was paid for the whole way, as it cost.
		s := printed[trial.Number]
		if len(s) == 0 || trial.Resumes == 0 {
			continue
		}
		from := r.Trials[trial.Resumes-1]
		reached, _ := from.LastStep()
		if anew := s[0].Step == 1; anew && !trial.Lost && len(trial.Steps) > 0 && reached.Step > 1 { // or else there was nothing to notice it by
			t.Errorf("trial %d goes on from trial %d, but began anew: %+v", trial.Number, trial.Resumes, s)
		} else if !anew && trial.Lost && !sharesFolder(r, trial) {
			t.Errorf("trial %d has lost its checkpoint, but began with step %v", trial.Number, s[0].Step)
		}
	}
	for _, line := range k.lines("reported") {
		var trial int
		var value, cost float64
		if _, err := fmt.Sscan(line, &trial, &value, &cost); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		// One that is being stopped may come to its end all the same. It has stopped early then.
		if got := r.Trials[trial-1]; got.State != study.StoppedEarly && (got.State != study.Done || got.Value != value) || k.cost == study.Reported && got.Charged != cost {
			t.Errorf("trial %d reported %v at %v, the store has %+v", trial, value, cost, got)
		}
	}
}

// sharesFolder says whether a third trial had the same setting. It may have left a checkpoint after one was found to be lost, and before that was
// read.
func sharesFolder(r *study.Record, trial study.Trial) bool {
	return slices.ContainsFunc(r.Trials, func(other study.Trial) bool {
		return other.Number != trial.Number && other.Number != trial.Resumes && other.Setting["x"] == trial.Setting["x"]
	})
}

// lines reads a file that the commands have written.
func (k *killed) lines(name string) (list []string) {
	file, err := os.Open(filepath.Join(k.dir, name))
	if err != nil {
		k.t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		list = append(list, lines.Text())
	}
	return list
}
