package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/eke-bo/eke/store/storetest"
)

// Opening and closing a file a second time must not drop the locks of the first: other processes would then
// think themselves alone with it.
func TestLocksOutliveASecondStoreInTheSameProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eke.db")
	s := opened(t, path)
	if err := s.Create(t.Context(), storetest.Header("x", 1)); err != nil {
		t.Fatal(err)
	}
	if !locked(t, path) {
		t.Skip("the locks of this file system cannot be seen")
	}
	opened(t, path).Close()
	if !locked(t, path) {
		t.Error("the lock is gone")
	}
	// That this test can tell: here is what the store must never do.
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if locked(t, path) {
		t.Error("the lock outlived what should have dropped it; is the test of any use?")
	}
}

// locked says whether this process has a lock on a file. Others may have one on a file of the same number, on another disk.
func locked(t *testing.T, path string) bool {
	t.Helper()
	var file syscall.Stat_t
	if err := syscall.Stat(path, &file); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Skip(err)
	}
	for _, line := range strings.Split(string(all), "\n") { // 1: POSIX  ADVISORY  READ 1234 fd:01:5678 124 124
		f := strings.Fields(line)
		if len(f) == 8 && f[4] == strconv.Itoa(os.Getpid()) && strings.HasSuffix(f[5], fmt.Sprintf(":%d", file.Ino)) {
			return true
		}
	}
	return false
}
