package server

import (
	"context"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

type tellInput struct {
	OfTrial
	Keyed
	Body api.TellRequest
}

func (s *Server) tell(ctx context.Context, in *tellInput) (*body[api.Trial], error) {
	return s.finish(ctx, in.OfTrial, in.Key, func(_ *study.Record, _ study.Trial, measured bool) (study.Finished, error) {
		f := study.Finished{State: study.Done, Value: in.Body.Value, Note: in.Body.Note}
		cost, wall := in.Body.Cost, in.Body.Wall
		if measured && cost == nil {
			cost = wall
		}
		if measured && wall == nil {
			wall = cost
		}
		if cost == nil {
			return f, api.Invalid("body.cost", "the cost of the trial is missing")
		}
		f.Charged = *cost
		if wall != nil {
			f.Wall = *wall
		}
		return f, nil
	})
}

type failInput struct {
	OfTrial
	Keyed
	Body *api.FailRequest
}

func (s *Server) fail(ctx context.Context, in *failInput) (*body[api.Trial], error) {
	said := api.FailRequest{}
	if in.Body != nil {
		said = *in.Body
	}
	return s.finish(ctx, in.OfTrial, in.Key, func(r *study.Record, t study.Trial, measured bool) (study.Finished, error) {
		f := study.Finished{State: study.State(said.State), Note: said.Note}
		if f.State == "" {
			f.State = study.Failed
		}
		took := time.Duration(0)
		switch {
		case said.Wall != nil:
			f.Wall = *said.Wall
			took = time.Duration(min(f.Wall, 1e9) * float64(time.Second))
		case measured && said.Cost != nil:
			f.Wall = *said.Cost
		case !t.Started.IsZero() && t.State.Open():
			took = time.Since(t.Started)
			f.Wall = took.Seconds()
		}
		switch {
		case said.Cost != nil:
			f.Charged = *said.Cost
		default:
			var words string
			f.Charged, words = broker.Estimate(r, t.Number, took)
			f.Note = strings.Trim(f.Note+"\n"+words, "\n")
		}
		return f, nil
	})
}

// finish ends a trial. A result that has arrived is kept, even if the client is gone.
func (s *Server) finish(ctx context.Context, of OfTrial, key string,
	end func(*study.Record, study.Trial, bool) (study.Finished, error)) (*body[api.Trial], error) {
	o, r, t, err := s.openTrial(ctx, of)
	if err != nil {
		return nil, err
	}
	again := key != "" && t.FinishKey == key
	if err := mayEnd(t); err != nil && !again {
		return nil, err
	}
	f, err := end(r, t, o.broker.Study().Measured())
	if err != nil {
		return nil, err
	}
	switch {
	case again:
		return asTold(t, f)
	case f.State == study.Abandoned && t.State == study.Abandoned:
		return nil, fault.New(fault.Conflict, "", "trial %d is already abandoned", t.Number)
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	err = o.write(ctx, func(ctx context.Context) error { return o.broker.FinishAs(ctx, t.Number, f, key) })
	r, readErr := o.broker.Record(ctx)
	switch {
	case err != nil && readErr == nil && mayEnd(r.Trials[t.Number-1]) != nil: // somebody else was faster
		return nil, mayEnd(r.Trials[t.Number-1])
	case err != nil:
		return nil, err
	case readErr != nil:
		return nil, readErr
	}
	s.metrics.told(of.Study, f.State)
	return asTold(r.Trials[t.Number-1], f)
}

// asTold answers with a trial that has ended. If its key came with another result before, nobody should believe that this one
// was kept. The charge may differ in any case.
func asTold(t study.Trial, f study.Finished) (*body[api.Trial], error) {
	if f.State != t.State || f.Value != t.Value {
		return nil, fault.New(fault.Conflict, "use a new key for each result", "this Idempotency-Key was used with another result: trial %d is %s", t.Number, t.State)
	}
	return answer(api.NewTrial(t))
}

// mayEnd refuses to end a trial that has ended, or that a run on the server's machine will end.
func mayEnd(t study.Trial) error {
	switch {
	case t.State.Ended() && t.State != study.Abandoned:
		return fault.New(fault.Conflict, "", "trial %d is already %s", t.Number, t.State)
	case t.State.Open() && strings.HasPrefix(t.Runner, "run-"):
		return fault.New(fault.Conflict, "", "trial %d belongs to eke run on the server's machine, which will report its result", t.Number)
	}
	return nil
}
