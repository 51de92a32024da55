package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"

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
	reply(s, h, operation(http.MethodGet, "/studies/{study}/slice", "get-slice", "Get value and cost along one parameter", Reader), ofStudy(s, s.getSlice))
	reply(s, h, operation(http.MethodGet, "/studies/{study}/heat", "get-heat", "Get value and cost over two parameters", Reader), ofStudy(s, s.getHeat))
}

// insights keeps the last insight: many may look at a study, and each change makes all of them look again.
type insights struct {
	mu     sync.Mutex
	learnt int64 // what it was found by; see study.Record.Learnt
	last   *insight.Insight
}

func (s *Server) getInsight(ctx context.Context, _ *OfStudy, o *openStudy, r *study.Record) (*insight.Insight, error) {
	if known := o.insight.known(r.Learnt); known != nil {
		return known, nil
	}
	release, err := s.fitting.take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if known := o.insight.known(r.Learnt); known != nil { // found while this one waited
		return known, nil
	}
	found, err := insight.Of(ctx, o.broker.Advisor(), r)
	if err == nil && !found.CutShort {
		o.insight.keep(r.Learnt, found)
	}
	return found, err
}

func (i *insights) known(learnt int64) *insight.Insight {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.last == nil || i.learnt != learnt {
		return nil
	}
	return i.last
}

func (i *insights) keep(learnt int64, found *insight.Insight) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.learnt, i.last = learnt, found
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
	release, err := s.drawing.take(ctx)
	if err != nil {
		return drawn, err
	}
	defer release()
	return do(found)
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
