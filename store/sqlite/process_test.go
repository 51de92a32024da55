package sqlite

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

// processes are several on one file. Checkpoints are made to come often, as they are the delicate moments.
var processes = storetest.Processes{Open: func(ctx context.Context, path string) (store.Store, error) {
	c := testConfig()
	c.pragmas = []string{"wal_autocheckpoint(8)"}
	return open(ctx, path, c)
}}

func TestMain(m *testing.M) { processes.Main(m) }

func TestProcesses(t *testing.T) { processes.AtOnce(t, filepath.Join(t.TempDir(), "eke.db")) }

// TestKill meets writers in making the file, in a commit, in a checkpoint.
func TestKill(t *testing.T) {
	processes.Kill(t, filepath.Join(t.TempDir(), "eke.db"), 120, 110*time.Millisecond)
}

func testConfig() config { return config{steps: embeddedSteps(), checkUpTo: checkUpTo} }

// countNotes says how often each note is in the log of the study x.
func countNotes(t *testing.T, path string) map[string]int {
	t.Helper()
	s := opened(t, path)
	defer s.Close()
	return storetest.CountNotes(t, s)
}
