package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/study"
)

func (s *Server) restOperations(h huma.API) {
	rest := operation(http.MethodGet, "/studies/{study}/rest", "get-rest", "Get what the rest of the money is expected to buy", Reader)
	rest.Middlewares = huma.Middlewares{longer}
	reply(s, h, rest, ofStudy(s, s.getRest))
	reply(s, h, operation(http.MethodPost, "/studies/{study}/stop", "set-stop", "Change when a study ends although there is money left", Admin), ofStudy(s, s.setStop))
}

type restInput struct {
	OfStudy
	Add float64 `query:"add" minimum:"0" maximum:"1e15" doc:"An amount that would be added to the budget."`
}

// Ahead is a forecast, if there is one.
type Ahead struct {
	Rest *advisor.Rest `json:"rest" doc:"What the rest of the money is expected to buy, or null if there is none, or too little is known."`

	Finished *api.End `json:"finished" doc:"Why the study is over, or null. It is over although there is money left if the rest is not worth its price."`
}

// forecasts keeps the last forecast: many may look at a study, and each change makes all of them look again.
type forecasts struct {
	turn  turn
	key   aheadKey
	known bool
	last  Ahead
}

// aheadKey is what a forecast depends on.
type aheadKey struct {
	version int64
	added   float64
}

func (s *Server) getRest(ctx context.Context, in *restInput, o *openStudy, r *study.Record) (Ahead, error) {
	if r.Closed {
		return Ahead{Finished: o.finished(r)}, nil
	}
	done, err := o.ahead.turn.take(ctx)
	if err != nil {
		return Ahead{}, err
	}
	defer done()
	key := aheadKey{r.Version, in.Add}
	if o.ahead.known && o.ahead.key == key {
		return o.ahead.last, nil
	}
	release, err := s.fitting.take(ctx)
	if err != nil {
		return Ahead{}, err
	}
	defer release()
	rest, err := o.broker.Advisor().Rest(ctx, r, in.Add)
	if err != nil {
		return Ahead{}, err
	}
	o.ahead.key, o.ahead.known, o.ahead.last = key, true, Ahead{Rest: rest}
	if in.Add == 0 {
		o.ahead.last.Finished = o.foreseen(r, rest)
	}
	return o.ahead.last, nil
}

type stopInput struct {
	OfStudy
	Body api.StopRequest
}

func (s *Server) setStop(ctx context.Context, in *stopInput, o *openStudy, _ *study.Record) (changed api.Study, err error) {
	if stop := in.Body.Stop; !stop.Never && stop.Gain < 0 {
		return changed, api.Invalid("body.stop.gain", "the gain must not be negative")
	}
	if _, err := o.change(ctx, func(ctx context.Context) error {
		_, err := o.broker.StopAt(ctx, in.Body.Stop)
		return err
	}); err != nil {
		return changed, err
	}
	return ofStudy(s, s.getStudy)(ctx, &in.OfStudy)
}
