package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// A trial's folder says which trial it is of. So the folders are a second record of what was run: a store that has lost the end of its
// log, or was replaced by a backup, does not know some of them.

// idFile has the ID of the trial that a folder is of. Folders that a version before 0.2 has made have none.
const idFile = "trial.id"

// claim makes a trial's folder, and writes the trial's ID into it. A folder of another trial of the same number is set aside, with all that
// is in it.
func (r *run) claim(t *task) error {
	dir := t.entry.dir()
	if t.ID == "" {
		return nil
	}
	was, err := ownerOf(dir)
	if err == nil && was == t.ID {
		return nil
	}
	if err == nil && was != "" {
		aside := fmt.Sprintf("%s.%.8s", dir, was)
		if err = os.Rename(dir, aside); err == nil {
			r.tell(Trouble, nil, fmt.Sprintf("the folder of trial %d held another trial of that number, which the study's log does not have; that is kept in %s", t.Number, aside))
		}
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = writeFile(filepath.Join(dir, idFile), []byte(t.ID+"\n"))
	}
	if err != nil {
		return fault.New(fault.CannotRun, "make it writable", "the folder of trial %d cannot be used: %w", t.Number, err)
	}
	return nil
}

// ownerOf returns the ID of the trial that a folder is of; "" if it does not say.
func ownerOf(dir string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(dir, idFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(raw)), err
}

// checkStore refuses to go on with a record that does not have what was seen here: whoever did would pay for it again.
func (r *run) checkStore(ctx context.Context, name string, record *study.Record) error {
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
	if len(folders) > 0 && len(record.Trials) == 0 {
		return fault.New(fault.Conflict, "if the store was deleted or is another one, put it back; to begin anew move that folder away, or give another with --dir",
			"%s holds %d trials, but the store knows of none", dir, len(folders))
	}
	var unknown []int
	for _, folder := range folders {
		number, _ := strconv.Atoi(filepath.Base(folder))
		id, err := ownerOf(folder)
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
