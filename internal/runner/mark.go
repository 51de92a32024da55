package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// Mark is a file that says how far the log of a study was seen here. It is a second record of what has no folder: a budget that was
// raised, a result that was told by hand. A log that does not have the last event that was seen has lost its end, or is a backup.
type Mark struct {
	File   string
	Digest func(ctx context.Context, event int64) (string, error) // of an event of the log; empty: the log has no such event
}

// seen is what is in the file.
type seen struct {
	Events int64  `json:"events"`
	Digest string `json:"digest"` // of the last of them
}

// MarkIn returns the mark of a study among those that a folder of trials holds. It is known by the study's ID, and not by a name, which may
// change.
func MarkIn(trials, id string, digest func(context.Context, int64) (string, error)) *Mark {
	return &Mark{filepath.Join(trials, ".seen", id+".json"), digest} // no study's name begins with a dot
}

// Exists reports whether the log was ever seen here.
func (m *Mark) Exists() bool {
	_, err := os.Stat(m.File)
	return err == nil
}

// check refuses a record that does not have what was seen.
func (m *Mark) check(ctx context.Context, name string, r *study.Record) (was seen, err error) {
	raw, err := os.ReadFile(m.File)
	if errors.Is(err, fs.ErrNotExist) {
		return was, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &was)
	}
	if err != nil {
		return was, fault.Wrap(err, fault.Conflict, "move it away", "the file %s is damaged", m.File)
	}
	problem := ""
	if was.Events > r.Version {
		problem = fmt.Sprintf("the log of study %s has %d events, but %d were seen here", name, r.Version, was.Events)
	} else if now, err := m.Digest(ctx, was.Events); err != nil {
		return was, err
	} else if now != was.Digest {
		problem = fmt.Sprintf("event %d in the log of study %s is not the one that was seen here", was.Events, name)
	}
	if problem == "" {
		return was, nil
	}
	return was, fault.New(fault.Conflict, fmt.Sprintf("if there is a newer store, put it back; to go on without what is missing move %s away", m.File),
		"%s: the end of the store's log was lost, or a backup was restored", problem)
}

// Raise notes that the log was seen as far as a record has it. It refuses a record that does not have what was seen before.
func (m *Mark) Raise(ctx context.Context, name string, r *study.Record) error {
	was, err := m.check(ctx, name, r)
	if err != nil || r.Version == was.Events {
		return err
	}
	raw, err := json.Marshal(seen{r.Version, r.Digest})
	if err != nil {
		return err
	}
	return m.write(raw)
}

// write replaces the file. Others may be about to replace it as well, so each has a name of its own for what is not yet whole.
func (m *Mark) write(raw []byte) error {
	dir := filepath.Dir(m.File)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // which is not there any more when all went well
	_, err = file.Write(raw)
	err = cmp.Or(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), m.File)
	}
	return cmp.Or(err, engine.SyncFolder(dir))
}

// raise keeps the mark up to date, at most once a beat. What cannot be noted now is noted later; that the log was replaced meanwhile is
// said by the source.
func (r *run) raise(watching context.Context) {
	for r.Mark != nil && watching.Err() == nil {
		wait(watching, nil, beat)
		r.raiseNow(watching)
	}
}

func (r *run) raiseNow(ctx context.Context) {
	record, err := r.Source.Record(ctx)
	if err != nil || record.Version == r.marked {
		return
	}
	if r.Mark.Raise(ctx, r.shown.Load().Name, record) == nil {
		r.marked = record.Version
	}
}

// A trial's folder says which trial it is of. So the folders are a second record of what was run: a store that has lost the end of its
// log, or was replaced by a backup, does not know some of them.

// checkStore refuses to go on with a record that does not have what was seen here: it would be paid for again. Another run may have added to the
// log since the record was read, so a record is refused only if there is no newer one.
func (r *run) checkStore(ctx context.Context, name string, record *study.Record) error {
	for {
		err := r.checkRecord(ctx, name, record)
		if err == nil {
			return nil
		}
		now, failed := r.Source.Record(ctx)
		if failed != nil || now.Version == record.Version {
			return err
		}
		record = now
	}
}

func (r *run) checkRecord(ctx context.Context, name string, record *study.Record) error {
	var unseen error
	also := ""
	if r.Mark != nil {
		if unseen = r.Mark.Raise(ctx, name, record); unseen != nil {
			also = " and " + r.Mark.File
		}
	}
	return cmp.Or(checkFolders(r.Trials, record, also), unseen)
}

// checkFolders refuses a record that does not have the trials whose folders are here. What else has to be moved away to go on without them
// is said at once.
func checkFolders(dir string, record *study.Record, also string) error {
	folders, err := filepath.Glob(filepath.Join(dir, "[0-9][0-9][0-9][0-9][0-9]"))
	if err != nil {
		return err
	}
	folders = slices.DeleteFunc(folders, func(folder string) bool { return engine.IsUnclaimed(os.DirFS(folder)) })
	if len(folders) > 0 && len(record.Trials) == 0 {
		return fault.New(fault.Conflict, "if the store was deleted or is another one, put it back; to begin anew move that folder away, or give another with --dir",
			"%s holds %d trials, but the store knows of none", dir, len(folders))
	}
	var unknown []int
	for _, folder := range folders {
		number, _ := strconv.Atoi(filepath.Base(folder))
		id, err := engine.Owner(os.DirFS(folder))
		if err != nil {
			return err
		}
		if t, err := record.Trial(number); id != "" && (err != nil || t.ID != id) {
			unknown = append(unknown, number)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return fault.New(fault.Conflict, "if there is a newer store, put it back; to go on without these trials move their folders"+also+" away: what they cost is not on record then",
		"%s holds %s that the store does not know (from %d to %d): the end of the store's log was lost, or a backup was restored",
		dir, say.Count(len(unknown), "trial"), unknown[0], unknown[len(unknown)-1])
}
