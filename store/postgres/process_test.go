package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

// processes are several on one database.
var processes = storetest.Processes{Open: func(ctx context.Context, url string) (store.Store, error) { return Open(ctx, url) }}

func TestMain(m *testing.M) { processes.Main(m) }

func TestProcesses(t *testing.T) { processes.AtOnce(t, newSchema(t)) }

// TestKill meets writers in making the tables, in an append, before its answer.
func TestKill(t *testing.T) { processes.Kill(t, newSchema(t), 60, 150*time.Millisecond) }

// countNotes says how often each note is in the log of the study x.
func countNotes(t *testing.T, url string) map[string]int {
	t.Helper()
	s := opened(t, url)
	defer s.Close()
	return storetest.CountNotes(t, s)
}
