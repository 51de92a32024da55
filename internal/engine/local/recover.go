package local

import (
	"os"
	"path/filepath"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

// recovered is the outcome of a job whose controller died, after sweep. It is abandoned unless there is something that can
// be relied on:
//
//   - a whole JSON object in the result file. Half a file is what a command leaves that died with its controller;
//   - or, where the cost is reported, a value on stdout together with a cost: whoever says what it has cost is through with it.
//     A value alone may be one of many on the way, and where the cost is wall time there is nothing to tell them apart.
//
// What was reported may not do; then the job has failed, and its note says why. A cost on stdout without a value counts as
// well: that money was spent. How the command ended and how long it ran nobody knows, so where the cost is wall time there
// is none. A command that was never started costs nothing.
func recovered(j engine.Job) outcome {
	lost := outcome{State: study.Abandoned}
	dir, err := filepath.Abs(j.Dir)
	if err != nil || j.Dir == "" {
		return lost
	}
	f := files{dir}
	lost.Began = f.noted(startedFile)
	if lost.Began.IsZero() && j.ID != "" { // versions that know no IDs note nothing
		lost.NeverBegan, lost.HasCost, lost.Note = true, true, "its command was never started"
	}
	want := wanted{objective: j.Objective, cost: !j.WallTime, fidelity: j.Fidelity}
	if data, _, err := f.readResult(); err == nil {
		if found, err := parseObject(data); err == nil {
			return outcomeOf(want.read(found, engine.ResultFile))
		}
	}
	if j.WallTime {
		return lost
	}
	stdout, err := os.Open(f.path(engine.StdoutFile))
	if err != nil {
		return lost
	}
	defer stdout.Close()
	r := want.readLines(readTail(stdout, maxTail))
	if out := outcomeOf(r); out.State == study.Done {
		return out
	}
	if r.hasCost {
		lost.Cost, lost.HasCost, lost.NeverBegan = r.cost, true, false
	}
	return lost
}

// Found returns what a job has left in its folder whose controller is gone, and what it has cost; see recovered.
func Found(j engine.Job) (engine.Outcome, engine.Cost) {
	out := recovered(j)
	return out.report(), out.cost()
}

func outcomeOf(r report) outcome {
	out := outcome{State: study.Failed, Cost: r.cost, HasCost: r.hasCost, Lost: r.lost, Note: r.problem}
	if r.problem == "" {
		out.State, out.Value = study.Done, r.value
	}
	return out
}
