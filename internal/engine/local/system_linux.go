package local

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/eke-bo/eke/internal/engine"
)

// groupAttributes make the command the leader of a group, and have it killed when its runner dies, even
// by a signal that cannot be caught. See start for the thread this depends on.
func groupAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// occupy does nothing: a command dies with its runner, and Enter finds what it leaves.
func occupy(*exec.Cmd, *engine.Slot) {}

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

// hasExited says whether the leader has exited. Nobody has waited for it yet.
func hasExited(cmd *exec.Cmd) bool {
	var info unix.Siginfo // stays empty while the leader runs
	err := unix.Waitid(unix.P_PID, cmd.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
	return err == nil && info.Signo != 0
}

// alive says whether a process of the group still runs. A dead one whose parent does not wait for it
// stays in the group, in a container without an init for ever, so the living are counted.
func alive(cmd *exec.Cmd) bool {
	pgid := cmd.Process.Pid
	if !grouped(pgid) {
		return false
	}
	found, err := processes(func(pid int) bool {
		group, living := status(pid)
		return group == pgid && living
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

// status reads a process's group, and whether it still runs or holds anything. The name before them may hold anything, so they are found from
// its closing parenthesis: "42 (name) S parent group …", proc_pid_stat(5).
func status(pid int) (pgid int, living bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 3 {
		return 0, false
	}
	pgid, err = strconv.Atoi(string(fields[2]))
	return pgid, err == nil && (!isDead(fields[0]) || isLeaving(stat))
}

func isDead(state []byte) bool { return state[0] == 'Z' || state[0] == 'X' }

// sweepBy kills the processes that have a variable, and returns how many that were. Only Linux shows the environment of others;
// elsewhere nothing is found.
func sweepBy(ctx context.Context, variable, dir string) (killed int, err error) {
	entry := []byte("\x00" + variable + "=" + dir + "\x00")
	seen := map[int]bool{}
	var doubtful map[int]bool // those who may be of the trial: nobody knows yet, or any more
	alive := false
	for begin := time.Now(); time.Since(begin) < stuck; time.Sleep(10 * time.Millisecond) {
		if ctx.Err() != nil {
			return len(seen), ctx.Err()
		}
		now := map[int]bool{}
		left, err := processes(func(pid int) bool { // once more after each round: one may have forked meanwhile
			env, known := environOf(pid)
			is := bytes.Contains(env, entry)
			if is || !known { // it is leaving, is becoming another program, or is about to be killed
				now[pid] = true
			}
			if is && killIf(pid, entry) {
				seen[pid] = true
				return true
			}
			return false
		})
		if err != nil {
			return len(seen), err
		}
		were := alive
		alive = len(left) > 0
		if doubtful != nil && !were && !alive { // a process that appeared since nobody lived cannot be a child of the trial's processes
			maps.DeleteFunc(now, func(pid int, _ bool) bool { return !doubtful[pid] })
		}
		if doubtful = now; !alive && len(doubtful) == 0 {
			return len(seen), nil
		}
	}
	for pid := range seen { // what was killed may not have let go
		alive = alive || doubtful[pid]
	}
	if !alive {
		return len(seen), nil // what is left may be anybody's, and has been leaving, or becoming another program, for long
	}
	return len(seen), wrong(nil, "see ps and the disks they use", "some processes of %s cannot be killed", dir)
}

// environOf reads the environment of a process, with a NUL before each variable. It is not known of one that is just becoming another
// program: it has memory and no environment yet; see hasNone. Nor is it known of one that is on its way out; see isLeaving. If the first of
// several threads has ended, the others tell.
func environOf(pid int) (env []byte, known bool) {
	if pid == os.Getpid() {
		return nil, true
	}
	dir := "/proc/" + strconv.Itoa(pid)
	env, unreadable := os.ReadFile(dir + "/environ")
	if len(env) > 0 {
		return append([]byte{0}, env...), true
	}
	memory, _ := os.ReadFile(dir + "/statm")
	stat, err := os.ReadFile(dir + "/stat")
	switch {
	case err != nil || errors.Is(unreadable, fs.ErrPermission): // it is not there any more, or is somebody else's
		return nil, true
	case unreadable != nil || bytes.HasPrefix(memory, []byte("0 ")): // those on their way out have none, nor have the dead and the kernel's own
		if !isLeaving(stat) {
			return nil, true
		}
		env = environOfThreads(dir)
		return env, env != nil
	}
	return nil, hasNone(stat)
}

// environOfThreads is the environment of a process by any of its threads that has one.
func environOfThreads(dir string) []byte {
	threads, _ := filepath.Glob(dir + "/task/*/environ") // the pattern is right
	for _, thread := range threads {
		if env, _ := os.ReadFile(thread); len(env) > 0 { // it may have ended meanwhile
			return append([]byte{0}, env...)
		}
	}
	return nil
}

// isLeaving says of a process that has ended whether it has still to let go of its files and locks, by its line in /proc/PID/stat. The kernel takes
// the memory of a process first, closes its files after, and then makes it a zombie. The first of several threads may be a zombie before the others
// have let go, or while they go on.
func isLeaving(stat []byte) bool {
	const exiting = 0x4                            // PF_EXITING of the kernel
	const state, flags, threads = 0, 9 - 3, 20 - 3 // the third field is the first after the name
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= threads {
		return false
	}
	if isDead(fields[state]) {
		return string(fields[threads]) != "0" && string(fields[threads]) != "1"
	}
	is, err := strconv.ParseUint(string(fields[flags]), 10, 64)
	return err == nil && is&exiting != 0
}

// hasNone says of a process whose environment is empty whether it has none, by its line in /proc/PID/stat. The kernel sets up a new program
// in this order: where the environment begins, which is where it ends at first; its end, when it has gone through all variables; where the
// code begins.
func hasNone(stat []byte) bool {
	const startCode, envStart, envEnd = 26 - 3, 50 - 3, 51 - 3 // the third field is the first after the name
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) <= envEnd || string(fields[startCode]) != "0" && string(fields[envEnd]) != "0" && bytes.Equal(fields[envStart], fields[envEnd])
}

// killIf kills a process that has the variable. It holds on to the process before it looks, so that
// its number cannot pass to another meanwhile.
func killIf(pid int, entry []byte) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }() // it only frees memory
	env, _ := environOf(pid)
	return bytes.Contains(env, entry) && p.Kill() == nil
}

// punch gives a part of a file back to the disk. It reads as zeros then.
func punch(file *os.File, from, length int64) error {
	return unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, from, length)
}
