package slurm

import (
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// timeLimit is the limit to ask Slurm for, in whole minutes: the command's and the spare time of a job. Within the spare time the job
// starts, ends, and is accounted for, so that Slurm never reaches its own limit.
func timeLimit(limit time.Duration) int {
	return int(math.Ceil((limit + study.JobSpare).Minutes() - 1e-9))
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
		line("#SBATCH --signal=B:USR1@%d", int((in.Save + study.JobSpare).Seconds()))
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
