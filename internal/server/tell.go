package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/study"
)

type tellInput struct {
	OfTrial
	Keyed
	Body struct {
		Value float64  `json:"value" minimum:"-1e100" maximum:"1e100" doc:"What the trial returned"`
		Cost  *float64 `json:"cost,omitempty" minimum:"0" maximum:"1e15" doc:"What it cost; may be left out where that is wall time"`
		Wall  *float64 `json:"wall,omitempty" minimum:"0" maximum:"1e15" doc:"Seconds it took"`
		Note  string   `json:"note,omitempty" maxLength:"4000"`
	}
}

func (s *Server) tell(ctx context.Context, in *tellInput) (*body[Trial], error) {
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
			return f, invalid("body.cost", "it is missing; say what the trial cost")
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
	Body *failBody
}

type failBody struct {
	Cost  *float64 `json:"cost,omitempty" minimum:"0" maximum:"1e15" doc:"What it cost; estimated if it is left out"`
	Wall  *float64 `json:"wall,omitempty" minimum:"0" maximum:"1e15" doc:"Seconds it took"`
	State string   `json:"state,omitempty" enum:"failed,cut,abandoned" default:"failed" doc:"cut: it was stopped at a limit; abandoned: that says nothing of its setting, which is tried once more"`
	Note  string   `json:"note,omitempty" maxLength:"4000"`
}

func (s *Server) fail(ctx context.Context, in *failInput) (*body[Trial], error) {
	said := failBody{}
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
		case t.State == study.Abandoned: // the estimate was made when it was
			f.Charged = t.Charged
		default:
			var words string
			f.Charged, words = broker.Estimate(r, t.Number, took)
			f.Note = strings.Trim(f.Note+"\n"+words, "\n")
		}
		return f, nil
	})
}

// finish ends a trial. What has been received is kept, also if whoever sent it is gone.
func (s *Server) finish(ctx context.Context, of OfTrial, key string,
	end func(*study.Record, study.Trial, bool) (study.Finished, error)) (*body[Trial], error) {
	at, r, err := s.open(ctx, of.Study)
	if err != nil {
		return nil, err
	}
	t, err := trialOf(r, of.Number)
	if err != nil {
		return nil, err
	}
	again := key != "" && t.FinishKey == key
	if err := mayEnd(t); err != nil && !again {
		return nil, err
	}
	f, err := end(r, t, at.broker.Study().Measured())
	if err != nil {
		return nil, err
	}
	switch {
	case again:
		return asTold(t, f)
	case f.State == study.Abandoned && t.State == study.Abandoned:
		return nil, problem(http.StatusConflict, Conflict, "trial %d is abandoned already", t.Number)
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	err = at.write(ctx, func(ctx context.Context) error { return at.broker.FinishAs(ctx, t.Number, f, key) })
	r, readErr := at.broker.Record(ctx)
	switch {
	case err != nil && readErr == nil && mayEnd(r.Trials[t.Number-1]) != nil: // another was faster
		return nil, mayEnd(r.Trials[t.Number-1])
	case err != nil:
		return nil, err
	case readErr != nil:
		return nil, readErr
	}
	s.metrics.told(of.Study, f.State)
	return asTold(r.Trials[t.Number-1], f)
}

// asTold answers with a trial that has ended, unless its key first came with another result: nobody is to believe that this
// one was kept. What it is charged may be another in any case.
func asTold(t study.Trial, f study.Finished) (*body[Trial], error) {
	if f.State != t.State || f.Value != t.Value {
		return nil, problem(http.StatusConflict, Conflict, "this Idempotency-Key was used with another result: trial %d is %s", t.Number, t.State)
	}
	return answer(trialView(t))
}

// mayEnd refuses to end what has ended, and what a run on the server's machine will end.
func mayEnd(t study.Trial) error {
	switch {
	case t.State.Ended() && t.State != study.Abandoned:
		return problem(http.StatusConflict, Conflict, "trial %d is %s already", t.Number, t.State)
	case t.State.Open() && strings.HasPrefix(t.Runner, "run-"):
		return problem(http.StatusConflict, Conflict, "trial %d belongs to a run of eke's, which will tell what comes of it", t.Number)
	}
	return nil
}
