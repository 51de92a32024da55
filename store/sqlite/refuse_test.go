package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
	"github.com/eke-bo/eke/study"
)

// refused sees that the file is refused for the reason given, and that neither it nor its folder has changed.
func refused(t *testing.T, path string, want error, c config) {
	t.Helper()
	before := snapshot(t, filepath.Dir(path))
	s, err := open(t.Context(), path, c)
	if err == nil {
		s.Close()
	}
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", filepath.Base(path), err, want)
	} else {
		t.Log(err)
	}
	after := snapshot(t, filepath.Dir(path))
	delete(after, filepath.Base(path)+"-shm") // the index of the log beside the file: SQLite makes it anew at will
	delete(before, filepath.Base(path)+"-shm")
	for name, sum := range after {
		if before[name] != sum {
			t.Errorf("%s: %s has changed", filepath.Base(path), name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%s: the folder had %d files and has %d", filepath.Base(path), len(before), len(after))
	}
}

// snapshot returns a sum of every file in a folder, and of when it was last written.
func snapshot(t *testing.T, folder string) map[string][32]byte {
	t.Helper()
	sums := map[string][32]byte{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			sums[e.Name()] = [32]byte{}
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		sums[e.Name()] = sha256.Sum256(append(data, info.ModTime().String()...))
	}
	return sums
}

// filled returns the bytes of a store with a study of some events.
func filled(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "eke.db")
	s := opened(t, path)
	fill(t, s, 200)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func fill(t testing.TB, s *Store, n int) {
	t.Helper()
	if err := s.Create(t.Context(), storetest.Header("x", 1e9)); err != nil {
		t.Fatal(err)
	}
	var events []study.Event
	for i := range n {
		events = append(events, storetest.Asked(i+1, 1))
	}
	if err := s.Append(t.Context(), "x", 0, storetest.Numbered(0, events...)...); err != nil {
		t.Fatal(err)
	}
}

func TestRefusesWhatIsNotOurs(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{
		"empty":  "",
		"text":   "name: airfoil\nbudget: {total: 200}\n",
		"short":  "SQLite format 3\x00",
		"zeros":  strings.Repeat("\x00", 8192),
		"binary": strings.Repeat("\x7fELF\x01", 5000),
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		refused(t, path, store.ErrForeign, testConfig())
	}
	path := filepath.Join(folder, "others.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA journal_mode = WAL; CREATE TABLE events (x); INSERT INTO events VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	refused(t, path, store.ErrForeign, testConfig()) // while its owner has it open
	db.Close()
	refused(t, path, store.ErrForeign, testConfig())
	refused(t, folder, store.ErrForeign, testConfig())
}

func TestRefusesANewerFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eke.db")
	c := testConfig()
	c.steps = append(c.steps, "CREATE TABLE later (x)")
	s, err := open(t.Context(), path, c)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	refused(t, path, store.ErrNewer, testConfig())
}

func TestRefusesADamagedFile(t *testing.T) {
	whole := filled(t)
	folder := t.TempDir()
	for name, damage := range map[string]func([]byte) []byte{
		"half of it":           func(b []byte) []byte { return b[:len(b)/2] },
		"cut within a page":    func(b []byte) []byte { return b[:len(b)-1000] },
		"first page only":      func(b []byte) []byte { return b[:4096] },
		"a page of zeros":      func(b []byte) []byte { clear(b[5*4096 : 6*4096]); return b },
		"zeros from there on":  func(b []byte) []byte { clear(b[3*4096:]); return b },
		"a page of noise":      func(b []byte) []byte { noise(b[4*4096 : 5*4096]); return b },
		"noise from there on":  func(b []byte) []byte { noise(b[200:]); return b },
		"two pages exchanged":  func(b []byte) []byte { swap(b[9*4096:10*4096], b[11*4096:12*4096]); return b },
		"schema overwritten":   func(b []byte) []byte { noise(b[2000:4096]); return b },
		"a page of other text": func(b []byte) []byte { copy(b[7*4096:8*4096], bytes.Repeat([]byte("oops"), 1024)); return b },
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, damage(slices.Clone(whole)), 0o644); err != nil {
			t.Fatal(err)
		}
		if name == "two pages exchanged" { // each is sound by itself: it comes out when they are read
			unreadableLog(t, path)
			continue
		}
		refused(t, path, store.ErrDamaged, testConfig())
	}
}

