package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

type tellInput struct {
	OfTrial
	Keyed
	Body api.TellRequest
}

func (s *Server) tell(ctx context.Context, in *tellInput, o *openStudy, r *study.Record) (api.Trial, error) {
	return s.finish(ctx, o, r, in.OfTrial, request{in.Keyed, in.Body}, func(t study.Trial) (study.Finished, error) {
		if t.Runner == broker.ByHand { // who can give it again
			if err := o.broker.Study().Misnamed(in.Body.Metrics, nil); err != nil {
				return study.Finished{}, err
			}
		}
		f := study.Finished{State: study.Done, Value: in.Body.Value, Setup: in.Body.Setup, Note: in.Body.Note, Metrics: in.Body.Metrics, Estimated: in.Body.Estimated, Lost: in.Body.Lost}
		cost, wall := in.Body.Cost, in.Body.Wall
		if r.Measured {
			cost, wall = cmp.Or(cost, wall), cmp.Or(wall, cost)
		}
		if cost == nil {
			return f, api.Invalid("body.cost", "the cost of the trial is missing")
		}
		if wall != nil {
			f.Wall = *wall
		}
		f.Cost = cost
		return o.broker.Charge(r, in.Number, asLongAsPassed(r, t, f)), nil
	})
}

type costInput struct {
	OfTrial
	Body api.CostRequest
}

// cost takes what a cluster's accounts say of a trial from the worker that evaluated it.
func (s *Server) cost(ctx context.Context, in *costInput, o *openStudy, r *study.Record) (api.Trial, error) {
	t, err := s.ownTrial(ctx, o, r, in.OfTrial)
	switch {
	case err != nil:
		return api.Trial{}, err
	case !o.broker.Study().Cost.Accounted() || t.Runner != leasePrefix+in.Body.Worker:
		return api.Trial{}, fault.New(fault.Conflict, "", "trial %d is not one whose cost %s learns from a cluster's accounts", in.Number, in.Body.Worker)
	}
	return o.changeTrial(ctx, in.Number, func(ctx context.Context) error {
		return o.broker.Correct(ctx, in.Number, broker.Correction{Cost: &in.Body.Cost, Exact: true, Note: broker.AccountsClosed})
	})
}

type failInput struct {
	OfTrial
	Keyed
	Body *api.FailRequest
}

// longestSignal is how long the name of a signal may be.
const longestSignal = 100

func (s *Server) fail(ctx context.Context, in *failInput, o *openStudy, r *study.Record) (api.Trial, error) {
	said := *cmp.Or(in.Body, &api.FailRequest{})
	if e := said.Exit; e != nil && (e.Code < -1 || len(e.Signal) > longestSignal) {
		return api.Trial{}, api.Invalid("body.exit", "the code is an exit code, or −1 with the name of a signal, which has at most %d characters", longestSignal)
	}
	return s.finish(ctx, o, r, in.OfTrial, request{in.Keyed, said}, func(t study.Trial) (study.Finished, error) {
		f := study.Finished{State: cmp.Or(study.State(said.State), study.Failed), Cost: said.Cost, Setup: said.Setup, Note: said.Note, Exit: said.Exit, Metrics: said.Metrics, Estimated: said.Estimated, Lost: said.Lost}
		f.Stopped = f.State == study.Abandoned && (said.Stopped || t.Runner == byHand) // only a person gives up what was asked for by hand
		switch {
		case said.Wall != nil:
			f.Wall = *said.Wall
		case r.Measured && said.Cost != nil:
			f.Wall = *said.Cost
		case !t.Started.IsZero() && t.State.Open():
			f.Wall = max(time.Since(t.Started).Seconds(), 0)
		}
		return o.broker.Charge(r, t.Number, asLongAsPassed(r, t, f)), nil
	})
}

// A worker's clock is not the server's, and rounds otherwise. So much more than the server saw pass may be told: seconds, and a part.
const clockSlack, clockDrift = 2.0, 0.01

// mostTime is how long a trial may have run at most, since it was handed out by the server's clock. That may have been another server, or the
// clock was set back meanwhile: then more time has passed than anybody can show.
func mostTime(t study.Trial) float64 {
	return max(time.Since(t.Asked).Seconds(), 0)*(1+clockDrift) + clockSlack // one that has waited in a queue meanwhile may have begun more than once
}

