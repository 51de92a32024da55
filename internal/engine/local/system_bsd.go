//go:build unix && !linux

package local

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// groupAttributes make the command the leader of a group. Nothing here makes it die with its runner.
func groupAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

// hasExited does not know: to ask would be to wait for the command.
func hasExited(*exec.Cmd) bool { return false }

func alive(cmd *exec.Cmd) bool { return grouped(cmd.Process.Pid) }

// sweep kills what is left of a trial whose runner died, and returns how many processes that were. Only Linux
// shows the environment they are known by; here nothing is found.
func sweep(context.Context, string) (killed int, err error) { return 0, nil }

func punch(*os.File, int64, int64) error { return errors.ErrUnsupported }
