package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

// held opens the file twice, as two processes would, and keeps the write lock with one of them.
func held(t *testing.T) (s *Store) {
	path := filepath.Join(t.TempDir(), "eke.db")
	s = opened(t, path)
	if err := s.Create(t.Context(), storetest.Header("x", 1)); err != nil {
		t.Fatal(err)
	}
	tx, err := opened(t, path).db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tx.Rollback() })
	return s
}

// waiting has a test wait for locks for that long.
func waiting(t *testing.T, long time.Duration) {
	before := patience
	patience = long
	t.Cleanup(func() { patience = before })
}

func TestWaitingForALockCanBeCancelled(t *testing.T) {
	s := held(t)
	waiting(t, time.Hour) // without being cancelled it would wait for so long
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Append(ctx, "x", 0, storetest.Numbered(0, storetest.Added("no"))...); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, _, err := s.Read(t.Context(), "x", 0); err != nil {
		t.Errorf("reading waits for no lock: %v", err)
	}
}

func TestPatienceEnds(t *testing.T) {
	s := held(t)
	waiting(t, 300*time.Millisecond)
	err := s.Append(t.Context(), "x", 0, storetest.Numbered(0, storetest.Added("no"))...)
	if !errors.Is(err, store.ErrBusy) {
		t.Errorf("got %v, want %v", err, store.ErrBusy)
	}
	t.Log(err)
}

// What is read is of one moment, even if the study is renamed, or another one gets its name and its number, after half of it was read.
func TestGoneWhileRead(t *testing.T) {
	for name, do := range map[string]func(*Store) error{
		"renamed": func(other *Store) error { return other.Rename(t.Context(), "x", "y") },
		"deleted": func(other *Store) error { return other.Delete(t.Context(), "x") },
		"replaced": func(other *Store) error {
			return errors.Join(other.Delete(t.Context(), "x"), other.Create(t.Context(), storetest.Header("x", 7)),
				other.Append(t.Context(), "x", 0, storetest.Numbered(0, storetest.Added("another's"))...))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "eke.db")
			s, other := opened(t, path), opened(t, path)
			at := ""
			s.config.asks = func(query string) {
				if query == at {
					at = ""
					if err := do(other); err != nil {
						t.Error(err)
					}
				}
			}
			fill(t, s, 3)
			at = eventsOf
			if h, events, err := s.Read(t.Context(), "x", 0); err != nil || h.Total != 1e9 || len(events) != 3 || at != "" {
				t.Errorf("%+v, %d events, %v", h, len(events), err)
			}
		})
		t.Run(name+", a file", func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "eke.db")
			s, other := opened(t, path), opened(t, path)
			fill(t, s, 3)
			if _, err := s.AppendFile(t.Context(), "x", store.File{Trial: 1, Name: "log"}, 0, []byte("hello"), store.FileLimits{Most: 100, Keep: 100}); err != nil {
				t.Fatal(err)
			}
			asked := 0
			s.config.asks = func(string) {
				asked++
				if err := do(other); err != nil {
					t.Error(err)
				}
			}
			if f, parts, err := s.ReadFile(t.Context(), "x", 1, "log", 0, 100); err != nil || f.Size != 5 || len(parts) != 1 || asked != 1 {
				t.Errorf("%+v, %d parts, %v", f, len(parts), err)
			}
		})
	}
}

// Another program may hold its database for a moment while it is opened and read.
func TestForeignDatabaseIsWaitedFor(t *testing.T) {
	waiting(t, time.Minute)
	path := filepath.Join(t.TempDir(), "foreign.db")
	theirs, err := connect(path)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	if _, err := theirs.Exec("CREATE TABLE a (b); INSERT INTO a VALUES (7); BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() {
		db, err := OpenForeign(t.Context(), path)
		if err == nil {
			var b int
			err = errors.Join(db.QueryRow("SELECT b FROM a").Scan(&b), db.Close())
		}
		read <- err
	}()
	select {
	case err := <-read:
		t.Errorf("it was read although it is locked: %v", err)
	case <-time.After(100 * time.Millisecond):
		if _, err := theirs.Exec("COMMIT"); err != nil {
			t.Error(err)
		}
		if err := <-read; err != nil {
			t.Error(err)
		}
	}
}

// What durability rests on.
func TestSettings(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "eke.db"))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "200"} {
		var got string
		if err := s.db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", pragma, got, err, want)
		}
	}
}
