package server

import (
	"context"
	"encoding/json"
	"net/http"
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
	register(s, h, operation(http.MethodGet, "/studies/{study}/insight", "get-insight", "Get what the models have learnt", Reader), s.getInsight)
	register(s, h, operation(http.MethodGet, "/studies/{study}/slice", "get-slice", "Get value and cost along one parameter", Reader), s.getSlice)
	register(s, h, operation(http.MethodGet, "/studies/{study}/heat", "get-heat", "Get value and cost over two parameters", Reader), s.getHeat)
}

// insights keeps the last insight: many may look at a study, and each change makes all of them look again.
type insights struct {
	mu   sync.Mutex
	key  results
	last *insight.Insight
}

// results is what an insight depends on. Trials under way are not part of it.
type results struct {
	ended  int
	latest time.Time
}

func resultsOf(r *study.Record) (key results) {
	for _, t := range r.Trials {
		if t.State.Ended() {
			key.ended++
		}
		if t.Finished.After(key.latest) {
			key.latest = t.Finished
		}
	}
	return key
}

func (s *Server) insight(ctx context.Context, name string) (*openStudy, *insight.Insight, error) {
	o, r, err := s.open(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	key := resultsOf(r)
	if known := o.insight.known(key); known != nil {
		return o, known, nil
	}
	release, err := s.fitting.take(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	if known := o.insight.known(key); known != nil { // found while this one waited
		return o, known, nil
	}
	found, err := insight.Of(ctx, o.broker.Advisor(), r)
	if err != nil {
		return nil, nil, err
	}
	if !found.CutShort {
		o.insight.keep(key, found)
	}
	return o, found, nil
}

func (i *insights) known(key results) *insight.Insight {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.last == nil || i.key.ended != key.ended || !i.key.latest.Equal(key.latest) {
		return nil
	}
	return i.last
}

func (i *insights) keep(key results, found *insight.Insight) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.key, i.last = key, found
}

func (s *Server) getInsight(ctx context.Context, in *OfStudy) (*body[*insight.Insight], error) {
	_, found, err := s.insight(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	return answer(found)
}

type sliceInput struct {
	OfStudy
	Parameter string `query:"parameter" required:"true" maxLength:"200"`
	At        string `query:"at" maxLength:"20000" doc:"The setting to cut through, as JSON. The best one by default."`
}

func (s *Server) getSlice(ctx context.Context, in *sliceInput) (*body[insight.Slice], error) {
	o, found, err := s.insight(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	if err := hasParameter(o, "query.parameter", in.Parameter); err != nil {
		return nil, err
	}
	through := found.Through
	if in.At != "" {
		through = space.Setting{}
		if err := json.Unmarshal([]byte(in.At), &through); err != nil {
			return nil, unreadable("query.at", err)
		}
	}
	if found.State != insight.Ready {
		return nil, insight.ErrNotEnough
	}
	sp, err := o.broker.Study().Space()
	if err != nil {
		return nil, err
	}
	if _, err := sp.Encode(through); err != nil {
		return nil, misplaced("query.at", err)
	}
	release, err := s.drawing.take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	slice, err := found.Slice(in.Parameter, through)
	if err != nil {
		return nil, misplaced("query.parameter", err)
	}
	return answer(slice)
}

type heatInput struct {
	OfStudy
	A string `query:"a" required:"true" maxLength:"200"`
	B string `query:"b" required:"true" maxLength:"200"`
	N int    `query:"n" minimum:"2" maximum:"128" default:"40" doc:"How many values of each parameter."`
}

func (s *Server) getHeat(ctx context.Context, in *heatInput) (*body[insight.Heat], error) {
	o, found, err := s.insight(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	for location, name := range map[string]string{"query.a": in.A, "query.b": in.B} {
		if err := hasParameter(o, location, name); err != nil {
			return nil, err
		}
	}
	if found.State != insight.Ready {
		return nil, insight.ErrNotEnough
	}
	release, err := s.drawing.take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	heat, err := found.Heat(in.A, in.B, in.N)
	if err != nil {
		return nil, misplaced("query.b", err)
	}
	return answer(heat)
}

func hasParameter(o *openStudy, location, name string) error {
	if slices.ContainsFunc(o.broker.Study().Parameters, func(p space.Param) bool { return p.Name == name }) {
		return nil
	}
	return api.Invalid(location, "the study has no parameter %.100q", name)
}
