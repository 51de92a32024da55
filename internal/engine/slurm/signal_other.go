//go:build !unix

package slurm

import "syscall"

// saveSignal is a signal that nobody sends: there is no Slurm here.
const saveSignal = syscall.Signal(0x1e)
