//go:build !unix

package local

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

const withoutWaiting = 0 // there are no pipes in a folder

func groupAttributes() *syscall.SysProcAttr { return nil }

func occupy(*exec.Cmd, *engine.Slot) {} // there are no locks

func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

// hasExited does not know: to ask would be to wait for the command.
func hasExited(*exec.Cmd) bool { return false }

// terminate does nothing: there is no way to ask, so the command has its grace and is killed.
func terminate(*exec.Cmd) {}

// askToSave does nothing: there are no signals.
func askToSave(*exec.Cmd) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// readable cannot be found out.
func readable(*os.File) bool { return false }

func isReadable(uintptr) bool { return false }

// alive says whether the command still runs: there are no groups.
func alive(cmd *exec.Cmd) bool {
	return !errors.Is(cmd.Process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

func exitOf(state *os.ProcessState) study.Exit { return study.Exit{Code: state.ExitCode()} }

// sweepBy kills the processes that have a variable, and returns how many that were. Only Linux shows the environment of others; here
// nothing is found.
func sweepBy(context.Context, string, string) (killed int, err error) { return 0, nil }

func punch(*os.File, int64, int64) error { return errors.ErrUnsupported }
