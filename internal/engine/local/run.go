package local

import (
	"context"
	"os/exec"
	"time"
)

// process is a command that runs.
type process struct {
	*prepared
	watch          watch
	stdout, stderr *output
}

// start starts the command. An error means that nothing runs, and nothing is to be charged.
func (p *prepared) start() (*process, error) {
	stdout, stderr, err := p.open()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: p.path, Args: p.j.Argv, Dir: p.workDir, Env: p.env,
		Stdout: stdout, Stderr: stderr, // files, so that no goroutine copies and none has to be waited for
		SysProcAttr: groupAttributes(),
	}
	if err := p.files.note(startedFile); err != nil {
		stdout.Close()
		stderr.Close()
		return nil, fileError(err, p.files.path(startedFile))
	}
	begin := time.Now()
	exited, err := start(cmd)
	if err != nil {
		stdout.Close()
		stderr.Close()
		return nil, p.startError(err)
	}
	x := &process{prepared: p, stdout: &output{File: stdout}, stderr: &output{File: stderr}}
	x.watch = watch{j: &p.j, cmd: cmd, clock: newClock(begin), exited: exited, limit: p.j.Limit, files: p.files, outputs: []*output{x.stdout, x.stderr}}
	return x, nil
}

// wait waits until all of the command's process group is gone, and judges its end. When ctx ends the group is stopped.
func (x *process) wait(ctx context.Context) outcome {
	defer x.stdout.Close()
	defer x.stderr.Close()
	e := x.watch.run(ctx)
	out := x.judge(e, x.stdout.File, x.stderr.File)
	if !e.running { // a full disk keeps them long: there is nothing to be done about that here
		_ = x.stdout.shorten()
		_ = x.stderr.shorten()
	}
	return out
}
