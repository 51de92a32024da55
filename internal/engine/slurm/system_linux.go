package slurm

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// saveSignal is what Slurm sends ahead of a job's limit.
const saveSignal = syscall.SIGUSR1

// inMemory reports whether a path is on a file system that is kept in memory.
func inMemory(path string) bool {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return false
	}
	magic := uint32(s.Type) //nolint:gosec // a magic number has 32 bits
	return magic == unix.TMPFS_MAGIC || magic == unix.RAMFS_MAGIC
}
