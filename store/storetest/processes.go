package storetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Processes tests a store that several processes share. The other processes are the test binary, started again with a role.
type Processes struct {
	// Open opens the store at a place, such as a path or a URL, and creates it if it is not there.
	Open func(ctx context.Context, place string) (store.Store, error)
}

const roleVariable, placeVariable, nameVariable = "EKE_TEST_ROLE", "EKE_TEST_PLACE", "EKE_TEST_NAME"

// Main is for TestMain: it plays the role that the process was started for, or runs the tests.
func (p Processes) Main(m *testing.M) {
	role := map[string]func(context.Context, store.Store, string) error{"adder": add, "writer": writeUntilKilled}[os.Getenv(roleVariable)]
	if role == nil {
		os.Exit(m.Run())
	}
	ctx := context.Background()
	s, err := p.begin(ctx, os.Getenv(placeVariable))
	if err == nil {
		err = errors.Join(role(ctx, s, os.Getenv(nameVariable)), s.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// begin opens the store and creates the study unless it is there, as every process does that may be the first.
func (p Processes) begin(ctx context.Context, place string) (store.Store, error) {
	s, err := p.Open(ctx, place)
	if err != nil {
		return nil, err
	}
	list, err := s.List(ctx)
	if err == nil && len(list) == 0 {
		if err = s.Create(ctx, Header("x", 1)); err != nil && errors.Is(err, store.ErrExists) {
			err = nil // another was faster
		}
	}
	return s, err
}

const addsEach = 50

func add(ctx context.Context, s store.Store, name string) error {
	for i := range addsEach {
		if _, err := store.Follow(s, "x").Update(ctx, deciding(Added(fmt.Sprintf("%s-%d", name, i)))); err != nil {
			return err
		}
	}
	return nil
}

// AtOnce lets eight processes at once create the store, a study in it and its log.
func (p Processes) AtOnce(t *testing.T, place string) {
	const processes = 8
	var wg sync.WaitGroup
	began := time.Now()
	for i := range processes {
		wg.Go(func() {
			if err := process(t.Context(), "adder", place, fmt.Sprint(i)).Run(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	t.Logf("%d updates by %d processes in %v", processes*addsEach, processes, time.Since(began))
	counted := p.countNotes(t, place)
	if len(counted) != processes*addsEach {
		t.Errorf("%d events, want %d", len(counted), processes*addsEach)
	}
	for i := range processes {
		for j := range addsEach {
			if note := fmt.Sprintf("%d-%d", i, j); counted[note] != 1 {
				t.Errorf("event %s is there %d times", note, counted[note])
			}
		}
	}
}

// writeUntilKilled appends one to three events at a time and prints the batch once it is acknowledged.
func writeUntilKilled(ctx context.Context, s store.Store, name string) error {
	version := int64(-1) // not known
	for i := 0; ; i++ {
		batch := make([]study.Event, 1+i%3)
		for j := range batch {
			batch[j] = Added(fmt.Sprintf("%s-%d-%d", name, i, j))
		}
		err := store.ErrConflict
		for errors.Is(err, store.ErrConflict) { // a server may still be busy with the last request of a killed writer
			if version < 0 {
				_, events, err := s.Read(ctx, "x", 0)
				if err != nil {
					return err
				}
				version = int64(len(events))
			}
			if err = s.Append(ctx, "x", version, Numbered(version, batch...)...); err != nil {
				version = -1
			}
		}
		if err != nil {
			return err
		}
		version += int64(len(batch))
		fmt.Printf("%s-%d\n", name, i)
	}
}

// Kill starts writers and kills each of them (SIGKILL) at a random moment: every other one while it begins, and the others within about
// that time after their first batch was acknowledged. Every acknowledged batch must then be there, once, and none in part.
func (p Processes) Kill(t *testing.T, place string, kills int, within time.Duration) {
	acknowledged := map[string]int{} // batch → how many events it has
	cutShort := 0
	begins := within // how long it takes a writer to begin, on this machine and just now
	for i := range kills {
		var batches []string
		if i%2 == 0 {
			batches, _ = killed(t, place, fmt.Sprint(i), 1+rand.N(2*begins), 0)
		} else {
			batches, begins = killed(t, place, fmt.Sprint(i), 0, rand.N(within))
		}
		if len(batches) == 0 {
			cutShort++
		}
		for j, b := range batches {
			if want := fmt.Sprintf("%d-%d", i, j); b != want {
				t.Fatalf("batch %q was printed where %q was due", b, want)
			}
			acknowledged[b] = 1 + j%3
		}
	}
	counted := p.countNotes(t, place)
	lost, events := 0, 0
	for b, n := range acknowledged {
		events += n
		for j := range n {
			if counted[fmt.Sprintf("%s-%d", b, j)] != 1 {
				lost++
			}
		}
	}
	for note, n := range counted {
		if n != 1 {
			t.Errorf("event %s is there %d times", note, n)
		}
		batch := note[:strings.LastIndex(note, "-")]
		var writer, i int
		if _, err := fmt.Sscanf(batch, "%d-%d", &writer, &i); err != nil {
			t.Errorf("%q is no batch: %v", batch, err)
		}
		for j := range 1 + i%3 {
			if counted[fmt.Sprintf("%s-%d", batch, j)] != 1 {
				t.Errorf("batch %s is there in part", batch)
			}
		}
	}
	t.Logf("%d kills, %d before anything was acknowledged; %d batches of %d events acknowledged, %d events in the log, %d lost",
		kills, cutShort, len(acknowledged), events, len(counted), lost)
	if lost > 0 {
		t.Errorf("%d acknowledged events are not there once", lost)
	}
}

// killed runs a writer, kills it that long after it was started, or else that long after its first batch, and returns what it printed and
// how long it took to print the first.
func killed(t *testing.T, place, name string, afterStart, afterFirst time.Duration) (batches []string, begins time.Duration) {
	t.Helper()
	cmd := process(t.Context(), "writer", place, name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { _ = cmd.Process.Kill() }
	if afterStart > 0 {
		defer time.AfterFunc(afterStart, kill).Stop()
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if batches = append(batches, lines.Text()); len(batches) > 1 {
			continue
		}
		if begins = time.Since(began); afterStart == 0 {
			defer time.AfterFunc(afterFirst, kill).Stop()
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("the writer ended by itself: %v", err)
	}
	return batches, begins
}

func process(ctx context.Context, role, place, name string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, placeVariable+"="+place, nameVariable+"="+name, "GOMAXPROCS=2")
	cmd.Stderr = os.Stderr
	return cmd
}

func (p Processes) countNotes(t *testing.T, place string) map[string]int {
	t.Helper()
	s, err := p.Open(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return CountNotes(t, s)
}

// CountNotes returns how often each note is in the log of the study x, after checking that the log is complete and lawful.
func CountNotes(t *testing.T, s store.Store) map[string]int {
	t.Helper()
	if _, _, err := store.Load(t.Context(), s, "x"); err != nil {
		t.Fatal(err)
	}
	counted := map[string]int{}
	for _, note := range notes(t, t.Context(), s, "x") {
		counted[note]++
	}
	return counted
}
