package local

import (
	"context"
	"os/exec"
	"time"

	"github.com/eke-bo/eke/study"
)

// Outcome is what came of a command that was run.
type Outcome struct {
	State study.State // Done, Failed or Cut
	Value float64     // of one that is done

	Cost    float64 // as it reported; or where the cost is wall time, the seconds measured, at most the limit
	HasCost bool    // there is one; always, of one that is done by Run

	Wall time.Duration // by the monotonic clock, until the last process of the group was gone
	Exit study.Exit    // the code is −1 if a signal ended it

	// Note says what went wrong, if anything did, and what to do about it. Its first line stands by itself; the end of
	// stderr may follow.
	Note string
}

// Run prepares a command and runs it.
func Run(ctx context.Context, c Command) (Outcome, error) {
	p, err := Prepare(c)
	if err != nil {
		return Outcome{}, err
	}
	return p.Run(ctx)
}

// Run runs the command and waits until all of its process group is gone. When ctx ends it is stopped. An error
// means that nothing was run, and nothing is to be charged: ctx had ended before, or the command cannot be run.
func (p *Prepared) Run(ctx context.Context) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	stdout, stderr, err := p.open()
	if err != nil {
		return Outcome{}, err
	}
	defer stdout.Close()
	defer stderr.Close()

	cmd := &exec.Cmd{
		Path: p.path, Args: p.c.Argv, Dir: p.workDir, Env: p.env,
		Stdout: stdout, Stderr: stderr, // files, so that no goroutine copies and none has to be waited for
		SysProcAttr: groupAttributes(),
	}
	begin := time.Now()
	exited, err := start(cmd)
	if err != nil {
		return Outcome{}, p.startError(err)
	}
	w := &watch{c: &p.c, cmd: cmd, begin: begin, exited: exited, limit: p.c.Limit}
	return p.judge(w.run(ctx), stdout, stderr), nil
}
