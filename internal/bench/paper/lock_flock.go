//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package paper

import (
	"io"
	"os"
	"syscall"
)

// lock takes a lock that ends with the process, whatever the way it ends.
func lock(name string) (io.Closer, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