func noise(b []byte) {
	r := rand.NewChaCha8([32]byte{1})
	r.Read(b)
}

func swap(a, b []byte) {
	c := slices.Clone(a)
	copy(a, b)
	copy(b, c)
}

func unreadableLog(t *testing.T, path string) {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err == nil {
		defer s.Close()
		_, _, err = store.Load(t.Context(), s, "x")
	}
	if !errors.Is(err, store.ErrDamaged) {
		t.Errorf("%s: got %v, want %v", filepath.Base(path), err, store.ErrDamaged)
	}
}

// A file that was damaged while its last writer was killed: the log beside it is not copied into it either.
func TestRefusesADamagedFileWithItsLog(t *testing.T) {
	from := filepath.Join(t.TempDir(), "eke.db")
	s := opened(t, from)
	fill(t, s, 200)
	if _, err := s.db.Exec("PRAGMA wal_checkpoint"); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "x", 200, storetest.Numbered(200, storetest.Added("in the log"))...); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "eke.db")
	for _, beside := range []string{"", "-wal"} {
		data, err := os.ReadFile(from + beside) // the original is not used after this, so its locks may go
		if err != nil {
			t.Fatal(err)
		}
		if beside == "" {
			clear(data[5*4096 : 6*4096])
		}
		if err := os.WriteFile(path+beside, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	refused(t, path, store.ErrDamaged, testConfig())
}

// Whatever byte of the file is changed: either that is noticed, or everything reads as before.
func TestAnyFlippedByteIsNoticed(t *testing.T) {
	whole := filled(t)
	path := filepath.Join(t.TempDir(), "eke.db")
	read := func() (string, error) {
		s, err := Open(context.Background(), path)
		if err != nil {
			return "", err
		}
		defer s.Close()
		h, events, err := s.Read(context.Background(), "x", 0)
		if err != nil {
			return "", err
		}
		bodies, err := store.Encode("x", 0, events)
		return h.Created.String() + string(h.Definition) + string(bytes.Join(bodies, nil)), err
	}
	write := func(data []byte) {
		for _, beside := range []string{"", "-wal", "-shm"} {
			os.Remove(path + beside)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(whole)
	want, err := read()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	noticed, silent := 0, 0
	for i := range 400 {
		data := slices.Clone(whole)
		at := r.IntN(len(data))
		if i%4 == 0 {
			at = r.IntN(4096) // the first page holds the header and the schema
		}
		data[at] ^= 1 << r.IntN(8)
		write(data)
		got, err := read()
		switch {
		case err == nil && got != want:
			t.Errorf("byte %d was changed and the log reads otherwise", at)
		case err == nil:
			silent++
		case errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrForeign), errors.Is(err, store.ErrNewer):
			noticed++
		default:
			t.Errorf("byte %d was changed: %v", at, err)
		}
	}
	t.Logf("%d changes were noticed, %d made no difference", noticed, silent)
}

func TestNoFolder(t *testing.T) {
	_, err := Open(t.Context(), filepath.Join(t.TempDir(), "no", "such", "eke.db"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	t.Log(err)
}

func TestOddPaths(t *testing.T) {
	for _, name := range []string{"a b?mode=ro&x#y%20z é.db", "file:x.db", "-", "';--.db", ":memory:"} {
		path := filepath.Join(t.TempDir(), name)
		s := opened(t, path)
		fill(t, s, 3)
		s.Close()
		if countNotes(t, path)[""] != 3 {
			t.Errorf("%q: the events are not there", name)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 || entries[0].Name() != name {
			t.Errorf("%q: the folder holds %v, %v", name, entries, err)
		}
	}
	if _, err := Open(t.Context(), ""); err == nil {
		t.Error("the empty path was taken")
	}
}

func TestSymlink(t *testing.T) {
	folder := t.TempDir()
	real, link := filepath.Join(folder, "real.db"), filepath.Join(folder, "link.db")
	opened(t, real).Close()
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	s := opened(t, link)
	fill(t, s, 3)
	s.Close()
	if countNotes(t, real)[""] != 3 {
		t.Error("the events are not in the file that the link points to")
	}
}
