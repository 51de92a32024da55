// Package runnertest has studies that a process of their own runs, so that tests of engines can kill it:
//
//	func TestMain(m *testing.M) {
//		runnertest.Main(open) // plays the controller
//		os.Exit(m.Run())
//	}
package runnertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/source"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

const (
	controllerVerb  = "the-controller-in"  // the word by which the test's program plays a controller
	usedWord        = "processor seconds:" // what a controller says before how much it, and what it called, have used
	profileVariable = "EKE_TEST_PROFILE"   // names the file that a controller writes a profile of its processor time to
)

// Main plays a controller, if this process is one. Call it first in TestMain. open is the engine that a study asks for.
func Main(open func(*study.Study) (engine.Engine, error)) {
	if len(os.Args) != 3 || os.Args[1] != controllerVerb {
		return
	}
	if err := control(os.Args[2], open); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// control runs a study as eke run does.
func control(dir string, open func(*study.Study) (engine.Engine, error)) error {
	s, db, err := Open(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	if file := os.Getenv(profileVariable); file != "" {
		out, err := os.Create(file)
		if err != nil {
			return err
		}
		defer out.Close()
		if err := pprof.StartCPUProfile(out); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	b, err := broker.Join(context.Background(), db, s)
	if err != nil {
		return err
	}
	e, err := open(s)
	if err != nil {
		return err
	}
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
	fmt.Println(usedWord, used(syscall.RUSAGE_SELF), used(syscall.RUSAGE_CHILDREN))
	return err
}

func used(who int) float64 {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// Open opens the study in a folder, and its store.
func Open(dir string) (*study.Study, *sqlite.Store, error) {
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

// Site is a study that a controller of its own runs.
type Site struct {
	*testing.T
	Dir, Name string
	Env       []string   // further variables of the controller
	Over      chan error // hears of the controller's end

	controller *exec.Cmd
}

// New writes a study file, without its name.
func New(t *testing.T, name, file string) *Site {
	t.Helper()
	k := &Site{T: t, Dir: t.TempDir(), Name: name}
	if err := os.WriteFile(filepath.Join(k.Dir, "study.yaml"), []byte("name: "+name+"\n"+file), 0o600); err != nil {
		t.Fatal(err)
	}
	return k
}

// Start starts the controller; before is what comes before it in its command.
func (k *Site) Start(before ...string) {
	k.Helper()
	words := slices.Concat(before, []string{os.Args[0], controllerVerb, k.Dir})
	k.controller = exec.Command(words[0], words[1:]...)
	out, err := os.OpenFile(filepath.Join(k.Dir, "said"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		k.Fatal(err)
	}
	defer out.Close()
	k.controller.Env = append(os.Environ(), k.Env...)
	k.controller.Stdout, k.controller.Stderr = out, out
	if err := k.controller.Start(); err != nil {
		k.Fatal(err)
	}
	k.Over = make(chan error, 1)
	go func(c *exec.Cmd, over chan<- error) { over <- c.Wait() }(k.controller, k.Over)
}

// Kill kills the controller.
func (k *Site) Kill() {
	_ = k.controller.Process.Kill()
	<-k.Over
}

// End waits for the end of the controller, which is to be a good one.
func (k *Site) End() {
	k.Helper()
	select {
	case err := <-k.Over:
		if err != nil {
			k.Fatalf("the controller failed: %v\n%s", err, k.Said())
		}
	case <-time.After(20 * time.Minute):
		_ = k.controller.Process.Kill()
		k.Fatalf("the study does not end\n%s", k.Said())
	}
}

// Close ends the study, when the running trials have ended.
func (k *Site) Close() {
	k.Helper()
	s, db, err := Open(k.Dir)
	if err != nil {
		k.Fatal(err)
	}
	defer db.Close()
	b, err := broker.Join(k.Context(), db, s)
	if err == nil {
		err = b.Close(k.Context())
	}
	if err != nil {
		k.Fatal(err)
	}
}

// Said is the end of what controllers have said.
func (k *Site) Said() string {
	raw, _ := os.ReadFile(filepath.Join(k.Dir, "said"))
	return string(raw[max(len(raw)-4000, 0):])
}

// Used is what the last controller said that it, and what it called, used of the processor, in seconds.
func (k *Site) Used() (seconds [2]float64) {
	k.Helper()
	said := k.Said()
	_, text, _ := strings.Cut(said[max(strings.LastIndex(said, usedWord), 0):], usedWord)
	for i, word := range strings.Fields(text) {
		if i < 2 {
			seconds[i], _ = strconv.ParseFloat(word, 64)
		}
	}
	if seconds[0] == 0 {
		k.Errorf("the controller did not say what it used: %s", said)
	}
	return seconds
}

// Events returns the log, and a record to apply it to.
func (k *Site) Events() (*study.Record, []study.Event) {
	k.Helper()
	_, db, err := Open(k.Dir)
	if err != nil {
		k.Fatal(err)
	}
	defer db.Close()
	header, events, err := db.Read(k.Context(), k.Name, 0)
	if err != nil {
		k.Fatal(err)
	}
	return study.NewRecord(header.Total, header.Measured), events
}

// Record replays the log, and checks the budget after every event.
func (k *Site) Record() *study.Record {
	k.Helper()
	replay, events := k.Events()
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

// Reported checks that the study has every result that a command has noted in the file "reported", as a trial's number and its value.
// Of trials that lose names, it may be lost.
func (k *Site) Reported(r *study.Record, lose func(study.Trial) bool) {
	k.Helper()
	raw, _ := os.ReadFile(filepath.Join(k.Dir, "reported"))
	for _, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		var n int
		var x float64
		if _, err := fmt.Sscan(line, &n, &x); err != nil || n < 1 || n > len(r.Trials) {
			k.Errorf("a trial reported %q", line)
		} else if t := r.Trials[n-1]; (t.State != study.Done || t.Value != x) && !lose(t) {
			k.Errorf("a trial reported %q, and is not on record so: %+v", line, t)
		}
	}
}

// MostOpen is how many trials were open at once.
func MostOpen(events []study.Event) (most int) {
	open := 0
	for _, e := range events {
		switch e.Kind {
		case study.EventAsked:
			open++
		case study.EventFinished:
			open--
		}
		most = max(most, open)
	}
	return most
}
