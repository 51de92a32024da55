package campaign

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"time"

	"github.com/eke-bo/eke/internal/flock"
)

const (
	lockFile    = ".lock"   // held while a process writes
	claimFolder = ".claims" // a file for each running job, locked by the process that runs it
)

// locked calls do while no other process writes.
func (f *Folder[K, R]) locked(do func() error) error {
	if err := os.MkdirAll(f.Dir, 0o777); err != nil {
		return err
	}
	for {
		file, free, err := tryLock(f.path(lockFile))
		if err != nil {
			return err
		}
		if free {
			return errors.Join(do(), file.Close())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// claim takes a job, unless another process has it. The claim ends with release, or with the process.
func (f *Folder[K, R]) claim(key K) (release func(), ok bool, err error) {
	dir := f.path(claimFolder)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, false, err
	}
	h := fnv.New64a()
	h.Write([]byte(key.String()))
	name := filepath.Join(dir, fmt.Sprintf("%016x", h.Sum64()))
	file, free, err := tryLock(name)
	if err != nil || !free {
		return nil, false, err
	}
	return func() {
		os.Remove(name) // a process that has opened it meanwhile finds the job done
		file.Close()
	}, true, nil
}

// tryLock locks a file, and creates it if necessary. On systems without locks, every lock is free, and only one process at a time
// may work in a folder.
func tryLock(name string) (file *os.File, free bool, err error) {
	file, err = os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, false, err
	}
	free, err = flock.Try(file)
	if errors.Is(err, errors.ErrUnsupported) {
		return file, true, nil
	}
	if err != nil || !free {
		file.Close()
		return nil, false, err
	}
	return file, true, nil
}