// asLongAsPassed books no more time on a trial than it has been out. Otherwise anybody who may tell results could use up a budget of wall
// time at once. The rest of the result is kept: clocks are not its fault.
func asLongAsPassed(r *study.Record, t study.Trial, f study.Finished) study.Finished {
	most, told := mostTime(t), f.Wall
	if f.Wall = min(f.Wall, most); r.Measured && f.Cost != nil {
		told = max(told, *f.Cost)
		f.Estimated = f.Estimated || *f.Cost > most
		f.Cost = new(min(*f.Cost, most))
	}
	if told > most {
		f.Remark = fmt.Sprintf("it was handed out %s ago by the server's clock, and cannot have run for %s", say.Duration(max(most-clockSlack, 0)/(1+clockDrift)), say.Duration(told))
	}
	return f
}

// request is what ends a trial: its key, and its body.
type request struct {
	Keyed
	body any
}

// finish ends a trial. A result that has arrived is kept, even if the client is gone.
func (s *Server) finish(ctx context.Context, o *openStudy, r *study.Record, of OfTrial, by request,
	end func(study.Trial) (study.Finished, error)) (ended api.Trial, err error) {
	t, err := s.ownTrial(ctx, o, r, of)
	if err != nil {
		return ended, err
	}
	if err := by.reuse(t.FinishKey, by.body); err != nil {
		return ended, err
	}
	again := by.isSame(t.FinishKey, by.body)
	if err := mayEnd(t); err != nil && !again {
		return ended, err
	}
	f, err := end(t)
	switch {
	case err != nil:
		return ended, err
	case again:
		return asTold(t, o.broker.ByRule(r, t, f))
	case f.State == study.Abandoned && t.State == study.Abandoned:
		return ended, fault.New(fault.Conflict, "", "trial %d is already abandoned", t.Number)
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	err = o.write(ctx, func(ctx context.Context) error { return o.broker.FinishAs(ctx, t.Number, f, by.key(by.body)) })
	r, readErr := o.broker.Record(ctx)
	if err != nil && readErr == nil {
		now := r.Trials[t.Number-1]
		if taken := cmp.Or(by.reuse(now.FinishKey, by.body), mayEnd(now)); taken != nil { // somebody else was faster
			err = taken
		}
	}
	if err := cmp.Or(err, readErr); err != nil {
		return ended, err
	}
	s.metrics.told(o, f.State)
	return asTold(r.Trials[t.Number-1], o.broker.ByRule(r, r.Trials[t.Number-1], f))
}

// asTold answers with a trial that has ended. If its key came with another result before, nobody should believe that this one
// was kept. The charge may differ in any case.
func asTold(t study.Trial, f study.Finished) (api.Trial, error) {
	if f.State != t.State || f.Value != t.Value {
		return api.Trial{}, fault.New(fault.Conflict, "use a new key for each result", "this Idempotency-Key was used with another result: trial %d %s", t.Number, t.State.Predicate())
	}
	return api.NewTrial(t), nil
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

// Keyed is the input of an operation that can be repeated.
type Keyed struct {
	Key string `header:"Idempotency-Key" maxLength:"200" pattern:"^[!-~]+$" doc:"A request that is repeated with the same key is carried out once, and answered as before. Another request with that key is refused."`
}

// reuse refuses this request if a key in the log belongs to another one.
func (k Keyed) reuse(logged string, body any) error {
	if k.Key == "" || !strings.HasPrefix(logged, k.Key+" ") || strings.HasPrefix(logged, k.key(body)) {
		return nil
	}
	return api.Invalid("header.Idempotency-Key", "this key came with another request before; use a new key for each request")
}

// isSame reports whether a key in the log belongs to this request. Keys of version 0.1.0 have no digest.
func (k Keyed) isSame(logged string, body any) bool {
	return k.Key != "" && strings.HasPrefix(logged, k.Key) && (logged == k.Key || logged == k.key(body)) // to make a digest for every trial of a log takes long
}

// key identifies a request in the log: what the client sent, and a digest of the body, so that another request with the same key is
// noticed. No key that a client sends contains a space.
func (k Keyed) key(body any) string {
	if k.Key == "" {
		return ""
	}
	raw, _ := json.Marshal(body) // it was read from JSON
	sum := sha256.Sum256(raw)
	return k.Key + " " + hex.EncodeToString(sum[:8])
}
