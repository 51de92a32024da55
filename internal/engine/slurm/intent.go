package slurm

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Names of files in a job's folder.
const (
	intentFile = "slurm.json"
	scriptFile = "job.sh"
	outputFile = "slurm.out"
	ownerFile  = "owner"
	endFile    = "end.json"
	runPrefix  = "run-"
)

// intent is all that is known of a job, on disk before it is submitted. Only the controller writes it.
type intent struct {
	Name  string    `json:"name"`
	Made  time.Time `json:"made"`
	Tried time.Time `json:"tried,omitzero"` // when sbatch was last called, whatever it came to; zero: no job is on its way
	ID    string    `json:"id,omitempty"`   // of the job; empty: not known

	Others []string `json:"others,omitempty"` // duplicates: jobs of the same name, which are charged as well

	Cancelled string `json:"cancelled,omitempty"` // why the controller has cancelled it
	Refused   string `json:"refused,omitempty"`   // why Slurm will never run it

	Charge study.Cost    `json:"charge"`
	Rate   float64       `json:"rate,omitempty"` // what it costs in a second, by its options
	Save   time.Duration `json:"save,omitempty"`

	Argv      []string      `json:"argv"`
	Setting   space.Setting `json:"setting"`
	Trial     int           `json:"trial"`
	Study     string        `json:"study"`
	WorkDir   string        `json:"workdir"`
	Vars      []string      `json:"vars,omitempty"`
	Objective string        `json:"objective"`
	WallTime  bool          `json:"walltime,omitempty"`
	Fidelity  float64       `json:"fidelity,omitempty"`
	Limit     time.Duration `json:"limit,omitempty"`
	Grace     time.Duration `json:"grace,omitempty"`

	dir string
}

// newIntent makes an intent, with a name that no other job has.
func (e *Engine) newIntent(j engine.Job) *intent {
	const longest = 40
	name := j.Study[:min(len(j.Study), longest)]
	return &intent{
		Name: fmt.Sprintf("eke-%s-%d-%s", name, j.Trial, strings.TrimPrefix(j.ID[:min(len(j.ID), 8)]+"-"+strings.ToLower(rand.Text()[:8]), "-")), Made: time.Now().Round(0), dir: key(j),
		Charge: e.Charge, Rate: j.Rate, Save: e.Save,
		Argv: j.Argv, Setting: j.Setting, Trial: j.Trial, Study: j.Study, WorkDir: abs(j.WorkDir), Vars: j.Vars, Objective: j.Objective, WallTime: j.WallTime, Fidelity: j.Fidelity,
		Limit: j.Limit, Grace: j.Grace,
	}
}

// job is the job as the local engine runs it, on a node.
func (in *intent) job() engine.Job {
	return engine.Job{
		Argv: in.Argv, Setting: in.Setting, Trial: in.Trial, Study: in.Study, Dir: in.dir, WorkDir: in.WorkDir, Vars: in.Vars,
		Objective: in.Objective, WallTime: in.WallTime, Fidelity: in.Fidelity, Limit: in.Limit, Grace: in.Grace,
	}
}

func (in *intent) path(name string) string { return filepath.Join(in.dir, name) }

// write puts the intent on disk, whole and for good.
func (in *intent) write() error {
	raw, err := json.Marshal(in)
	if err == nil {
		err = writeFile(in.path(intentFile), raw)
	}
	if err != nil {
		return fault.Wrap(err, fault.StoreFull, "make room on the disk, and see that the folder can be written", "the folder of trial %d cannot be written: %v", in.Trial, err)
	}
	return nil
}

// readIntent returns the intent of a job; nil if nobody has ever meant to submit it.
func readIntent(dir string) (*intent, error) {
	raw, err := os.ReadFile(filepath.Join(dir, intentFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	in := &intent{dir: dir}
	if err == nil {
		err = json.Unmarshal(raw, in)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Conflict, "", "%s cannot be read: %v", filepath.Join(dir, intentFile), err)
	}
	return in, nil
}

// writeFile writes a file beside and renames it, and has the disk keep both.
func writeFile(name string, raw []byte) error {
	file, err := os.OpenFile(name+"~new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(raw)
	if err = cmp.Or(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(name+"~new", name)
	}
	if folder, e := os.Open(filepath.Dir(name)); e == nil {
		_ = folder.Sync() // where folders cannot be synced there is nothing more to be done
		folder.Close()
	}
	return err
}

func key(j engine.Job) string { return abs(j.Dir) }

func abs(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		return full
	}
	return dir
}
