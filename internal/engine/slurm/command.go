package slurm

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
)

// longestCall is how long a command of Slurm's may take. A controller that is down is given up after a few seconds, one that is
// overloaded after a minute.
const longestCall = 2 * time.Minute

// longestRead is how long the last words of a command that has ended may take. Nothing that it leaves behind writes there, but on a busy machine they are read
// seconds later.
const longestRead = 20 * time.Second

// call runs a command of Slurm's, and returns what it prints. When ctx ends it is not killed: half of a submission would be a doubt.
func call(ctx context.Context, env []string, name string, args ...string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestCall)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = clean(env)
	cmd.WaitDelay = longestRead
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fault.Wrap(err, fault.CannotRun, "run eke where Slurm's commands are, such as on a login node", "there is no command %s on this machine", name)
	case err != nil:
		return out.String(), &failure{name, lastLines(words.String()), err}
	}
	return out.String(), nil
}

// failure is a command of Slurm's that failed.
type failure struct {
	name, words string
	err         error
}

func (f *failure) Error() string { return f.name + ": " + f.words + " (" + f.err.Error() + ")" }
func (f *failure) Unwrap() error { return f.err }

// says reports whether the words of a failed command have one of these parts. sbatch has one exit code for everything.
func says(err error, parts ...string) bool {
	var f *failure
	if !errors.As(err, &f) {
		return false
	}
	words := strings.ToLower(f.words)
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(words, part) })
}

// isDown reports whether a command may have failed because Slurm did not answer. A submission may have been received all the same.
func isDown(err error) bool {
	var f *failure
	return errors.As(err, &f) && (errors.Is(f.err, context.DeadlineExceeded) || f.words == "" || says(err,
		"unable to contact", "timed out", "zero bytes", "transport endpoint", "connection refused", "connection reset", "communication",
		"unexpected message", "connect failure", "standby", "temporarily unavailable", "protocol authentication", "munge"))
}

// isFull reports whether a job was refused because there are too many already.
func isFull(err error) bool {
	return says(err, "maxsubmitjob", "submitjoblimit", "submitjobslimit", "temporarily unable to accept", "maximum job count")
}

// down is the error of a Slurm that does not answer.
func down(err error) error {
	if fault.CodeOf(err) == fault.CannotRun {
		return err
	}
	return fault.New(fault.Unavailable, "jobs go on meanwhile", "Slurm does not answer: %w", err)
}

// lastLines keeps the end of what a command said.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(len(lines)-4, 0):], "; ")
}

// clean is an environment without what a job of Slurm's would have: a controller may itself run in one, and its jobs are not to take its
// size for theirs. It is also without what a user's own calls of these commands go by, such as only the jobs of one partition.
func clean(env []string) []string {
	if env == nil {
		env = engine.Environ()
	}
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name != "SLURM_CONF" && slices.ContainsFunc(dropped, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
}

var dropped = []string{"SLURM", "SBATCH_", "SQUEUE_", "SACCT_", "SCANCEL_", "SINFO_"}
