package worker

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/flock"
)

// A seat is a folder with a journal, the trials' files and a name by which the server knows whoever sits there. One worker
// at a time does: it holds a lock, which the system gives back however the worker ends. Whoever can take the lock knows that
// the seat's last owner is gone, and settles what that one has left. Where there are no locks no seat is ever taken over, and what a
// worker that died has left must be told by hand.
type seat struct {
	dir  string
	lock *os.File
	card
}

// card is who sits there, and for which study: a study of the same name in another store is another.
type card struct {
	Worker  string    `json:"worker"`
	Study   string    `json:"study"`
	Created time.Time `json:"created"`
}

const (
	seatPrefix = "seat-"
	cardFile   = "seat.json"
	lockFile   = "lock"
)

// takeSeats takes all seats of a study that are free, and makes one if there is none. The first is the worker's own.
func takeSeats(dir, study string, created time.Time) (list []*seat, err error) {
	defer func() {
		if err != nil {
			release(list)
			list = nil
		}
	}()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	folders, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		if !strings.HasPrefix(f.Name(), seatPrefix) {
			continue
		}
		s, err := takeSeat(filepath.Join(dir, f.Name()), study, created)
		if err != nil {
			return list, err
		}
		if s != nil {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		s, err := newSeat(dir, study, created)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func release(list []*seat) {
	for _, s := range list {
		s.lock.Close()
	}
}

// takeSeat sits down, unless somebody does already, or the seat is another study's: then there is none.
func takeSeat(dir, study string, created time.Time) (*seat, error) {
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	s := &seat{dir: dir, lock: lock}
	free, err := flock.Try(lock)
	if !free || err != nil {
		lock.Close()
		return nil, nil
	}
	raw, err := os.ReadFile(filepath.Join(dir, cardFile))
	if err == nil {
		err = json.Unmarshal(raw, &s.card)
	}
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("the folder %s is damaged; move it away: %w", dir, err)
	}
	if s.Study != study || !s.Created.Equal(created) {
		lock.Close()
		return nil, nil
	}
	return s, nil
}

// newSeat makes one. It gets its name only once it is locked and whole, so that nobody finds it free.
func newSeat(dir, study string, created time.Time) (*seat, error) {
	name := rand.Text()[:8]
	making := filepath.Join(dir, ".new-"+name)
	for _, folder := range []string{journalFolder, refusedFolder} {
		if err := os.MkdirAll(filepath.Join(making, folder), 0o700); err != nil {
			return nil, err
		}
	}
	lock, err := os.OpenFile(filepath.Join(making, lockFile), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	s := &seat{dir: filepath.Join(dir, seatPrefix+name), lock: lock, card: card{hostName() + "-" + name, study, created}}
	if free, lockErr := flock.Try(lock); !free && !errors.Is(lockErr, errors.ErrUnsupported) {
		err = fmt.Errorf("the lock of a new file cannot be taken: %v", lockErr)
	}
	var raw []byte
	if err == nil {
		raw, err = json.Marshal(s.card)
	}
	if err == nil {
		err = writeFile(filepath.Join(making, cardFile), raw)
	}
	if err == nil {
		err = os.Rename(making, s.dir)
	}
	if err == nil {
		err = syncFolder(dir)
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return s, nil
}

// hostName is this machine's, as far as a worker's name may have it.
func hostName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "worker"
	}
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-", r) {
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), 60)]
}
