package runner

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/flock"
	"github.com/eke-bo/eke/study"
)

// A workspace is a folder with a journal and the name by which the source knows whoever works there. One runner at a time does: it
// holds a lock, which the system gives back however the runner ends. Whoever can take the lock knows that the last owner is gone, and
// settles what that one has left. Where there are no locks, no workspace is ever taken over.
type workspace struct {
	dir    string // "": there is none, and nothing is kept
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

// isOf reports whether a card is of the same study as another. Where an identity is missing, since a version before 0.2 wrote the card, a study of the
// same name that was created at another time is taken for another study.
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

// shop is the folder of a study's workspaces. Without a folder it is nil, and has none.
type shop struct {
	dir    string
	trials string // the folder that all of them keep the trials' files in; "": each keeps those of its own trials
	card
}

// takeFree takes all workspaces of the study that nobody works in.
func (s *shop) takeFree() (list []*workspace, err error) {
	if s == nil {
		return nil, nil
	}
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

// takeFormer takes the workspaces that were left when the study had another name: workers have a folder for each name, beside each other.
func (s *shop) takeFormer() (list []*workspace, err error) {
	if s == nil || s.trials != "" || s.ID == "" {
		return nil, nil
	}
	cards, _ := filepath.Glob(filepath.Join(filepath.Dir(s.dir), "*", Prefix+"*", cardFile))
	for _, name := range cards {
		if dir := filepath.Dir(name); filepath.Dir(dir) != s.dir && s.isCardOf(name) {
			w, err := s.take(dir)
			if err != nil {
				return list, err
			}
			if w != nil {
				list = append(list, w)
			}
		}
	}
	return list, nil
}

// isCardOf says whether a file is a card of the study.
func (s *shop) isCardOf(name string) bool {
	var c card
	raw, err := os.ReadFile(name)
	return err == nil && json.Unmarshal(raw, &c) == nil && c.ID == s.ID
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
	w := &workspace{dir: dir, trials: cmp.Or(s.trials, dir), lock: lock}
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
	dir := filepath.Join(s.dir, name)
	w := &workspace{dir: dir, trials: cmp.Or(s.trials, dir), lock: lock, card: card{name, s.Study, s.Identity}}
	var raw []byte
	if err == nil {
		raw, err = json.Marshal(w.card)
	}
	if err == nil {
		err = engine.WriteFile(filepath.Join(making, cardFile), raw)
	}
	if err == nil {
		err = os.Rename(making, w.dir)
	}
	if err == nil {
		err = engine.SyncFolder(s.dir)
	}
	if err != nil {
		lock.Close()
		return nil, s.unusable(err)
	}
	return w, nil
}

// isFree reports whether a runner's lock can be taken; known is false where there is no such lock to be seen.
func (s *shop) isFree(runner string) (free, known bool) {
	if s == nil || filepath.Base(runner) != runner { // it comes from the source, and is about to be a file's name
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

// What others may want to know of a folder of workspaces.

// IsAtWork reports whether somebody works in one of the workspaces of a folder.
func IsAtWork(dir string) bool {
	locks, _ := filepath.Glob(filepath.Join(dir, Prefix+"*", lockFile))
	return slices.ContainsFunc(locks, func(name string) bool {
		file, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			return false
		}
		defer file.Close()
		free, err := flock.Try(file)
		return err == nil && !free
	})
}

// StudiesIn returns the IDs of the studies that were worked on in the workspaces of a folder.
func StudiesIn(dir string) (ids []string) {
	cards, _ := filepath.Glob(filepath.Join(dir, Prefix+"*", cardFile))
	for _, name := range cards {
		var c card
		if raw, err := os.ReadFile(name); err == nil && json.Unmarshal(raw, &c) == nil && c.ID != "" && !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

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
	Outcome *outcome  `json:"outcome,omitempty"`

	Lease    time.Duration `json:"lease,omitempty"`    // see Task
	Fidelity float64       `json:"fidelity,omitempty"` // see engine.Job
	Lost     bool          `json:"lost,omitempty"`     // see study.Finished

	in        *workspace
	asked     bool      // the source may know the key
	seen      time.Time // when the trial was last seen alive, of one that was found
	elsewhere bool      // it ran in another folder, or under a version that says less: what is not in its folder proves nothing
	unkept    error     // why it could not be written
}

// outcome is the end of a trial, as the journal keeps it. Its cost is nil if nobody knows it.
type outcome struct {
	study.Finished
	Late bool `json:"late,omitempty"` // the engine's accounts may yet say something else

	onRequest bool // somebody wanted it to be stopped: that says nothing of the command
}

// neverBegan is the end of a trial of which nothing ran: that says nothing of its setting.
func neverBegan(note string) *outcome {
	return &outcome{Finished: study.Finished{State: study.Abandoned, Stopped: true, Cost: new(float64), Note: note}}
}

// String is the outcome for messages, in full: somebody may have to write it down. Only a trial that is done has a value.
func (o *outcome) String() string {
	text := string(o.State)
	if o.State == study.Done {
		text += fmt.Sprintf(" with value %v", o.Value)
	}
	if o.Cost != nil {
		text += fmt.Sprintf(" at cost %v", *o.Cost)
	}
	return text
}

// errNoJournal is why a call's outcome is kept nowhere but at its source.
var errNoJournal = errors.New("there is none")

// newEntry puts a line into the journal for a trial that is about to be asked for.
func (w *workspace) newEntry() (*entry, error) {
	e := &entry{Key: rand.Text(), in: w}
	return e, e.write()
}

// path is where the entry is; "": nowhere.
func (e *entry) path() string {
	if e.in.dir == "" {
		return ""
	}
	return filepath.Join(e.in.dir, journalFolder, e.Key+".json")
}

func (e *entry) ref() Ref { return Ref{e.Trial, e.ID} }

// dir is the folder of the trial's files.
func (e *entry) dir() string { return e.in.trialDir(e.Trial) }

// write puts the entry on disk: all of it or nothing is there, whatever happens, and it is there when write returns.
func (e *entry) write() error {
	if e.in.dir == "" {
		e.unkept = errNoJournal
		return nil
	}
	raw, err := json.Marshal(e)
	if err == nil {
		err = engine.WriteFile(e.path(), raw)
	}
	switch e.unkept = err; {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT): // somebody may make room
		return fault.New(fault.StoreFull, "make room on the disk", "the journal cannot be written: %w", err)
	}
	return fault.New(fault.CannotRun, "check the folder, and run again", "the journal cannot be written: %w", err)
}

// beat is how often a runner says that its trials are alive: one that dies loses sight of them for no longer.
const beat = time.Second

// untilSeen is how long after a sign of life of a trial the next one is due. Short trials give signs of life more often. When its runner dies, a trial
// is charged up to its last sign of life, plus half of this interval, which is right to within a few percent.
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
		if !isEntry { // a half-written entry of a runner that died meanwhile; the entry it was to replace is still there
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
