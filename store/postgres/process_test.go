package postgres

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
	"github.com/eke-bo/eke/store/storetest"
	"github.com/eke-bo/eke/study"
)

// The test binary, started again with a role, is another process that uses the same database.
const roleVariable, urlVariable, nameVariable = "EKE_TEST_ROLE", "EKE_TEST_URL", "EKE_TEST_NAME"

func TestMain(m *testing.M) {
	role := map[string]func(context.Context, string, string) error{"adder": add, "writer": writeUntilKilled}[os.Getenv(roleVariable)]
	if role == nil {
		os.Exit(m.Run())
	}
	if err := role(context.Background(), os.Getenv(urlVariable), os.Getenv(nameVariable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func process(ctx context.Context, role, url, name string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, urlVariable+"="+url, nameVariable+"="+name, "GOMAXPROCS=2")
	cmd.Stderr = os.Stderr
	return cmd
}

// begin opens the store and sees that the study is there, as every process does that may be the first.
func begin(ctx context.Context, url string) (*Store, error) {
	s, err := Open(ctx, url)
	if err != nil {
		return nil, err
	}
	list, err := s.List(ctx)
	if err == nil && len(list) == 0 {
		if err = s.Create(ctx, storetest.Header("x", 1)); err != nil && errors.Is(err, store.ErrExists) {
			err = nil // another was faster
		}
	}
	return s, err
}

const addsEach = 50

func add(ctx context.Context, url, name string) error {
	s, err := begin(ctx, url)
	if err != nil {
		return err
	}
	defer s.Close()
	for i := range addsEach {
		_, err := store.Update(ctx, s, "x", func(*study.Record, store.Header) ([]study.Event, error) {
			return []study.Event{storetest.Added(fmt.Sprintf("%s-%d", name, i))}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Eight processes at once make the schema, the study in it and its log.
func TestProcesses(t *testing.T) {
	const processes = 8
	url := newSchema(t)
	var wg sync.WaitGroup
	began := time.Now()
	for i := range processes {
		wg.Go(func() {
			if err := process(t.Context(), "adder", url, fmt.Sprint(i)).Run(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	t.Logf("%d updates by %d processes in %v", processes*addsEach, processes, time.Since(began))
	counted := countNotes(t, url)
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

// countNotes says how often each note is in the log, having seen that the log is whole and lawful.
func countNotes(t *testing.T, url string) map[string]int {
	t.Helper()
	s := opened(t, url)
	defer s.Close()
	if _, _, err := store.Load(t.Context(), s, "x"); err != nil {
		t.Fatal(err)
	}
	_, events, err := s.Read(t.Context(), "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]int{}
	for _, e := range events {
		counted[e.Runner]++
	}
	return counted
}

// writeUntilKilled appends one to three events at a time and prints the batch once it is acknowledged.
func writeUntilKilled(ctx context.Context, url, name string) error {
	s, err := begin(ctx, url)
	if err != nil {
		return err
	}
	version := int64(-1)
	for i := 0; ; i++ {
		batch := make([]study.Event, 1+i%3)
		for j := range batch {
			batch[j] = storetest.Added(fmt.Sprintf("%s-%d-%d", name, i, j))
		}
		err := store.ErrConflict
		for errors.Is(err, store.ErrConflict) { // the server may still be busy with the last wish of one that was killed
			if version < 0 {
				_, events, err := s.Read(ctx, "x", 0)
				if err != nil {
					return err
				}
				version = int64(len(events))
			}
			if err = s.Append(ctx, "x", version, storetest.Numbered(version, batch...)...); err != nil {
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

// TestKill ends writers with SIGKILL, wherever they are: in making the tables, in an append, before its answer.
func TestKill(t *testing.T) {
	const kills = 60
	url := newSchema(t)
	acknowledged := map[string]int{} // batch → how many events it has
	cutShort := 0
	for i := range kills {
		batches := killed(t, url, fmt.Sprint(i))
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
	counted := countNotes(t, url)
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
		fmt.Sscanf(batch, "%d-%d", &writer, &i)
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

// killed runs a writer until a random moment and returns what it printed.
func killed(t *testing.T, url, name string) (batches []string) {
	t.Helper()
	cmd := process(t.Context(), "writer", url, name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(rand.N(150*time.Millisecond), func() { cmd.Process.Kill() })
	defer timer.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		batches = append(batches, lines.Text())
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("the writer ended by itself: %v", err)
	}
	return batches
}
