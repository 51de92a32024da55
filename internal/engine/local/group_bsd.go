//go:build unix && !linux

package local

import (
	"os/exec"
	"syscall"
)

// groupAttributes make the command the leader of a group. Nothing here makes it die with its runner.
func groupAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

func alive(cmd *exec.Cmd) bool { return grouped(cmd.Process.Pid) }
