package local

import (
	"os"
	"path/filepath"

	"github.com/eke-bo/eke/study"
)

// Recover reads the result of a trial whose runner died. It says false unless there is something that can be relied on:
//
//   - a whole JSON object in the result file. Half a file is what a command leaves that died with its runner;
//   - or, where the cost is reported, a value on stdout together with a cost: whoever says what it has cost is through with it.
//     A value alone may be one of many on the way, and where the cost is wall time there is nothing to tell them apart.
//
// A cost on stdout without a value is returned as well, with Abandoned: that money was spent.
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
	f, want := files{dir}, wanted{objective: c.Objective, cost: !c.WallTime}
	if data, _, err := f.readResult(); err == nil {
		if found, err := parseObject(data); err == nil {
			return outcomeOf(want.read(found, ResultFile)), true
		}
	}
	if c.WallTime {
		return Outcome{}, false
	}
	stdout, err := os.Open(f.path(StdoutFile))
	if err != nil {
		return Outcome{}, false
	}
	defer stdout.Close()
	r := want.readLines(readTail(stdout, maxTail))
	out := outcomeOf(r)
	if out.State != study.Done {
		out.State, out.Note = study.Abandoned, ""
	}
	return out, r.hasCost
}

func outcomeOf(r report) Outcome {
	out := Outcome{State: study.Failed, Cost: r.cost, HasCost: r.hasCost, Note: r.problem}
	if r.problem == "" {
		out.State, out.Value = study.Done, r.value
	}
	return out
}
