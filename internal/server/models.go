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
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

func (s *Server) modelOperations(api huma.API) {
	register(s, api, operation(http.MethodGet, "/studies/{study}/insight", "get-insight", "What the models have learnt", Reader), s.getInsight)
	register(s, api, operation(http.MethodGet, "/studies/{study}/slice", "get-slice", "Value and cost along one parameter", Reader), s.getSlice)
	register(s, api, operation(http.MethodGet, "/studies/{study}/heat", "get-heat", "Value and cost over two parameters", Reader), s.getHeat)
}

// insights keeps the last one: many may look at a study, and each change makes all of them look again.
type insights struct {
	mu   sync.Mutex
	key  results
	last *insight.Insight
}

// results is what an insight depends on: not on trials under way.
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

func (s *Server) insight(ctx context.Context, name string) (*seat, *insight.Insight, error) {
	at, r, err := s.open(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	key := resultsOf(r)
	if known := at.insight.known(key); known != nil {
		return at, known, nil
	}
	release, err := s.fitting.take(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	if known := at.insight.known(key); known != nil { // found while this one waited
		return at, known, nil
	}
	found, err := insight.Of(ctx, at.broker.Advisor(), r)
	if err != nil {
		return nil, nil, err
	}
	if !found.CutShort {
		at.insight.keep(key, found)
	}
	return at, found, nil
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
	At        string `query:"at" maxLength:"20000" doc:"A setting in JSON that is cut through; the best one if it is left out"`
}

func (s *Server) getSlice(ctx context.Context, in *sliceInput) (*body[insight.Slice], error) {
	at, found, err := s.insight(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	if err := hasParameter(at, "query.parameter", in.Parameter); err != nil {
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
	sp, err := at.broker.Study().Space()
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
		return nil, invalid("query.parameter", "%s", bare(err))
	}
	return answer(slice)
}

type heatInput struct {
	OfStudy
	A string `query:"a" required:"true" maxLength:"200"`
	B string `query:"b" required:"true" maxLength:"200"`
	N int    `query:"n" minimum:"2" maximum:"128" default:"40" doc:"Values of each parameter"`
}

func (s *Server) getHeat(ctx context.Context, in *heatInput) (*body[insight.Heat], error) {
	at, found, err := s.insight(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	for location, name := range map[string]string{"query.a": in.A, "query.b": in.B} {
		if err := hasParameter(at, location, name); err != nil {
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
		return nil, invalid("query.b", "%s", bare(err))
	}
	return answer(heat)
}

func hasParameter(at *seat, location, name string) error {
	if slices.ContainsFunc(at.broker.Study().Parameters, func(p space.Param) bool { return p.Name == name }) {
		return nil
	}
	return invalid(location, "the study has no parameter %.100q", name)
}
