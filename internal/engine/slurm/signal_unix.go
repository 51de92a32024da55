//go:build unix

package slurm

import "syscall"

// saveSignal is what Slurm sends ahead of a job's limit.
const saveSignal = syscall.SIGUSR1
