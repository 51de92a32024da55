package slurm

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
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
var errFull = errors.New("the queue has no room for another job of yours (MaxSubmitJobs)")

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
