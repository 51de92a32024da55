package postgres

import (
	"context"
	"fmt"
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

// script runs scripts/postgres.
func script(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("../../scripts/postgres", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("scripts/postgres %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// ownServer starts a PostgreSQL that this test alone uses, and may pull the plug of.
func ownServer(t *testing.T) (folder, url string) {
	t.Helper()
	if !strings.Contains(server(t), "/tmp/") {
		t.Skip("$EKE_TEST_POSTGRES is not of scripts/postgres, so there may be no PostgreSQL on this machine to start")
	}
	folder, err := os.MkdirTemp("/tmp", "eke-postgres.") // short, as the path of a socket must be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { script(t, "stop", folder) })
	said := script(t, "start", folder)
	return folder, strings.Trim(strings.TrimPrefix(strings.TrimSpace(said), "export EKE_TEST_POSTGRES="), "'")
}

// The server is stopped without warning while four append, and comes back from its log. No append returns an
// error, and each is there once: those whose answers were lost, too.
func TestServerRestarts(t *testing.T) {
	const restarts, writers = 5, 4
	folder, url := ownServer(t)
	s, err := open(t.Context(), url, config{steps: embeddedSteps(), patience: 10 * time.Minute}) // the server syncs all its files first
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Create(t.Context(), storetest.Header("x", 1)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	acknowledged := make([]int, writers)
	for w := range writers {
		wg.Go(func() {
			f := store.Follow(s, "x")
			for ctx.Err() == nil {
				note := fmt.Sprintf("%d-%d", w, acknowledged[w])
				// Not ctx: an update that was cut short by the end of the test is not what is counted here.
				_, err := f.Update(t.Context(), func(*study.Record, store.Header) ([]study.Event, error) {
					return []study.Event{storetest.Added(note)}, nil
				})
				if err != nil {
					t.Error(err)
					return
				}
				acknowledged[w]++
			}
		})
	}
	for range restarts {
		time.Sleep(300 * time.Millisecond)
		script(t, "restart", folder)
	}
	time.Sleep(300 * time.Millisecond)
	cancel()
	wg.Wait()

	counted := countNotes(t, url)
	total := 0
	for w, n := range acknowledged {
		total += n
		for i := range n {
			if note := fmt.Sprintf("%d-%d", w, i); counted[note] != 1 {
				t.Errorf("event %s is there %d times", note, counted[note])
			}
		}
	}
	if len(counted) != total {
		t.Errorf("%d events, %d were acknowledged", len(counted), total)
	}
	t.Logf("%d restarts, %d events acknowledged, %d in the log", restarts, total, len(counted))
}
