package runner

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/flock"
)

// A workspace is a folder with a journal and the name by which the source knows whoever works there. One runner at a time does: it
// holds a lock, which the system gives back however the runner ends. Whoever can take the lock knows that the last owner is gone, and
// settles what that one has left. Where there are no locks, no workspace is ever taken over.
type workspace struct {
	dir    string
	trials string // the folder of the trials' folders
	lock   *os.File
	card
}

// card says who works in a workspace, and on which study.
type card struct {
	Runner string `json:"worker"`
	Study  string `json:"study"`
	Identity
}

// isOf reports whether a card is of the same study as another. A study of the same name that was created at another time is another; a
// version before 0.2 knew no more.
func (c card) isOf(other card) bool {
	if c.ID != "" && other.ID != "" {
		return c.ID == other.ID
	}
	return c.Study == other.Study && c.Created.Equal(other.Created)
}

const (
	Prefix   = "run-" // of the names of runners, and of their workspaces
	cardFile = "workspace.json"
	lockFile = "lock"
)

func (w *workspace) trialDir(trial int) string {
	return filepath.Join(w.trials, fmt.Sprintf("%05d", trial))
}

func (w *workspace) release() { w.lock.Close() }

// shop is the folder of a study's workspaces.
type shop struct {
	dir    string
	trials string // the folder that all of them keep the trials' files in; "": each keeps those of its own trials
	card
}

// takeFree takes all workspaces of the study that nobody works in.
func (s *shop) takeFree() (list []*workspace, err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, s.unusable(err)
	}
	folders, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, s.unusable(err)
	}
	for _, f := range folders {
		if !f.IsDir() || !strings.HasPrefix(f.Name(), Prefix) && !strings.HasPrefix(f.Name(), oldPrefix) {
			continue
		}
		w, err := s.take(filepath.Join(s.dir, f.Name()))
		if err != nil {
			for _, w := range list {
				w.release()
			}
			return nil, err
		}
		if w != nil {
			list = append(list, w)
		}
	}
	return list, nil
}

// take takes a workspace, unless somebody has it, or it is another study's: then there is none.
func (s *shop) take(dir string) (*workspace, error) {
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) { // another user's
		return nil, nil
	}
	if err != nil {
		return nil, s.unusable(err)
	}
	w := &workspace{dir: dir, trials: s.trials, lock: lock}
	if w.trials == "" {
		w.trials = dir
	}
	if free, err := flock.Try(lock); !free || err != nil {
		lock.Close()
		return nil, nil
	}
	raw, err := readEither(filepath.Join(dir, cardFile), filepath.Join(dir, oldCardFile))
	if err == nil {
		err = json.Unmarshal(raw, &w.card)
	}
	if err != nil {
		lock.Close()
		return nil, fault.Wrap(err, fault.Conflict, "move it away", "the folder %s is damaged", dir)
	}
	if !w.isOf(s.card) {
		lock.Close()
		return nil, nil
	}
	return w, nil
}

// open makes a new workspace. It gets its name only once it is locked and whole, so that nobody finds it free.
func (s *shop) open() (*workspace, error) {
	name := Prefix + hostName() + "-" + rand.Text()[:8]
	making := filepath.Join(s.dir, ".new-"+name)
	for _, folder := range []string{journalFolder, refusedFolder} {
		if err := os.MkdirAll(filepath.Join(making, folder), 0o700); err != nil {
			return nil, s.unusable(err)
		}
	}
	lock, err := os.OpenFile(filepath.Join(making, lockFile), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, s.unusable(err)
	}
	if free, lockErr := flock.Try(lock); !free && !errors.Is(lockErr, errors.ErrUnsupported) {
		err = fmt.Errorf("the lock of a new file cannot be taken: %w", lockErr)
	}
	w := &workspace{dir: filepath.Join(s.dir, name), trials: s.trials, lock: lock, card: card{name, s.Study, s.Identity}}
	if w.trials == "" {
		w.trials = w.dir
	}
	var raw []byte
	if err == nil {
		raw, err = json.Marshal(w.card)
	}
	if err == nil {
		err = writeFile(filepath.Join(making, cardFile), raw)
	}
	if err == nil {
		err = os.Rename(making, w.dir)
	}
	if err == nil {
		err = syncFolder(s.dir)
	}
	if err != nil {
		lock.Close()
		return nil, s.unusable(err)
	}
	return w, nil
}

// isFree reports whether a runner's lock can be taken; known is false where there is no such lock to be seen.
func (s *shop) isFree(runner string) (free, known bool) {
	if filepath.Base(runner) != runner { // it comes from the source, and is about to be a file's name
		return false, false
	}
	path := filepath.Join(s.dir, runner)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, lockFile)
	} // otherwise it is the lock of an older version's runner
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false, false
	}
	defer file.Close()
	free, err = flock.Try(file)
	return free, err == nil
}

func (s *shop) unusable(err error) error {
	return fault.New(fault.CannotRun, "make it writable, or give another", "the folder %s cannot be used: %w", s.dir, err)
}

// hostName is this machine's, as far as a runner's name may have it.
func hostName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "here"
	}
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-", r) {
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), 60)]
}
