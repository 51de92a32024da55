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
	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/variant"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Other optimisers take part over a line protocol, which docs/EXTERNAL.md describes. Optuna's TPE is one of them, as the policy "tpe".
//
// One that knows nothing of costs goes on asking: the suite ends its study when the money is spent, and a trial that goes past the
// budget does not count.

//go:embed sampler.py
var samplerScript string

// external is a study by another optimiser, in a process of its own.
type external struct {
	task    *problem.Task
	space   *space.Space
	name    string
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	said    *strings.Builder // what it wrote to its standard error
	ended   bool             // it is asked nothing more; trials under way may still end

	spent float64
	asked map[int]space.Setting
	best  eke.Result
	found bool
}

// openExternal starts the program of a variant on a task.
func openExternal(ctx context.Context, task *problem.Task, v variant.Variant) (*external, error) {
	name, hint, process := v.Label, "", exec.CommandContext(ctx, "sh", "-c", v.Command)
	if v.Policy == variant.TPE {
		python := os.Getenv("EKE_PYTHON")
		if python == "" {
			python = "/usr/bin/python3"
		}
		hint = " (it needs Python with Optuna; Debian: apt-get install python3-optuna; another one by EKE_PYTHON)"
		process = exec.CommandContext(ctx, python, "-c", samplerScript)
	}
	sp, err := space.New(task.Params)
	if err != nil {
		return nil, err
	}
	e := &external{task: task, space: sp, name: name, process: process, asked: map[int]space.Setting{}, said: &strings.Builder{}}
	process.Stderr = e.said
	if e.in, err = process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	e.out = bufio.NewReader(out)
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started%s: %w", name, hint, err)
	}
	return e, e.send(e.hello())
}

// hello tells the program what to know before it is asked. The design is what every policy might begin with; it is paid for, unless
// the task has a free one.
func (e *external) hello() map[string]any {
	t := e.task
	hello := map[string]any{
		"protocol": 1, "params": t.Params, "goal": t.Goal, "budget": t.Budget, "noise": t.Noise > 0, "seed": t.Seed() & 0xffffffff,
	}
	if !t.FreeDesign {
		hello["design"] = design(e.space, t)
	}
	if t.Fidelity != nil {
		hello["fidelity"] = struct {
			*study.Fidelity
			Levels []float64 `json:"levels"`
		}{t.Fidelity, t.Fidelity.Levels()}
	}
	if n := len(e.slacks(nil)); n > 0 {
		hello["limits"] = n
	}
	return hello
}

// slacks is how far numbers are within the task's limits, by name, a lower limit before an upper one: what must not be below 0.
func (e *external) slacks(m study.Metrics) (list []float64) {
	for _, name := range e.task.Limits.Names() {
		b := e.task.Limits[name]
		if b.Min != nil {
			list = append(list, m[name]-*b.Min)
		}
		if b.Max != nil {
			list = append(list, *b.Max-m[name])
		}
	}
	return list
}

func (e *external) send(message any) error {
	if e.ended {
		return nil
	}
	raw, err := json.Marshal(message)
	if err == nil {
		_, err = e.in.Write(append(raw, '\n'))
	}
	return e.explained(err)
}

// explained adds what the program said to an error.
func (e *external) explained(err error) error {
	if err == nil {
		return nil
	}
	e.end()
	return fmt.Errorf("%s: %w: %s", e.name, err, strings.TrimSpace(e.said.String()))
}

// end lets the program end by itself. Its exit code says less than what it said before.
func (e *external) end() {
	if e.ended {
		return
	}
	e.ended = true
	_ = e.in.Close()
	_ = e.process.Wait()
}

// Ask implements optimizer.
func (e *external) Ask(context.Context) (eke.Trial, error) {
	const crumbs = 1e-9
	if e.spent >= e.task.Budget*(1-crumbs) {
		e.end()
		return eke.Trial{}, eke.ErrBudgetSpent
	}
	if err := e.send(map[string]any{"ask": true, "left": e.task.Budget - e.spent}); err != nil {
		return eke.Trial{}, err
	}
	line, err := e.out.ReadBytes('\n')
	if err != nil {
		return eke.Trial{}, e.explained(err)
	}
	var got struct {
		Number  int           `json:"number"`
		Setting space.Setting `json:"setting"`
		Done    bool          `json:"done"`
	}
	if err := json.Unmarshal(line, &got); err != nil {
		return eke.Trial{}, e.explained(fmt.Errorf("%q is not an answer to ask: %w", strings.TrimSpace(string(line)), err))
	}
	if got.Done {
		e.end()
		return eke.Trial{}, eke.ErrNotWorth
	}
	if err := e.check(got.Setting); err != nil {
		return eke.Trial{}, e.explained(fmt.Errorf("its setting is not one of the problem: %w", err))
	}
	e.asked[got.Number] = got.Setting
	return eke.Trial{Number: got.Number, Setting: got.Setting}, nil
}

// check returns an error if a setting is not one of the task. It may name a fidelity.
func (e *external) check(s space.Setting) error {
	f := e.task.Fidelity
	if f == nil || s[f.Name].IsZero() {
		_, err := e.space.Encode(s)
		return err
	}
	all, err := space.New((&study.Study{Parameters: e.task.Params, Fidelity: f}).Inputs())
	if err == nil {
		_, err = all.Encode(s)
	}
	return err
}

// Tell implements optimizer.
func (e *external) Tell(_ context.Context, number int, value, cost float64) error {
	if e.spent += cost; e.spent <= e.task.Budget || e.task.FreeDesign {
		e.keep(e.asked[number], value)
	}
	return e.send(map[string]any{"tell": number, "value": value, "cost": cost})
}

// TellMetrics is Tell for a task with limits. What is beyond one is told as it is, and is never the best.
func (e *external) TellMetrics(_ context.Context, number int, value, cost float64, m study.Metrics) error {
	if e.spent += cost; e.spent <= e.task.Budget && len(e.task.Limits.Violated(m)) == 0 {
		e.keep(e.asked[number], value)
	}
	return e.send(map[string]any{"tell": number, "value": value, "cost": cost, "limits": e.slacks(m)})
}

// Fail implements optimizer.
func (e *external) Fail(_ context.Context, number int, cost float64, _ string) error {
	e.spent += cost
	return e.send(map[string]any{"tell": number, "value": nil, "cost": cost})
}

// Observe implements optimizer.
func (e *external) Observe(_ context.Context, s space.Setting, value, cost float64) error {
	e.keep(s, value)
	return e.send(map[string]any{"observe": s, "value": value, "cost": cost})
}

// keep keeps what is the best so far. Only values at the highest fidelity count.
func (e *external) keep(s space.Setting, value float64) {
	if (&study.Study{Fidelity: e.task.Fidelity}).IsLook(s) {
		return
	}
	if !e.found || e.task.Goal.Better(value, e.best.Value) {
		e.found, e.best = true, eke.Result{Trial: eke.Trial{Setting: s}, Value: value}
	}
}

// Best implements optimizer.
func (e *external) Best(context.Context) (eke.Result, error) {
	if !e.found {
		return eke.Result{}, eke.ErrNoResult
	}
	return e.best, nil
}
