package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/study"
)

// occupant is a command that notices if somebody else is in its slot: it holds a lock of the slot, and so does a process that outlives it if
// it is killed. What it reports, and how, is as in the other kill tests.
const occupant = `exec 9>slot-$EKE_SLOT
flock -n 9 || echo "trial $EKE_TRIAL found somebody in slot $EKE_SLOT" >> double
echo "$EKE_SLOT $PLACE" >> places
sleep 600 &
sleep 0.2
` + reporter + `
kill $! || exit 0`

// warmOccupant is the same for a command that stays alive. It notes the trials that it was handed: each once.
const warmOccupant = `exec 9>slot-$EKE_SLOT
flock -n 9 || echo "somebody is in slot $EKE_SLOT" >> double
echo "$EKE_SLOT $PLACE" >> places
sleep 600 &
while read -r line; do
  trial=$(basename "$(readlink "$EKE_DIR")" | sed 's/^0*//')
  echo $trial >> handed
  sleep 0.2$((trial % 7)) || exit 1
  echo "{\"objective\": 0.5, \"cost\": 0.$((1 + trial % 9))}"
done
kill $!`

// slotted is a study with two slots whose runs are killed.
type slotted struct {
	*killed
	script, more string
	parameters   string // "": a number
}

func newSlotted(t *testing.T, script, more string, seed uint64) *slotted {
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("there is no program flock")
	}
	k := &slotted{killed: newKilled(t, study.Reported, "3", seed), script: script, more: more}
	k.write(1000)
	return k
}

// write writes the study file.
func (k *slotted) write(total float64) {
	file := fmt.Sprintf(`
name: killed
objective: {goal: minimize}
cost: {source: reported}
budget: {total: %v}
parameters: {%s}
command: [sh, -c, %q]
slots:
  - {env: {PLACE: left}}
  - {env: {PLACE: right}}
policy: {name: random}
%s
stop: never
`, total, cmp.Or(k.parameters, "x: {type: float, min: 0, max: 1}"), strings.NewReplacer("{", "{{", "}", "}}").Replace(k.script), k.more)
	if err := os.WriteFile(filepath.Join(k.dir, "study.yaml"), []byte(file), 0o666); err != nil {
		k.t.Fatal(err)
	}
}

// started is a run that may be killed.
type started struct {
	*exec.Cmd
	out  *said
	over chan struct{}
}

func (k *slotted) start() *started {
	s := &started{k.eke("run"), &said{}, make(chan struct{})}
	s.Stdout, s.Stderr = s.out, s.out
	if err := s.Start(); err != nil {
		k.t.Fatal(err)
	}
	go func() {
		_ = s.Wait()
		close(s.over)
	}()
	return s
}

// kill kills the run, which has enough to do.
func (s *started) kill(k *slotted) {
	_ = s.Process.Kill()
	<-s.over
	if s.ProcessState.Exited() {
		k.t.Fatalf("the run ended: %v\n%s", s.ProcessState, s.out)
	}
}

// killTwo starts two runs, which share the slots, and kills one after the other: the second takes the slots of the first, with what was left
// in them. Sometimes a command is killed before.
func (k *slotted) killTwo() {
	one := k.start()
	one.out.await(k.t, underWay, one.over)
	other := k.start()
	other.out.await(k.t, regexp.MustCompile(underWay.String()+"|waiting"), other.over)
	for _, s := range []*started{one, other} {
		s.out.await(k.t, underWay, s.over)
		time.Sleep(time.Duration(10+k.rng.IntN(int(k.within.Milliseconds()))) * time.Millisecond)
		if children := k.children(); len(children) > 0 && k.rng.IntN(3) == 0 {
			_ = syscall.Kill(children[k.rng.IntN(len(children))], syscall.SIGKILL)
			time.Sleep(time.Duration(k.rng.IntN(100)) * time.Millisecond) // for the run to notice
		}
		s.kill(k)
	}
}

// killSlots kills runs of a study with slots, and looks whether two trials were ever in the same one.
func (k *slotted) killSlots(n int) {
	if testing.Short() {
		n = 3
	}
	kills := 0
	for kills < n || kills < 10*n && !k.abandoned() {
		k.killTwo()
		kills++
	}
	b := k.record().Ledger
	k.write(b.Spent + b.Reserved + 2)
	k.finish()
	k.audit(2 * kills)
	if raw, err := os.ReadFile(filepath.Join(k.dir, "double")); err == nil {
		k.t.Errorf("slots were double-booked:\n%s", raw)
	}
	places := map[string]int{}
	raw, _ := os.ReadFile(filepath.Join(k.dir, "places"))
	for line := range strings.Lines(string(raw)) {
		places[strings.TrimSpace(line)]++
	}
	if len(places) != 2 || places["0 left"] == 0 || places["1 right"] == 0 {
		k.t.Errorf("the slots and their variables: %v", places)
	}
}

// TestKillSlots kills runs of a study with two slots, two at a time.
func TestKillSlots(t *testing.T) {
	t.Parallel()
	newSlotted(t, occupant, "", 1).killSlots(12)
}

// TestKillLines does so with a command that stays alive.
func TestKillLines(t *testing.T) {
	t.Parallel()
	k := newSlotted(t, warmOccupant, "protocol: lines", 2)
	if err := os.WriteFile(filepath.Join(k.dir, "reported"), nil, 0o666); err != nil { // what is printed is lost with the run that reads it
		t.Fatal(err)
	}
	k.killSlots(12)
	raw, err := os.ReadFile(filepath.Join(k.dir, "handed"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		if seen[line] {
			t.Errorf("trial %s was evaluated twice", strings.TrimSpace(line))
		}
		seen[line] = true
	}
}
