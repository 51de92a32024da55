package slurm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eke-bo/eke/study"
)

// Jobs on other machines cannot see a folder in this one's memory, and are not submitted.
func TestVisible(t *testing.T) {
	folder, err := os.MkdirTemp("/dev/shm", "eke-test-")
	if err != nil || !inMemory(folder) {
		t.Skip("there is no file system in memory at /dev/shm")
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	here, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, c := range []struct {
		nodes, folder, want string
	}{
		{"echo " + here, folder, ""},
		{"echo " + here + ".example.org", folder, ""},
		{"echo " + here + "; echo node7", folder, "jobs on node7 cannot see it"},
		{"echo node7", "/proc", ""},
		{"exit 1", folder, ""},
	} {
		if err := os.WriteFile(filepath.Join(bin, "sinfo"), []byte("#!/bin/sh\n"+c.nodes+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		err := New(&study.Study{}).visible(t.Context(), "the trial's folder", c.folder, "take another")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("nodes by %q, folder %s: %v; want %q", c.nodes, c.folder, err, c.want)
		}
	}
}
