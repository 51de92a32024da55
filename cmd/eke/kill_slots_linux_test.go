package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
` + reporter + `
kill $!`

// warmOccupant is the same for a command that stays alive. It notes the trials that it was handed: each once.
const warmOccupant = `exec 9>slot-$EKE_SLOT
flock -n 9 || echo "somebody is in slot $EKE_SLOT" >> double
echo "$EKE_SLOT $PLACE" >> places
sleep 600 &
while read -r line; do
  trial=$(basename "$(readlink "$EKE_DIR")" | sed 's/^0*//')
  echo $trial >> handed
  sleep 0.0$((trial % 7)) || exit 1
  echo "{\"objective\": 0.5, \"cost\": 0.$((1 + trial % 9))}"
done
kill $!`

// slotted makes a study with two slots.
func slotted(t *testing.T, script, more string, seed uint64) *killed {
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("there is no program flock")
	}
	k := newKilled(t, study.Reported, "3", seed)
	file := fmt.Sprintf(`
name: killed
objective: {goal: minimize}
cost: {source: reported}
budget: {total: 3}
parameters:
  x: {type: float, min: 0, max: 1}
command: [sh, -c, %q]
slots:
  - {env: {PLACE: left}}
  - {env: {PLACE: right}}
policy: {name: random}
%s
`, strings.NewReplacer("{", "{{", "}", "}}").Replace(script), more)
	if err := os.WriteFile(filepath.Join(k.dir, "study.yaml"), []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	return k
}

// started is a run that may be killed.
type started struct {
	*exec.Cmd
	out  *said
	over chan struct{}
}

func (k *killed) start() *started {
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

// kill kills the run, and returns whether it had ended before.
func (s *started) kill(k *killed) (ended bool) {
	_ = s.Process.Kill()
	<-s.over
	if s.ProcessState.Exited() && !wentWell(s.ProcessState) {
		k.t.Fatalf("the run went wrong: %v\n%s", s.ProcessState, s.out)
	}
	return s.ProcessState.Exited()
}

// killTwo starts two runs, which share the slots, and kills one after the other: the second takes the slots of the first, with what was left
// in them. Sometimes a command is killed before.
func (k *killed) killTwo() (ended bool) {
	one, other := k.start(), k.start()
	one.out.await(k.t, underWay, one.over)
	for _, s := range []*started{one, other} {
		time.Sleep(time.Duration(10+k.rng.IntN(int(k.within.Milliseconds()))) * time.Millisecond)
		if children := k.children(); len(children) > 0 && k.rng.IntN(3) == 0 {
			_ = syscall.Kill(children[k.rng.IntN(len(children))], syscall.SIGKILL)
		}
		ended = s.kill(k) || ended
	}
	return ended
}

// killSlots kills runs of a study with slots, and looks whether two trials were ever in the same one.
func (k *killed) killSlots(n int) {
	if testing.Short() {
		n = 3
	}
	kills := 0
	for kills < n || kills < 10*n && !k.abandoned() {
		if k.killTwo() {
			k.must("budget", "add", fmt.Sprint(k.budget().Overrun+2))
		}
		kills++
	}
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
	slotted(t, occupant, "", 1).killSlots(12)
}

// TestKillLines does so with a command that stays alive.
func TestKillLines(t *testing.T) {
	t.Parallel()
	k := slotted(t, warmOccupant, "protocol: lines", 2)
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
