package suite

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/internal/bench/problem"
	"github.com/eke-bo/eke/space"
)

// Optuna's TPE takes part as the policy "tpe". It runs in a process of Python. It knows nothing of costs, so the suite ends
// its study when the money is spent, and a trial that goes past the budget does not count.

//go:embed tpe.py
var tpeScript string

// tpe is a study by Optuna's TPE.
type tpe struct {
	task   *problem.Task
	python *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	said   *strings.Builder // what Python wrote to its standard error

	spent float64
	asked map[int]space.Setting
	best  eke.Result
	found bool
}

// openTPE starts a study of the task by TPE.
func openTPE(ctx context.Context, task *problem.Task) (*tpe, error) {
	name := os.Getenv("EKE_PYTHON")
	if name == "" {
		name = "/usr/bin/python3"
	}
	t := &tpe{task: task, python: exec.CommandContext(ctx, name, "-c", tpeScript), asked: map[int]space.Setting{}, said: &strings.Builder{}}
	t.python.Stderr = t.said
	var err error
	if t.in, err = t.python.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := t.python.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.out = bufio.NewReader(out)
	if err := t.python.Start(); err != nil {
		return nil, fmt.Errorf("the policy tpe needs Python with Optuna (Debian: apt-get install python3-optuna; another one by EKE_PYTHON): %w", err)
	}
	return t, t.send(map[string]any{"params": task.Params, "goal": task.Goal, "seed": task.Seed() & 0xffffffff})
}

func (t *tpe) send(message any) error {
	raw, err := json.Marshal(message)
	if err == nil {
		_, err = t.in.Write(append(raw, '\n'))
	}
	return t.explained(err)
}

// explained adds what Python said to an error.
func (t *tpe) explained(err error) error {
	if err == nil {
		return nil
	}
	_ = t.python.Wait() // its error says less
	return fmt.Errorf("tpe: %w: %s", err, strings.TrimSpace(t.said.String()))
}

// Ask implements optimizer.
func (t *tpe) Ask(context.Context) (eke.Trial, error) {
	const crumbs = 1e-9
	if t.spent >= t.task.Budget*(1-crumbs) {
		_ = t.in.Close()
		_ = t.python.Wait()
		return eke.Trial{}, eke.ErrBudgetSpent
	}
	if err := t.send(map[string]any{"ask": true}); err != nil {
		return eke.Trial{}, err
	}
	line, err := t.out.ReadBytes('\n')
	if err != nil {
		return eke.Trial{}, t.explained(err)
	}
	var got struct {
		Number  int           `json:"number"`
		Setting space.Setting `json:"setting"`
	}
	if err := json.Unmarshal(line, &got); err != nil {
		return eke.Trial{}, err
	}
	t.asked[got.Number] = got.Setting
	return eke.Trial{Number: got.Number, Setting: got.Setting}, nil
}

// Tell implements optimizer.
func (t *tpe) Tell(_ context.Context, number int, value, cost float64) error {
	if t.spent += cost; t.spent <= t.task.Budget || t.task.FreeDesign {
		t.keep(t.asked[number], value)
	}
	return t.send(map[string]any{"tell": number, "value": value})
}

// Observe implements optimizer.
func (t *tpe) Observe(_ context.Context, s space.Setting, value, _ float64) error {
	t.keep(s, value)
	return t.send(map[string]any{"observe": s, "value": value})
}

func (t *tpe) keep(s space.Setting, value float64) {
	if !t.found || t.task.Goal.Better(value, t.best.Value) {
		t.found, t.best = true, eke.Result{Trial: eke.Trial{Setting: s}, Value: value}
	}
}

// Best implements optimizer.
func (t *tpe) Best(context.Context) (eke.Result, error) {
	if !t.found {
		return eke.Result{}, eke.ErrNoResult
	}
	return t.best, nil
}
