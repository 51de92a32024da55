package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

func (s *Server) modelOperations(h huma.API) {
	learnt := operation(http.MethodGet, "/studies/{study}/insight", "get-insight", "Get what the models have learnt", Reader)
	learnt.Middlewares = huma.Middlewares{longer}
	reply(s, h, learnt, ofStudy(s, s.getInsight))
	slice := operation(http.MethodGet, "/studies/{study}/slice", "get-slice", "Get value and cost along one parameter", Reader)
	slice.Middlewares = huma.Middlewares{longer}
	reply(s, h, slice, ofStudy(s, s.getSlice))
	heat := operation(http.MethodGet, "/studies/{study}/heat", "get-heat", "Get value and cost over two parameters", Reader)
	heat.Middlewares = huma.Middlewares{longer}
	reply(s, h, heat, ofStudy(s, s.getHeat))
}

type sliceInput struct {
	OfStudy
	Parameter string `query:"parameter" required:"true" maxLength:"200"`
	At        string `query:"at" maxLength:"20000" doc:"The setting to cut through, as JSON. The best one by default."`
}

func (s *Server) getSlice(ctx context.Context, in *sliceInput, o *openStudy, r *study.Record) (slice insight.Slice, err error) {
	if err := hasParameter(o, "query.parameter", in.Parameter); err != nil {
		return slice, err
	}
	var at space.Setting
	if in.At != "" {
		if err := json.Unmarshal([]byte(in.At), &at); err != nil {
			return slice, unreadable("query.at", err)
		}
	}
	return draw(ctx, s, o, r, func(found *insight.Insight) (insight.Slice, error) {
		if in.At == "" {
			at = found.Through
		}
		if _, err := o.broker.Advisor().Space().Encode(at); err != nil {
			return slice, misplaced("query.at", err)
		}
		if slice, err = found.Slice(in.Parameter, at); err != nil {
			return slice, misplaced("query.parameter", err)
		}
		return slice, nil
	})
}

type heatInput struct {
	OfStudy
	A string `query:"a" required:"true" maxLength:"200"`
	B string `query:"b" required:"true" maxLength:"200"`
	N int    `query:"n" minimum:"2" maximum:"128" default:"40" doc:"How many values of each parameter."`
}

func (s *Server) getHeat(ctx context.Context, in *heatInput, o *openStudy, r *study.Record) (heat insight.Heat, err error) {
	if err := errors.Join(hasParameter(o, "query.a", in.A), hasParameter(o, "query.b", in.B)); err != nil {
		return heat, err
	}
	return draw(ctx, s, o, r, func(found *insight.Insight) (insight.Heat, error) {
		if heat, err = found.Heat(in.A, in.B, in.N); err != nil {
			return heat, misplaced("query.b", err)
		}
		return heat, nil
	})
}

func hasParameter(o *openStudy, location, name string) error {
	if slices.ContainsFunc(o.broker.Study().Inputs(), func(p space.Param) bool { return p.Name == name }) {
		return nil
	}
	return api.Invalid(location, "the study has no parameter %.100q", name)
}

// draw lets do draw from what the models of a study have learnt, when it is the request's turn.
func draw[T any](ctx context.Context, s *Server, o *openStudy, r *study.Record, do func(*insight.Insight) (T, error)) (drawn T, err error) {
	found, err := s.getInsight(ctx, nil, o, r)
	if err != nil {
		return drawn, err
	}
	if found.State != insight.Ready {
		return drawn, insight.ErrNotEnough
	}
	release, err := s.drawing.take(ctx, senderIn(ctx), 1)
	if err != nil {
		return drawn, err
	}
	defer release()
	return do(found)
}

