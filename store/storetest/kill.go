package storetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

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
