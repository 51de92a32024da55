package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

// tmpfs mounts a small file system.
func tmpfs(t *testing.T, options string) string {
	t.Helper()
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, options); err != nil {
		t.Skipf("no small disk can be mounted here, which takes root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return folder
}

func TestDiskFull(t *testing.T) {
	folder := tmpfs(t, "size=512k")
	path := filepath.Join(folder, "eke.db")
	s := opened(t, path)
	if err := s.Create(t.Context(), storetest.Header("x", 1)); err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(folder, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 100<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	var version int64
	var err error
	for err == nil && version < 1000 {
		err = s.Append(t.Context(), "x", version, storetest.Numbered(version, storetest.Added(strings.Repeat("x", 1000)))...)
		if err == nil {
			version++
		}
	}
	if !errors.Is(err, store.ErrFull) {
		t.Fatalf("after %d events: %v", version, err)
	}
	t.Logf("after %d events: %v", version, err)
	if r, _, err := store.Load(t.Context(), s, "x"); err != nil || r.Version != version {
		t.Errorf("on the full disk: %+v, %v", r, err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "x", version, storetest.Numbered(version, storetest.Added("again"))...); err != nil {
		t.Errorf("with room again: %v", err)
	}
	s.Close()
	if n := len(countNotes(t, path)); n != 2 {
		t.Errorf("%d kinds of notes, want 2", n)
	}
}

func TestNoRoomForANewFile(t *testing.T) {
	folder := tmpfs(t, "size=64k")
	if err := os.WriteFile(filepath.Join(folder, "ballast"), make([]byte, 60<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "eke.db")
	_, err := Open(t.Context(), path)
	if !errors.Is(err, store.ErrFull) {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestReadOnlyDisk(t *testing.T) {
	folder := tmpfs(t, "size=1m")
	path := filepath.Join(folder, "eke.db")
	opened(t, path).Close()
	if err := syscall.Mount("", folder, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	refused(t, path, store.ErrReadOnly, testConfig())
	refused(t, filepath.Join(folder, "new.db"), store.ErrReadOnly, testConfig())
}

// asNobody runs do on a thread that may not do what root may. The thread is not used again.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		do()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		const nobody = 65534
		syscall.RawSyscall(syscall.SYS_SETFSGID, nobody, 0, 0)
		syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0)
		do()
	}()
	<-done
}

func TestNoPermission(t *testing.T) {
	for _, tt := range []struct {
		what         string
		folder, file fs.FileMode // 0: no file
		want         error
	}{
		{"new file in a read-only folder", 0o555, 0, store.ErrReadOnly},
		{"read-only file", 0o777, 0o444, store.ErrReadOnly},
		{"read-only folder", 0o555, 0o666, store.ErrReadOnly},
		{"unreadable file", 0o777, 0o222, fs.ErrPermission},
		{"closed folder", 0o666, 0o666, fs.ErrPermission},
	} {
		t.Run(tt.what, func(t *testing.T) {
			outer, err := os.MkdirTemp("", "eke") // t.TempDir is closed to others
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(outer, 0o777); os.RemoveAll(outer) })
			path := filepath.Join(outer, "eke.db")
			if tt.file != 0 {
				opened(t, path).Close()
				os.Chmod(path, tt.file)
			}
			if err := os.Chmod(outer, tt.folder); err != nil {
				t.Fatal(err)
			}
			var s *Store
			asNobody(t, func() { s, err = Open(t.Context(), path) })
			if err == nil {
				s.Close()
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			t.Log(err)
		})
	}
}

func TestNotARegularFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip(err)
	}
	refused(t, path, store.ErrForeign, testConfig())
}
