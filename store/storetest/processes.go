package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
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

func process(ctx context.Context, role, place, name string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, placeVariable+"="+place, nameVariable+"="+name, "GOMAXPROCS=2")
	cmd.Stderr = os.Stderr
	return cmd
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
