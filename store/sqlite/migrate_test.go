package sqlite

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
	"github.com/eke-bo/eke/study"
)

func TestMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eke.db")
	old := opened(t, path)
	fill(t, old, 3)

	c := testConfig()
	c.steps = append(c.steps, "CREATE TABLE later (x); INSERT INTO later VALUES (7)")
	s, err := open(t.Context(), path, c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var x int
	if err := s.db.QueryRow("SELECT x FROM later").Scan(&x); err != nil || x != 7 {
		t.Errorf("later: %d, %v", x, err)
	}
	if err := s.Append(t.Context(), "x", 3, storetest.Numbered(3, storetest.Added("new"))...); err != nil {
		t.Fatal(err)
	}
	// Who had it open before does not write to what it no longer knows.
	err = old.Append(t.Context(), "x", 4, storetest.Numbered(4, storetest.Added("no"))...)
	if !errors.Is(err, store.ErrNewer) {
		t.Errorf("got %v, want %v", err, store.ErrNewer)
	}
	if backup := countNotes(t, path+".v4.bak"); backup[""] != 3 || backup["new"] != 0 {
		t.Errorf("the copy holds %v", backup)
	}
}

func TestMigrationIsWholeOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eke.db")
	s := opened(t, path)
	fill(t, s, 3)
	s.Close()
	c := testConfig()
	c.steps = append(c.steps, "CREATE TABLE later (x)", "CREATE TABLE nonsense")
	if s, err := open(t.Context(), path, c); err == nil {
		s.Close()
		t.Error("nonsense was taken")
	}
	if countNotes(t, path)[""] != 3 { // and it is a file of the old version still
		t.Error("the events are gone")
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, %v; want the file and its copy", entries, err)
	}
}

func TestTheLogOnlyGrows(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "eke.db"))
	fill(t, s, 3)
	for _, query := range []string{
		"DELETE FROM events",
		"DELETE FROM studies",
		"UPDATE events SET body = '{}'",
		"UPDATE studies SET total = 1e12",
		"INSERT INTO events VALUES (1, 5, '{}', 0)",
		"INSERT OR REPLACE INTO events VALUES (1, 3, '{}', 0)",
		"INSERT INTO events VALUES (9, 1, '{}', 0)",
	} {
		if _, err := s.db.Exec(query); err == nil {
			t.Errorf("%s: done", query)
		}
	}
	if _, _, err := store.Load(t.Context(), s, "x"); err != nil {
		t.Error(err)
	}
}

// fillFirst puts a study into a file of version one, as the eke of that time did: studies had no identities.
func fillFirst(t *testing.T, s *Store) {
	t.Helper()
	h := storetest.Header("x", 1e9)
	err := s.write(t.Context(), func(tx *sql.Tx) error {
		_, err := insertStudy(t.Context(), tx, h, h.Created.UTC().Format(time.RFC3339Nano))
		return err
	})
	if err == nil {
		err = s.Append(t.Context(), "x", 0, storetest.Numbered(0, storetest.Asked(1, 1), storetest.Asked(2, 1), storetest.Asked(3, 1))...)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A file from before there were tokens and identities gets room for them, and keeps its log.
func TestMigrateFromVersionOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eke.db")
	c := testConfig()
	c.steps = c.steps[:1]
	old, err := open(t.Context(), path, c)
	if err != nil {
		t.Fatal(err)
	}
	fillFirst(t, old)
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	s := opened(t, path)
	if list, err := s.Tokens(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("tokens: %v, %v", list, err)
	}
	if err := s.AddToken(t.Context(), storetest.Token("a")); err != nil {
		t.Error(err)
	}
	if r, h, err := store.Load(t.Context(), s, "x"); err != nil || len(r.Trials) != 3 || h.ID == "" {
		t.Errorf("%+v of %+v, %v", r, h, err)
	}
	if r, err := store.Follow(s, "x").Update(t.Context(), func(*study.Record, store.Header) ([]study.Event, error) {
		return []study.Event{storetest.Asked(4, 1)}, nil
	}); err != nil || r.Trials[2].ID != "" || r.Trials[3].ID == "" {
		t.Errorf("%+v, %v", r, err)
	}
}
