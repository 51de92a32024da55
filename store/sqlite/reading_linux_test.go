package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

// begun puts a study with one event into a store.
func begun(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Create(t.Context(), storetest.Header("x", 10)); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "x", 0, storetest.Numbered(0, storetest.Added("a"))...); err != nil {
		t.Fatal(err)
	}
}

// looked checks that a store can be read, and that a write fails with the reason.
func looked(t *testing.T, path string) {
	t.Helper()
	why := fault.New(fault.StoreDenied, "", "not here")
	s, err := OpenReading(t.Context(), path, why)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, events, err := s.Read(t.Context(), "x", 0)
	if err != nil || len(events) != 1 {
		t.Errorf("%d events, %v", len(events), err)
	}
	for what, err := range map[string]error{
		"append": s.Append(t.Context(), "x", 1, storetest.Numbered(1, storetest.Added("b"))...),
		"create": s.Create(t.Context(), storetest.Header("y", 10)),
	} {
		if !errors.Is(err, why) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := s.Create(t.Context(), storetest.Header("x", 10)); !errors.Is(err, store.ErrExists) {
		t.Errorf("a study that is there: %v", err)
	}
}

// A store on a read-only disk can be looked at, also one whose last writer was killed, and nothing is left beside it.
func TestReadingAReadOnlyDisk(t *testing.T) {
	folder := tmpfs(t, "size=4m")
	t.Setenv("TMPDIR", t.TempDir()) // others may be reading copies just now, too
	quiet, hot := filepath.Join(folder, "quiet.db"), filepath.Join(folder, "hot.db")
	s := opened(t, quiet)
	begun(t, s)
	if err := errors.Join(copyFile(hot, quiet), copyFile(hot+"-wal", quiet+"-wal")); err != nil { // as after a kill
		t.Fatal(err)
	}
	s.Close()
	if inUse(quiet) || !inUse(hot) {
		t.Fatal("the log is not where it should be")
	}
	if err := syscall.Mount("", folder, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	looked(t, quiet)
	looked(t, hot)
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "eke-reading-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A store of another owner can be looked at, if it may be read.
func TestReadingAnothersStore(t *testing.T) {
	outer, err := os.MkdirTemp("", "eke") // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(outer) })
	path := filepath.Join(outer, "eke.db")
	s := opened(t, path)
	begun(t, s)
	if err := errors.Join(os.Chmod(outer, 0o755), os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, open := range []bool{true, false} { // while its owner has it open, and after
		if !open {
			s.Close()
		}
		for _, beside := range []string{"-wal", "-shm"} {
			_ = os.Chmod(path+beside, 0o644)
		}
		asNobody(t, func() { looked(t, path) })
	}
}

// A store on a network file system is not written to, unless somebody says so, and can be looked at.
func TestNetwork(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "eke.db")
	s := opened(t, path)
	begun(t, s)
	defer func(real func(string) string) { networkOf = real }(networkOf)
	networkOf = func(string) string { return "NFS" }
	_, err := Open(t.Context(), path)
	if !errors.Is(err, store.ErrReadOnly) || !strings.Contains(err.Error(), "network file system (NFS)") || !strings.Contains(fault.HintOf(err), NetworkVariable+"=1") {
		t.Errorf("%v", err)
	}
	if _, err := Open(t.Context(), filepath.Join(folder, "new.db")); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("a new one: %v", err)
	}
	looked(t, path) // while another machine may be writing to it
	s.Close()
	looked(t, path)
	t.Setenv(NetworkVariable, "1")
	opened(t, path)
}

// The store is its owner's alone, and so are the files that SQLite makes beside it.
func TestPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eke.db")
	begun(t, opened(t, path))
	for _, beside := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(path + beside); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", beside, info, err)
		}
	}
}
