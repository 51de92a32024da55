package runner

import (
	"context"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/study"
)

// finished turns what the evaluator says into what the ledger is told. The problem, if there is one, ends the run.
//
// A trial that was stopped because the run was is abandoned, not cut: that says nothing of its setting.
func (r *run) finished(ctx context.Context, t study.Trial, out local.Outcome, err error) (f study.Finished, problem error) {
	switch {
	case err != nil && ctx.Err() != nil:
		return study.Finished{State: study.Abandoned, Stopped: true, Note: "the run was stopped before it began"}, nil
	case err != nil: // nothing ran, which says nothing of the setting either
		return study.Finished{State: study.Abandoned, Stopped: true, Note: err.Error()}, err
	case out.State == study.Cut && ctx.Err() != nil:
		out.State, out.Note = study.Abandoned, "the run was stopped"
	}
	f = study.Finished{State: out.State, Value: out.Value, Charged: out.Cost, Note: out.Note, Wall: out.Wall.Seconds(), Exit: &out.Exit,
		Stopped: out.State == study.Abandoned}
	if !out.HasCost {
		f.Charged, f.Note = r.estimate(t, out.Wall, f.Note)
	}
	return f, nil
}

// estimate is what a trial is charged that ended without reporting a cost, and its note with how that was found.
func (r *run) estimate(t study.Trial, wall time.Duration, note string) (charged float64, noted string) {
	record, err := r.Broker.Record(context.Background())
	if err != nil {
		return t.Reserved, note // the most it can be; the store will not take it either
	}
	charged, words := broker.Estimate(record, t.Number, wall)
	return charged, strings.Trim(note+"\n"+words, "\n")
}
