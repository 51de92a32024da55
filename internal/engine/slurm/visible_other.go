//go:build !linux

package slurm

func inMemory(string) bool { return false }