// getInsight answers with what the models have learnt. How many results they were fitted to says whether there are newer ones.
func (s *Server) getInsight(ctx context.Context, _ *OfStudy, o *openStudy, r *study.Record) (*insight.Insight, error) {
	return o.insight.get(ctx, s, r.Learnt, func(ctx context.Context) (*insight.Insight, bool, error) {
		found, err := insight.Of(ctx, o.broker.Advisor(), r)
		return found, err == nil && !found.CutShort, err
	})
}

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
		if err == nil && in.Add == 0 && o.foreseen(r, rest) == nil {
			if now := o.summary(ctx, r); isIdle(&now, s.began) { // it may have been over before the server began
				o.findEnd(ctx, r, true)
			}
		}
		return Ahead{Version: r.Version, Rest: rest}, true, err
	})
	if in.Add == 0 { // it may have ended since, or there is more money
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

// kept is what models say of a study, as it was computed last. Many may ask for it at once, and each change of the study makes all of them
// ask again. One computation is under way at a time, and they share what it finds.
type kept[T any] struct {
	mu    sync.Mutex
	of    int64 // the state of the study that it was computed from
	last  T
	known bool
	next  *computation[T] // under way; nil: there is none
}

// computation goes on when those who wait for it leave, so that its result is there when they ask again.
type computation[T any] struct {
	of    int64
	begun chan struct{} // closed when it has its turn
	done  chan struct{}
	found T
	err   error
}

// mostFits is how many computations of one sender may wait for their turn.
const mostFits = 16

// How long a request waits while the models of other studies are fitted, if there is an older answer; and how long for an answer at all,
// which is less than most clients wait.
const waitForTurn, waitForModels = 5 * time.Second, 100 * time.Second

var errModelsBusy = crowded("there was no time yet to fit the models of this study; they are being fitted, or wait for those of others")

// get returns what was computed from that state of the study. If others keep it waiting, it returns what was computed last. compute says
// whether what it found is to be kept.
func (k *kept[T]) get(ctx context.Context, s *Server, of int64, compute func(context.Context) (found T, keep bool, err error)) (T, error) {
	turn, end := time.After(waitForTurn), time.After(waitForModels)
	for {
		k.mu.Lock()
		last, known, c := k.last, k.known, k.next
		if known && k.of >= of {
			k.mu.Unlock()
			return last, nil
		}
		if c == nil {
			c = &computation[T]{of: of, begun: make(chan struct{}), done: make(chan struct{})}
			k.next = c
			go k.compute(s, c, senderIn(ctx), compute)
		}
		k.mu.Unlock()
		err := c.wait(ctx, known, turn, end)
		switch {
		case err == nil && c.of < of: // it began before the study changed
			continue
		case err != nil && known && ctx.Err() == nil:
			return last, nil
		case err != nil:
			return last, err
		}
		return c.found, nil
	}
}

// wait waits for a computation, and returns its error.
func (c *computation[T]) wait(ctx context.Context, known bool, turn, end <-chan time.Time) error {
	if !known {
		turn = nil // without an older answer there is nothing to give up for
	}
	for begun := c.begun; ; {
		select {
		case <-begun:
			begun, turn = nil, nil
		case <-c.done:
			return c.err
		case <-ctx.Done():
			return ctx.Err()
		case <-turn:
			return errModelsBusy
		case <-end:
			return errModelsBusy
		}
	}
}

// compute carries out a computation when it is its turn.
func (k *kept[T]) compute(s *Server, c *computation[T], from sender, do func(context.Context) (T, bool, error)) {
	ctx, cancel := context.WithTimeout(s.background, api.MaxAsk)
	defer cancel()
	keep := false
	defer func() {
		if thrown := recover(); thrown != nil {
			s.log.Error("panic", "panic", thrown, "stack", string(debug.Stack()))
			c.err = fmt.Errorf("panic: %v", thrown)
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.next = nil; c.err == nil && keep {
			k.of, k.last, k.known = c.of, c.found, true
		}
		close(c.done)
	}()
	release, err := s.fitting.take(ctx, from, 1)
	if err != nil {
		c.err = err
		return
	}
	defer release()
	close(c.begun)
	c.found, keep, c.err = do(ctx)
}
