package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
	"github.com/eke-bo/eke/study"
)

// The test binary, started again with a role, is another process that uses the same file.
const roleVariable, pathVariable, nameVariable = "EKE_TEST_ROLE", "EKE_TEST_PATH", "EKE_TEST_NAME"

func TestMain(m *testing.M) {
	role := map[string]func(context.Context, string, string) error{"adder": add, "writer": writeUntilKilled}[os.Getenv(roleVariable)]
	if role == nil {
		os.Exit(m.Run())
	}
	if err := role(context.Background(), os.Getenv(pathVariable), os.Getenv(nameVariable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func process(ctx context.Context, role, path, name string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path, nameVariable+"="+name, "GOMAXPROCS=2")
	cmd.Stderr = os.Stderr
	return cmd
}

// begin opens the store and sees that the study is there, as every process does that may be the first.
func begin(ctx context.Context, path string, c config) (*Store, error) {
	s, err := open(ctx, path, c)
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

func testConfig() config { return config{steps: embeddedSteps(), checkUpTo: checkUpTo} }

const addsEach = 50

func add(ctx context.Context, path, name string) error {
	s, err := begin(ctx, path, testConfig())
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

// Eight processes at once make the file, the study in it and its log.
func TestProcesses(t *testing.T) {
	const processes = 8
	path := filepath.Join(t.TempDir(), "eke.db")
	var wg sync.WaitGroup
	began := time.Now()
	for i := range processes {
		wg.Go(func() {
			if err := process(t.Context(), "adder", path, fmt.Sprint(i)).Run(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	t.Logf("%d updates by %d processes in %v", processes*addsEach, processes, time.Since(began))
	counted := countNotes(t, path)
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
func countNotes(t *testing.T, path string) map[string]int {
	t.Helper()
	s := opened(t, path)
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
// Checkpoints are made to come often, as they are the delicate moments.
func writeUntilKilled(ctx context.Context, path, name string) error {
	c := testConfig()
	c.pragmas = []string{"wal_autocheckpoint(8)"}
	s, err := begin(ctx, path, c)
	if err != nil {
		return err
	}
	_, events, err := s.Read(ctx, "x", 0)
	if err != nil {
		return err
	}
	version := int64(len(events))
	for i := 0; ; i++ {
		batch := make([]study.Event, 1+i%3)
		for j := range batch {
			batch[j] = storetest.Added(fmt.Sprintf("%s-%d-%d", name, i, j))
		}
		if err := s.Append(ctx, "x", version, storetest.Numbered(version, batch...)...); err != nil {
			return err
		}
		version += int64(len(batch))
		fmt.Printf("%s-%d\n", name, i)
	}
}

// TestKill ends writers with SIGKILL, wherever they are: in making the file, in a commit, in a checkpoint.
func TestKill(t *testing.T) {
	const kills = 120
	path := filepath.Join(t.TempDir(), "eke.db")
	acknowledged := map[string]int{} // batch → how many events it has
	cutShort := 0
	for i := range kills {
		batches := killed(t, path, fmt.Sprint(i))
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
	counted := countNotes(t, path)
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
func killed(t *testing.T, path, name string) (batches []string) {
	t.Helper()
	cmd := process(t.Context(), "writer", path, name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(rand.N(110*time.Millisecond), func() { cmd.Process.Kill() })
	defer timer.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		batches = append(batches, lines.Text())
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("the writer ended by itself: %v", err)
	}
	return batches
}
