package runner

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/eke-bo/eke/internal/flock"
)

// A runner holds a lock on a file of its own for as long as it lives. The system gives the lock back however
// the runner ends, so who can take it knows that its owner is dead. Where there are no locks, runners are taken for dead when they
// have been silent (see hasDied).

// locksFolder is where the runners of a study keep their locks, in the folder of its trials.
const locksFolder = "runners"

type lock struct {
	id   string
	file *os.File
}

func lockPath(dir, id string) string { return filepath.Join(dir, locksFolder, id) }

// takeLock makes a new runner known and returns its lock.
func takeLock(dir string) (*lock, error) {
	if err := os.MkdirAll(filepath.Join(dir, locksFolder), 0o777); err != nil {
		return nil, errNoFolder(dir, err)
	}
	random := make([]byte, 4)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	l := &lock{id: fmt.Sprintf("%s%d-%s", runnerPrefix, os.Getpid(), hex.EncodeToString(random))}
	// It gets its name only once it is locked, so that nobody finds it free.
	file, err := os.CreateTemp(filepath.Join(dir, locksFolder), ".new-*")
	if err != nil {
		return nil, errNoFolder(dir, err)
	}
	if free, err := flock.Try(file); !free && !errors.Is(err, errors.ErrUnsupported) {
		file.Close()
		return nil, errNoFolder(dir, fmt.Errorf("the lock of a new file cannot be taken: %v", err))
	}
	if err := os.Rename(file.Name(), lockPath(dir, l.id)); err != nil {
		file.Close()
		return nil, errNoFolder(dir, err)
	}
	l.file = file
	return l, nil
}

// clearLocks removes the locks of runners that are gone and have left no open trial.
func clearLocks(dir string, needed func(id string) bool) {
	entries, _ := os.ReadDir(filepath.Join(dir, locksFolder)) // what is left behind does no harm
	for _, e := range entries {
		if !isRunner(e.Name()) {
			continue
		}
		if free, known := lockIsFree(dir, e.Name()); known && free && !needed(e.Name()) {
			_ = os.Remove(lockPath(dir, e.Name()))
		}
	}
}

// release gives the lock back. The file stays: it tells the next runner that this one has ended.
func (l *lock) release() { l.file.Close() }

// lockIsFree reports whether a runner's lock can be taken; known is false where there is no such lock to be seen.
func lockIsFree(dir, id string) (free, known bool) {
	if filepath.Base(id) != id { // it comes from the store, and is about to be a file's name
		return false, false
	}
	file, err := os.OpenFile(lockPath(dir, id), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) || err != nil {
		return false, false
	}
	defer file.Close()
	free, err = flock.Try(file)
	return free, err == nil
}
