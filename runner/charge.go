package runner

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/eke-bo/eke/evaluator"
	"github.com/eke-bo/eke/study"
)

// finished turns what the evaluator says into what the ledger is told. The problem, if there is one, ends the run.
//
// A trial that was stopped because the run was is abandoned, not cut: that says nothing of its setting.
func (r *run) finished(ctx context.Context, t study.Trial, out evaluator.Outcome, err error) (f study.Finished, problem error) {
	switch {
	case err != nil && ctx.Err() != nil:
		return study.Finished{State: study.Abandoned, Note: "the run was stopped before it began"}, nil
	case err != nil: // nothing ran
		return study.Finished{State: study.Failed, Note: err.Error()}, err
	case out.State == study.Cut && ctx.Err() != nil:
		out.State, out.Note = study.Abandoned, "the run was stopped"
	}
	f = study.Finished{State: out.State, Value: out.Value, Charged: out.Cost, Note: out.Note, Wall: out.Wall.Seconds(), Exit: &out.Exit}
	if !out.HasCost {
		f.Charged, f.Note = r.estimate(t, out.Wall, f.Note)
	}
	return f, nil
}

// falseStart is how long a trial may take that fails before anything is known of costs, and is charged nothing:
// it is a program that does not start, not one that has used what was reserved for it.
const falseStart = time.Minute

// estimate is what a trial is charged that ended without reporting a cost: what trials have
// cost per second so far, for as long as it took, and at most what was reserved for it.
func (r *run) estimate(t study.Trial, wall time.Duration, note string) (charged float64, noted string) {
	cost, seconds := 0.0, 0.0
	if record, err := r.Desk.Record(context.Background()); err == nil {
		for _, done := range record.Trials {
			if done.State == study.Done && done.Wall > 0 {
				cost, seconds = cost+done.Charged, seconds+done.Wall
			}
		}
		t = record.Trials[t.Number-1]
	}
	how := "estimated from the time it took"
	switch {
	case seconds > 0:
		charged = math.Min(cost/seconds*wall.Seconds(), t.Reserved)
	case wall < falseStart:
		how = "since nothing is known of costs yet and it took less than a minute"
	default:
		charged, how = t.Reserved, "which was reserved for it, since nothing is known of costs yet"
	}
	noted = fmt.Sprintf("it reported no cost and is charged %.4g, %s", charged, how)
	if note != "" {
		noted = note + "\n" + noted
	}
	return charged, noted
}
