package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

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

// getInsight answers with what the models have learnt. How many results they were fitted to says whether there are newer ones.
func (s *Server) getInsight(ctx context.Context, _ *OfStudy, o *openStudy, r *study.Record) (*insight.Insight, error) {
	return o.insight.get(ctx, s, r.Learnt, func(ctx context.Context) (*insight.Insight, bool, error) {
		found, err := insight.Of(ctx, o.broker.Advisor(), r)
		return found, err == nil && !found.CutShort, err
	})
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
