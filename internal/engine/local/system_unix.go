//go:build unix

package local

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/eke-bo/eke/study"
)

// withoutWaiting opens a pipe that nobody writes to at once.
const withoutWaiting = syscall.O_NONBLOCK

// terminate asks all of the group to stop. One that is suspended has to wake up to hear it.
func terminate(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGCONT)
}

// askToSave tells the command, and nobody whom it has started: whoever does not expect the signal dies of it.
func askToSave(cmd *exec.Cmd) { _ = syscall.Kill(cmd.Process.Pid, syscall.SIGUSR1) }

// kill ends all of the group. Once is enough: the system lets no process fork that is about to be killed.
func kill(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}

// readable says whether there is something in a pipe.
func readable(pipe *os.File) bool { return isReadable(pipe.Fd()) }

func isReadable(pipe uintptr) bool {
	fds := []unix.PollFd{{Fd: int32(pipe), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&unix.POLLIN != 0
}

// grouped says whether the group has members, dead ones that nobody has waited for included.
func grouped(pgid int) bool {
	return !errors.Is(syscall.Kill(-pgid, 0), syscall.ESRCH)
}

func exitOf(state *os.ProcessState) study.Exit {
	exit := study.Exit{Code: state.ExitCode()}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		if exit.Signal = unix.SignalName(status.Signal()); exit.Signal == "" {
			exit.Signal = status.Signal().String() // a real-time signal has no name
		}
	}
	return exit
}
