package evaluator

import (
	"path/filepath"

	"github.com/eke-bo/eke/study"
)

// Recover reads the result of a trial whose runner died. It says false unless a whole JSON object is
// there: half a file is what a command leaves that died with its runner.
//
// Of the command it looks at Dir, Objective and WallTime. The outcome is Done, or Failed if what was reported
// does not do; Note says why. How the command ended and how long it took nobody knows, so where the cost is wall
// time the outcome has none.
//
// Call Sweep before, so that nobody is still writing.
func Recover(c Command) (Outcome, bool) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil || c.Dir == "" {
		return Outcome{}, false
	}
	f := files{dir}
	data, _, err := f.readResult()
	if err != nil {
		return Outcome{}, false
	}
	found, err := parseObject(data)
	if err != nil {
		return Outcome{}, false
	}
	r := wanted{objective: c.Objective, cost: !c.WallTime}.read(found, ResultFile)
	out := Outcome{State: study.Failed, Cost: r.cost, HasCost: r.hasCost, Note: r.problem}
	if r.problem == "" {
		out.State, out.Value = study.Done, r.value
	}
	return out, true
}
