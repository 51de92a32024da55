//go:build unix && !linux

package local

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/eke-bo/eke/internal/engine"
)

// groupAttributes make the command the leader of a group. Nothing here makes it die with its runner.
func groupAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// occupy has a command hold the lock of its slot as well: it may outlive its runner, and nothing finds it then.
func occupy(cmd *exec.Cmd, s *engine.Slot) {
	if s != nil && s.Lock != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, s.Lock)
	}
}

func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

// hasExited does not know: to ask would be to wait for the command.
func hasExited(*exec.Cmd) bool { return false }

func alive(cmd *exec.Cmd) bool { return grouped(cmd.Process.Pid) }

// sweepBy kills the processes that have a variable, and returns how many that were. Only Linux shows the environment of others; here
// nothing is found.
func sweepBy(context.Context, string, string) (killed int, err error) { return 0, nil }

func punch(*os.File, int64, int64) error { return errors.ErrUnsupported }
