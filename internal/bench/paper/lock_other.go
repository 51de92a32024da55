//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package paper

import (
	"io"
	"os"
)

// lock, where there is no flock, is a file that must not be there yet. After a crash it is to be removed by hand.
func lock(name string) (io.Closer, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	return removedWhenClosed{file}, nil
}

type removedWhenClosed struct{ *os.File }

func (f removedWhenClosed) Close() error {
	err := f.File.Close()
	os.Remove(f.Name())
	return err
}
