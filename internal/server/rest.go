package server

import (
	"context"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"

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
	Rest *study.Rest `json:"rest" doc:"What the rest of the money is expected to buy, or null if there is none, or too little is known."`

	Version int64 `json:"version,omitempty" doc:"The version of the study that the forecast is of. It is an older one if the models of other studies are being fitted."`

	Finished *api.End `json:"finished" doc:"Why the study is over, or null. It is over although there is money left if the rest is not worth its price."`
}

// forecasts keeps the last forecast for each amount that somebody thinks of adding.
type forecasts struct {
	mu sync.Mutex
	of map[float64]*kept[Ahead]
}

// mostForecasts is how many are kept. Whoever tries more starts again.
const mostForecasts = 16

func (f *forecasts) with(added float64) *kept[Ahead] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of[added] == nil {
		if len(f.of) >= mostForecasts || f.of == nil {
			f.of = map[float64]*kept[Ahead]{}
		}
		f.of[added] = &kept[Ahead]{}
	}
	return f.of[added]
}

func (s *Server) getRest(ctx context.Context, in *restInput, o *openStudy, r *study.Record) (Ahead, error) {
	if r.Closed {
		return Ahead{Version: r.Version, Finished: o.finished(r)}, nil
	}
	ahead, err := o.ahead.with(in.Add).get(ctx, s, r.Version, func(ctx context.Context) (Ahead, bool, error) {
		rest, err := o.broker.Advisor().Rest(ctx, r, in.Add)
		found := Ahead{Version: r.Version, Rest: rest}
		if err == nil && in.Add == 0 {
			found.Finished = o.foreseen(r, rest)
		}
		return found, true, err
	})
	if ahead.Version < r.Version && in.Add == 0 { // it may have ended since, or there is more money
		ahead.Finished = o.finished(r)
	}
	return ahead, err
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
