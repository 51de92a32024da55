package local

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// groupAttributes make the command the leader of a group, and have it killed when its runner dies, even
// by a signal that cannot be caught. See start for the thread this depends on.
func groupAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit waits until the leader has exited, and leaves it to be waited for: until then its number is
// nobody else's.
func awaitExit(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// alive says whether a process of the group still runs. A dead one whose parent does not wait for it
// stays in the group, in a container without an init for ever, so the living are counted.
func alive(cmd *exec.Cmd) bool {
	pgid := cmd.Process.Pid
	if !grouped(pgid) {
		return false
	}
	found, err := processes(func(pid int) bool {
		state, group, ok := status(pid)
		return ok && group == pgid && state != 'Z' && state != 'X'
	})
	return err != nil || len(found) > 0
}

// processes returns those for which the condition holds.
func processes(is func(pid int) bool) (list []int, err error) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && is(pid) {
			list = append(list, pid)
		}
	}
	return list, err
}

// status reads a process's state and group. The name before them may hold anything, so they are found from
// its closing parenthesis: "42 (name) S parent group …", proc_pid_stat(5).
func status(pid int) (state byte, pgid int, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, false
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 3 {
		return 0, 0, false
	}
	pgid, err = strconv.Atoi(string(fields[2]))
	return fields[0][0], pgid, err == nil
}
