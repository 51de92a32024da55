package local

import (
	"context"
	"errors"
	"sync"

	"github.com/eke-bo/eke/internal/engine"
)

// Engine evaluates jobs by processes on this machine. The zero value is ready to use.
type Engine struct {
	engine.Folders
	mu   sync.Mutex
	jobs map[string]*job  // by their keys; those that have ended stay, for whoever asks again
	idle map[string]*warm // commands that stay alive and wait for a job, by the folders of their slots
}

var (
	_ engine.Engine  = (*Engine)(nil)
	_ engine.Slotted = (*Engine)(nil)
)

// job is one that this process has started, or found.
type job struct {
	cancel  context.CancelCauseFunc
	command *process       // once it is started
	end     *engine.Status // nil until it has ended
}

// Probe prepares a job and starts nothing. All its errors are faults with a hint.
func (e *Engine) Probe(_ context.Context, j engine.Job) error {
	_, err := prepare(j)
	return err
}

// Submit starts a job's command.
func (e *Engine) Submit(ctx context.Context, j engine.Job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	x := &job{cancel: cancel}
	if e.add(j, x) != x {
		cancel(nil)
		return nil
	}
	p, err := prepare(j)
	var command *process
	if err == nil {
		command, err = e.start(p)
	}
	if err != nil {
		cancel(nil)
		e.forget(j)
		return err
	}
	e.mu.Lock()
	x.command = command
	e.mu.Unlock()
	go func() {
		end := engine.EndedAs(command.wait(running))
		cancel(nil)
		e.mu.Lock()
		x.end = &end
		e.mu.Unlock()
		if j.Changed != nil {
			j.Changed()
		}
	}()
	return nil
}

// Poll says how jobs stand. On Linux, the command of a job that another process started has died with that process.
// What it has left running is killed, and the result that it has left is read.
func (e *Engine) Poll(ctx context.Context, jobs []engine.Job) ([]engine.Status, error) {
	list, problems := make([]engine.Status, len(jobs)), make([]error, len(jobs))
	var all sync.WaitGroup
	for i, j := range jobs {
		s, known := e.status(j)
		if list[i] = s; known {
			continue
		}
		all.Go(func() {
			if problems[i] = sweepAll(ctx, j.Dir); problems[i] == nil {
				end := Found(j)
				e.add(j, &job{end: &end})
				list[i], _ = e.status(j)
			}
		})
	}
	all.Wait()
	return list, errors.Join(problems...)
}

func (e *Engine) status(j engine.Job) (s engine.Status, known bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	x := e.jobs[j.Key()]
	switch {
	case x == nil:
		return s, false
	case x.end != nil:
		return *x.end, true
	}
	return engine.Status{Phase: engine.Running}, true
}

// Cancel asks a job's process group to stop, and kills it if it does not.
func (e *Engine) Cancel(_ context.Context, j engine.Job, why error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if x := e.jobs[j.Key()]; x != nil && x.end == nil {
		x.cancel(why)
	}
	return nil
}

// Cost is what the command reported or, where the cost is wall time, how long it ran.
func (e *Engine) Cost(_ context.Context, j engine.Job) (engine.Cost, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if x := e.jobs[j.Key()]; x != nil && x.end != nil && x.end.Outcome.Cost != nil {
		return engine.Cost{Amount: *x.end.Outcome.Cost, Known: true}, nil
	}
	return engine.Cost{}, nil
}

// Detached says that commands end with their controller.
func (e *Engine) Detached() bool { return false }

// Save asks a job's command to save its work, by SIGUSR1, where there are signals.
func (e *Engine) Save(j engine.Job) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if x := e.jobs[j.Key()]; x != nil && x.end == nil && x.command != nil {
		askToSave(x.command.watch.cmd)
	}
}

// start starts a job's command, or hands the job to one that stays alive.
func (e *Engine) start(p *prepared) (*process, error) {
	if p.j.Lines {
		return e.startTurn(p)
	}
	return p.start()
}

// add makes a job known, and returns it, or the one that was known before.
func (e *Engine) add(j engine.Job, x *job) *job {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.jobs == nil {
		e.jobs = map[string]*job{}
	}
	if known := e.jobs[j.Key()]; known != nil {
		return known
	}
	e.jobs[j.Key()] = x
	return x
}

func (e *Engine) forget(j engine.Job) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.jobs, j.Key())
}
