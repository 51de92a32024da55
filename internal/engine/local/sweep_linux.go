package local

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// sweep kills what is left of a trial whose runner died, and returns how many processes that were. The
// command itself dies with its runner, but what it had started does not. They are known by EKE_DIR in their
// environment, for their numbers may be somebody else's by now. A runner that lives must not be swept.
//
// Only Linux shows the environment of others; elsewhere nothing is found.
func sweep(ctx context.Context, dir string) (killed int, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return 0, err
	}
	entry := []byte("\x00EKE_DIR=" + dir + "\x00")
	seen := map[int]bool{}
	doubts := 10 // rounds that doubtful ones are looked at again
	for begin := time.Now(); time.Since(begin) < stuck; time.Sleep(10 * time.Millisecond) {
		if ctx.Err() != nil {
			return len(seen), ctx.Err()
		}
		doubtful := false
		left, err := processes(func(pid int) bool { // once more after each round: one may have forked meanwhile
			env, known := environOf(pid)
			doubtful = doubtful || !known
			if !bytes.Contains(env, entry) || !killIf(pid, entry) {
				return false
			}
			seen[pid] = true
			return true
		})
		if err != nil {
			return len(seen), err
		}
		if doubtful {
			doubts--
		}
		if len(left) == 0 && (!doubtful || doubts <= 0) {
			return len(seen), nil
		}
	}
	return len(seen), wrong(nil, "see ps and the disks they use", "some processes of %s cannot be killed", dir)
}

// environOf reads the environment of a process, with a NUL before each variable. It is not known of one that
// is just becoming another program: it has memory and no environment. Neither has a service that was started with
// none, but that leads a group of its own.
func environOf(pid int) (env []byte, known bool) {
	if pid == os.Getpid() {
		return nil, true
	}
	dir := "/proc/" + strconv.Itoa(pid)
	env, err := os.ReadFile(dir + "/environ")
	if err != nil || len(env) > 0 {
		return append([]byte{0}, env...), true
	}
	state, pgid, ok := status(pid)
	if !ok || state == 'Z' || state == 'X' || pgid == pid {
		return nil, true
	}
	memory, err := os.ReadFile(dir + "/statm")
	return nil, err != nil || bytes.HasPrefix(memory, []byte("0 ")) // the kernel's own have none
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
