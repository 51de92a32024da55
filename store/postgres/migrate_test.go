package postgres

import (
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

// stepsWith returns the migrations up to a number, and more.
func stepsWith(t *testing.T, upTo string, more map[string]string) fs.FS {
	t.Helper()
	steps := fstest.MapFS{}
	files, err := fs.Glob(embeddedSteps(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := fs.ReadFile(embeddedSteps(), name)
		if err != nil {
			t.Fatal(err)
		}
		if name[:len(upTo)] <= upTo {
			steps[name] = &fstest.MapFile{Data: text}
		}
	}
	for name, text := range more {
		steps[name] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + text)}
	}
	return steps
}

func openedWith(t *testing.T, url string, steps fs.FS) *Store {
	t.Helper()
	s, err := open(t.Context(), url, config{steps: steps, patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fillFirst puts a study into a schema of version one, as the eke of that time did: studies had no identities.
func fillFirst(t *testing.T, s *Store) {
	t.Helper()
	h := storetest.Header("x", 1)
	created := h.Created.UTC().Format(time.RFC3339Nano)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := s.pool.Exec(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("INSERT INTO studies (name, created, total, measured, definition, sum, writer) VALUES ($1, $2, $3, $4, $5, $6, 7)",
		h.Name, created, h.Total, h.Measured, []byte(h.Definition), store.SumOfHeader(nil, h, created))
	exec("INSERT INTO heads (study, version) SELECT id, 3 FROM studies")
	bodies, err := store.Encode("x", 0, storetest.Numbered(0, storetest.Added(""), storetest.Added(""), storetest.Added("")))
	if err != nil {
		t.Fatal(err)
	}
	for i, body := range bodies {
		exec("INSERT INTO events (study, seq, body, sum, writer) SELECT id, $1, $2, $3, 7 FROM studies", i+1, body, store.SumOfEvent(key("x", int64(i)+1), body))
	}
}

func TestMigrate(t *testing.T) {
	url := newSchema(t)
	first := openedWith(t, url, stepsWith(t, "001", nil))
	fillFirst(t, first)
	now := opened(t, url)
	if err := now.AddToken(t.Context(), storetest.Token("a")); err != nil {
		t.Fatal(err)
	}
	newer := openedWith(t, url, stepsWith(t, "999", map[string]string{"999_later.sql": "CREATE TABLE later AS SELECT 7 AS x;"}))
	var x int
	if err := newer.pool.QueryRow(t.Context(), "SELECT x FROM later").Scan(&x); err != nil || x != 7 {
		t.Errorf("later: %d, %v", x, err)
	}
	if err := newer.Append(t.Context(), "x", 3, storetest.Numbered(3, storetest.Added("new"))...); err != nil {
		t.Fatal(err)
	}
	// Who had it open before does not write to what it no longer knows.
	for _, s := range []*Store{first, now} {
		wantErr(t, "append", s.Append(t.Context(), "x", 4, storetest.Numbered(4, storetest.Added("no"))...), store.ErrNewer)
		wantErr(t, "create", s.Create(t.Context(), storetest.Header("y", 1)), store.ErrNewer)
		wantErr(t, "touch", s.Touch(t.Context(), "x", []int{1}, time.Now()), store.ErrNewer)
	}
	wantErr(t, "add a token", now.AddToken(t.Context(), storetest.Token("b")), store.ErrNewer)
	wantErr(t, "revoke a token", now.RevokeToken(t.Context(), "a"), store.ErrNewer)
	refused(t, url, store.ErrNewer, "newer eke")
}

func TestAMigrationThatFailsLeavesWhatWas(t *testing.T) {
	url := newSchema(t)
	fill(t, opened(t, url), 3)
	steps := stepsWith(t, "999", map[string]string{"998_good.sql": "CREATE TABLE good (x int);", "999_bad.sql": "CREATE TABLE half (x int); CREATE TABLE nonsense;"})
	for range 2 {
		if s, err := open(t.Context(), url, config{steps: steps, patience: patience}); err == nil {
			s.Close()
			t.Error("nonsense was taken")
		} else {
			t.Log(err)
		}
	}
	// What was done before stays, and with it that only who knows it may write.
	s := openedWith(t, url, stepsWith(t, "999", map[string]string{"998_good.sql": "CREATE TABLE good (x int);", "999_mended.sql": "CREATE TABLE half (x int);"}))
	if _, events, err := s.Read(t.Context(), "x", 0); err != nil || len(events) != 3 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

func TestTheLogOnlyGrows(t *testing.T) {
	s := opened(t, newSchema(t))
	fill(t, s, 3)
	for _, query := range []string{
		"DELETE FROM events",
		"DELETE FROM studies",
		"DELETE FROM heads",
		"TRUNCATE events",
		"TRUNCATE studies CASCADE",
		"UPDATE events SET body = '{}'",
		"UPDATE studies SET total = 1e12",
		"UPDATE heads SET version = 2",
		"INSERT INTO events VALUES (1, 5, '{}', 0, 0)",
		"INSERT INTO events VALUES (1, 3, '{}', 0, 0) ON CONFLICT (study, seq) DO UPDATE SET body = '{}'",
		"INSERT INTO events VALUES (9, 1, '{}', 0, 0)",
	} {
		if _, err := s.pool.Exec(t.Context(), query); err == nil {
			t.Errorf("%s: done", query)
		}
	}
	if _, _, err := store.Load(t.Context(), s, "x"); err != nil {
		t.Error(err)
	}
}
