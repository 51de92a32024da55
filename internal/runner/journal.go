package runner

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
	"syscall"
	"time"

	"github.com/eke-bo/eke/internal/fault"
)

// Folders of a workspace.
const (
	journalFolder = "journal" // what is under way
	refusedFolder = "refused" // what the source did not take: nobody's result is thrown away
	lateFolder    = "late"    // what was charged an estimate, until the engine's accounts are closed
)

// entry is a trial's line in the journal, a file of its own. It is there from before the trial is asked for until the source has
// acknowledged the trial's outcome. Its name is the key of both requests, so either may be repeated by whoever finds it.
type entry struct {
	Key     string    `json:"key"`
	Trial   int       `json:"trial,omitempty"` // 0: not known yet
	ID      string    `json:"id,omitempty"`    // the trial's; see Ref
	Began   time.Time `json:"began,omitzero"`
	Outcome *Outcome  `json:"outcome,omitempty"`

	Lease    time.Duration `json:"lease,omitempty"`    // see Task
	Fidelity float64       `json:"fidelity,omitempty"` // see engine.Job
	Lost     bool          `json:"lost,omitempty"`     // see Outcome

	in        *workspace
	asked     bool      // the source may know the key
	seen      time.Time // when the trial was last seen alive, of one that was found
	elsewhere bool      // it ran in another folder, or under a version that says less: what is not in its folder proves nothing
	unkept    error     // why it could not be written
}

// newEntry puts a line into the journal for a trial that is about to be asked for.
func (w *workspace) newEntry() (*entry, error) {
	e := &entry{Key: rand.Text(), in: w}
	return e, e.write()
}

func (e *entry) path() string { return filepath.Join(e.in.dir, journalFolder, e.Key+".json") }

func (e *entry) ref() Ref { return Ref{e.Trial, e.ID} }

// dir is the folder of the trial's files.
func (e *entry) dir() string { return e.in.trialDir(e.Trial) }

// write puts the entry on disk: all of it or nothing is there, whatever happens, and it is there when write returns.
func (e *entry) write() error {
	raw, err := json.Marshal(e)
	if err == nil {
		err = writeFile(e.path(), raw)
	}
	switch e.unkept = err; {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT): // somebody may make room
		return fault.New(fault.StoreFull, "make room on the disk", "the journal cannot be written: %w", err)
	}
	return fault.New(fault.CannotRun, "check the folder, and run again", "the journal cannot be written: %w", err)
}

// writeFile writes a file beside and renames it, and has the disk keep both.
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

// beat is how often a runner says that its trials are alive: one that dies loses sight of them for no longer.
const beat = time.Second

// untilSeen is how long after a sign of life of a trial the next one is due. A short trial shows many: when its runner dies, it is charged
// for as long as it was seen, and half of this, which is right within some percent.
func untilSeen(age time.Duration) time.Duration { return min(max(age/8, 10*time.Millisecond), beat) }

// touch notes that the trial is alive, in the file's time.
func (e *entry) touch() {
	now := time.Now()
	_ = os.Chtimes(e.path(), now, now)
}

// alive estimates how long the trial of a runner that died was alive, from its last sign of life. Its command may have begun later than the
// journal says.
func (e *entry) alive(began time.Time) time.Duration {
	if began.IsZero() {
		began = e.Began
	}
	if e.seen.IsZero() || began.IsZero() {
		return 0
	}
	until := e.seen.Add(untilSeen(e.seen.Sub(began)) / 2)
	if now := time.Now(); until.After(now) {
		until = now
	}
	return max(until.Sub(began), 0)
}

// done takes the entry out of the journal: the source knows.
func (e *entry) done() { _ = os.Remove(e.path()) }

// refuse keeps the entry elsewhere, and returns where.
func (e *entry) refuse() string {
	to := filepath.Join(e.in.dir, refusedFolder, fmt.Sprintf("%05d-%s.json", e.Trial, e.Key))
	if err := os.Rename(e.path(), to); err != nil {
		return e.path()
	}
	return to
}

// entries reads the journal, in the order of the trials.
func (w *workspace) entries() (list []*entry, err error) {
	dir := filepath.Join(w.dir, journalFolder)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		key, isEntry := strings.CutSuffix(f.Name(), ".json")
		if !isEntry { // half of one, of a runner that died writing it: the one that it was to replace is there
			_ = os.Remove(path)
			continue
		}
		e := &entry{in: w, asked: true}
		raw, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(raw, e)
		}
		if err != nil || e.Key != key || e.Trial < 0 {
			return nil, fault.Wrap(err, fault.Conflict, "move it away", "the journal's file %s is damaged", path)
		}
		if info, err := f.Info(); err == nil {
			e.seen = info.ModTime()
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *entry) int { return cmp.Or(cmp.Compare(a.Trial, b.Trial), cmp.Compare(a.Key, b.Key)) })
	return list, nil
}
