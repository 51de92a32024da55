package slurm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/cluster"
	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Submit has a job submitted. If Slurm does not answer, or has no room, the job is submitted when it is polled.
func (e *Engine) Submit(ctx context.Context, j engine.Job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x := e.job(key(j))
	x.mu.Lock()
	defer x.mu.Unlock()
	if in, err := readIntent(key(j)); in != nil || err != nil {
		return err // it was submitted, or is about to be
	}
	if err := local.Prepare(j, len(e.Setup) > 0); err != nil {
		return err
	}
	c, err := e.look(ctx)
	if err != nil {
		return err
	}
	eke, err := e.program()
	if err != nil {
		return err
	}
	in := e.newIntent(j)
	in.Limit = c.within(in.Limit, j.Options)
	if err := os.WriteFile(in.path(scriptFile), []byte(e.script(in, j.Options, eke)), 0o700); err != nil {
		return fault.Wrap(err, fault.CannotRun, "see to the folder, and run again", "%s cannot be written: %v", in.path(scriptFile), err)
	}
	switch err = in.submit(ctx, j.Env); {
	case errors.Is(err, errFull):
		return nil
	case err != nil: // nothing runs
		_ = os.Remove(in.path(intentFile))
	}
	return err
}

// errFull says that there are too many jobs for another.
var errFull = errors.New("the queue has no room for another job of yours (MaxSubmitJobs, GrpSubmitJobs)")

// submit calls sbatch, with the intent on record before. It returns no error if the job may have been taken: whoever polls finds out.
func (in *intent) submit(ctx context.Context, env []string) error {
	in.Tried, in.ID = time.Now().Round(0), ""
	if err := in.write(); err != nil {
		return err
	}
	out, err := call(ctx, env, "sbatch", "--parsable", in.path(scriptFile))
	switch id := jobNumber(out); {
	case id != "":
		in.ID = id
		_ = in.write() // if it cannot be written, the job is found by its name
		return nil
	case err == nil || isDown(err):
		return nil
	case isFull(err):
		in.Tried = time.Time{}
		if err := in.write(); err != nil {
			return err
		}
		return errFull
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return refusal(err)
}

var numbers = regexp.MustCompile(`(?m)^\s*(\d+)(?:;\S+)?\s*$|Submitted batch job (\d+)`)

// jobNumber finds the job's number in what sbatch prints. Wrappers of sites print more around it.
func jobNumber(out string) string {
	found := numbers.FindAllStringSubmatch(out, -1)
	if len(found) == 0 {
		return ""
	}
	last := found[len(found)-1]
	return strings.TrimSpace(last[1] + last[2])
}

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

	Quantities []string      `json:"quantities,omitempty"`
	Several    bool          `json:"several,omitempty"`
	Limit      time.Duration `json:"limit,omitempty"`
	Grace      time.Duration `json:"grace,omitempty"`

	dir string
}

// newIntent makes an intent, with a name that no other job has.
func (e *Engine) newIntent(j engine.Job) *intent {
	const longest = 40
	name := j.Study[:min(len(j.Study), longest)]
	return &intent{
		Name: fmt.Sprintf("eke-%s-%d-%s", name, j.Trial, strings.TrimPrefix(j.ID[:min(len(j.ID), 8)]+"-"+strings.ToLower(rand.Text()[:8]), "-")), Made: time.Now().Round(0), dir: key(j),
		Charge: e.Charge, Rate: j.Rate, Save: e.Save,
		Argv: j.Argv, Setting: j.Setting, Trial: j.Trial, Study: j.Study, WorkDir: abs(j.WorkDir), Vars: j.Vars, Objective: j.Objective, WallTime: j.WallTime, Quantities: j.Quantities, Several: j.Several, Fidelity: j.Fidelity,
		Limit: j.Limit, Grace: j.Grace,
	}
}

// job is the job as the local engine runs it, on a node.
func (in *intent) job() engine.Job {
	return engine.Job{
		Argv: in.Argv, Setting: in.Setting, Trial: in.Trial, Study: in.Study, Dir: in.dir, WorkDir: in.WorkDir, Vars: in.Vars,
		Objective: in.Objective, WallTime: in.WallTime, Quantities: in.Quantities, Several: in.Several, Fidelity: in.Fidelity, Limit: in.Limit, Grace: in.Grace,
	}
}

func (in *intent) path(name string) string { return filepath.Join(in.dir, name) }

// write puts the intent on disk.
func (in *intent) write() error { return engine.WriteNote(in.path(intentFile), in.Trial, in) }

// readIntent returns the intent of a job; nil if nobody has ever meant to submit it.
func readIntent(dir string) (*intent, error) {
	in := &intent{dir: dir}
	if ok, err := engine.ReadNote(in.path(intentFile), in); !ok {
		return nil, err
	}
	return in, nil
}

func key(j engine.Job) string { return abs(j.Dir) }

func abs(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		return full
	}
	return dir
}

// timeLimit is the limit to ask Slurm for, in whole minutes: the command's and the spare time of a job. Within the spare time the job
// starts, ends, and is accounted for, so that Slurm never reaches its own limit.
func timeLimit(limit time.Duration) int {
	return int(math.Ceil((limit + cluster.Spare).Minutes() - 1e-9))
}

// Script returns the script of a job, as sbatch gets it.
func (e *Engine) Script(j engine.Job) (string, error) {
	eke, err := e.program()
	if err != nil {
		return "", err
	}
	return e.script(e.newIntent(j), j.Options, eke), nil
}

func (e *Engine) script(in *intent, options, eke []string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("#!/bin/bash")
	line("#SBATCH --job-name=%s", in.Name)
	line("#SBATCH --output=%s", quoted(strings.ReplaceAll(in.path(outputFile), "%", "%%")))
	line("#SBATCH --open-mode=append")
	if in.Limit > 0 {
		line("#SBATCH --time=%d", timeLimit(in.Limit))
	}
	if in.Save > 0 {
		line("#SBATCH --signal=B:USR1@%d", int((in.Save + cluster.Spare).Seconds()))
	}
	for _, o := range options {
		name, value, has := strings.Cut(o, "=")
		if has {
			name += "=" + quoted(value)
		}
		line("#SBATCH %s", name)
	}
	for _, s := range e.Setup {
		line("%s", s)
	}
	words := make([]string, 0, len(eke)+1)
	for _, w := range append(eke[:len(eke):len(eke)], in.dir) {
		words = append(words, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
	}
	line("exec %s", strings.Join(words, " ")) // signals for the script reach the program
	return b.String()
}

// quoted is a value as sbatch reads it.
func quoted(value string) string {
	if strings.ContainsAny(value, " \t'\"\\#") {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
	}
	return value
}

// program is how a job calls this program.
func (e *Engine) program() ([]string, error) {
	if len(e.Eke) > 0 {
		return e.Eke, nil
	}
	path, err := os.Executable()
	if err != nil {
		return nil, fault.Wrap(err, fault.CannotRun, "give its full path when you start it", "nobody knows where the program eke is")
	}
	return []string{path, "job"}, nil
}
