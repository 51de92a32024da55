package worker

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Folders of a seat.
const (
	journalFolder = "journal" // what is under way
	refusedFolder = "refused" // what the server did not take: nobody's result is thrown away
)

// entry is a trial's line in the journal, a file of its own.
type entry struct {
	Key     string    `json:"key"`
	Trial   int       `json:"trial,omitempty"` // 0: not known yet
	Began   time.Time `json:"began,omitzero"`
	Outcome *outcome  `json:"outcome,omitempty"`

	seat *seat
}

// newEntry puts a line into the journal for a trial that is about to be asked for.
func (s *seat) newEntry() (*entry, error) {
	e := &entry{Key: rand.Text(), seat: s}
	return e, e.write()
}

func (e *entry) path() string { return filepath.Join(e.seat.dir, journalFolder, e.Key+".json") }

// dir is the folder of the trial's files.
func (e *entry) dir() string { return filepath.Join(e.seat.dir, fmt.Sprintf("%05d", e.Trial)) }

// write puts the entry on disk: all of it or nothing is there, whatever happens, and it is there when write returns.
func (e *entry) write() error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return writeFile(e.path(), raw)
}

func writeFile(name string, raw []byte) error {
	file, err := os.OpenFile(name+"~", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(raw)
	err = cmp.Or(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(name+"~", name)
	}
	return cmp.Or(err, syncFolder(filepath.Dir(name)))
}

// syncFolder makes a rename last. Where folders cannot be synced there is nothing more to be done.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	_ = folder.Sync()
	return nil
}

// touch notes that the trial is alive, in the file's time.
func (e *entry) touch() {
	now := time.Now()
	_ = os.Chtimes(e.path(), now, now)
}

// alive is how long the trial of a worker that died was seen alive.
func (e *entry) alive() time.Duration {
	info, err := os.Stat(e.path())
	if err != nil || e.Began.IsZero() {
		return 0
	}
	until := info.ModTime().Add(touching) // perhaps until just before it would have been seen again
	if now := time.Now(); until.After(now) {
		until = now
	}
	return max(until.Sub(e.Began), 0)
}

// done takes the entry out of the journal: the server knows.
func (e *entry) done() { _ = os.Remove(e.path()) }

// refuse keeps the entry elsewhere, and returns where.
func (e *entry) refuse() string {
	to := filepath.Join(e.seat.dir, refusedFolder, fmt.Sprintf("%05d-%s.json", e.Trial, e.Key))
	if err := os.Rename(e.path(), to); err != nil {
		return e.path()
	}
	return to
}

// entries reads the journal, in the order of the trials.
func (s *seat) entries() (list []*entry, err error) {
	dir := filepath.Join(s.dir, journalFolder)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		key, isEntry := strings.CutSuffix(f.Name(), ".json")
		if !isEntry { // half of one, from a worker that died writing it: the one that it was to replace is there
			_ = os.Remove(filepath.Join(dir, f.Name()))
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		e := &entry{seat: s}
		if err := json.Unmarshal(raw, e); err != nil || e.Key != key || e.Trial < 0 {
			return nil, errors.Join(fmt.Errorf("the journal's file %s is damaged; move it away", filepath.Join(dir, f.Name())), err)
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *entry) int { return cmp.Or(cmp.Compare(a.Trial, b.Trial), cmp.Compare(a.Key, b.Key)) })
	return list, nil
}
