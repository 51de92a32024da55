package server

import (
	"context"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

type reportInput struct {
	OfTrial
	Body api.ReportRequest
}

// step records a value that a trial has on its way. A trial that has ended is to stop; so is one that is not known to run any more,
// unless it was abandoned, for then a late result is welcome.
func (s *Server) step(ctx context.Context, in *reportInput, o *openStudy, r *study.Record) (out api.Reported, err error) {
	t, err := s.ownTrial(ctx, o, r, in.OfTrial)
	if err != nil {
		return out, err
	}
	if err := mayEnd(t); err != nil {
		return out, err
	}
	if t.State == study.Pending {
		return out, fault.New(fault.Conflict, "", "trial %d has not begun", t.Number)
	}
	step := study.Step{Step: in.Body.Step, Value: in.Body.Value}
	switch cost := in.Body.Cost; {
	case cost != nil:
		if step.Cost = *cost; measured(r, cost) != nil {
			err = hasPassed(t, nil, cost)
		}
	case o.broker.Study().Cost.Source == study.Walltime && !in.Body.Ended:
		step.Cost = max(time.Since(t.Started).Seconds(), 0)
	}
	if err != nil {
		return out, err
	}
	err = o.write(ctx, func(ctx context.Context) error { return o.broker.AddSteps(ctx, t.Number, step) })
	if err != nil || in.Body.Ended {
		return stopOf(t), err
	}
	release, err := s.thinkers.take(ctx, senderIn(ctx), 1)
	if err != nil {
		return out, err
	}
	defer release()
	t, err = o.broker.GoOn(ctx, t.Number)
	o.watch.poke()
	return stopOf(t), err
}

// stopOf says whether a trial is to stop, and why.
func stopOf(t study.Trial) api.Reported {
	switch {
	case t.Early != "":
		return api.Reported{Stop: true, Reason: t.Early}
	case t.Stopping:
		return api.Reported{Stop: true, Reason: "somebody wants it to be stopped"}
	}
	return api.Reported{}
}
