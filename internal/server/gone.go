package server

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// processHere finds the process in a worker's usual name, such as laptop-4711-9f3c01@5be01c77: the number of the process, and where that
// number is valid; see here.
var processHere = regexp.MustCompile(`-([0-9]+)-[0-9a-f]+@([0-9a-f]{8})$`)

// gone reports whether a runner is a process of this machine that has ended. Of others, and of those that chose their names, only silence tells.
func gone(runner string) bool {
	m := processHere.FindStringSubmatch(runner)
	if len(m) != 3 || m[2] != here() {
		return false
	}
	pid, err := strconv.Atoi(m[1])
	if err != nil {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// here stands for this machine since it was started, and for the numbers of processes in use: those in a container are its own. It is empty
// where nobody knows. Clients find it in the same way.
var here = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	processes, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(string(boot)) + processes))
	return hex.EncodeToString(sum[:4])
})
