package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

func (s *Server) trialOperations(h huma.API) {
	register(s, h, operation(http.MethodGet, "/studies/{study}/trials", "list-trials", "List a study's trials, oldest first", Reader), s.listTrials)
	register(s, h, operation(http.MethodGet, "/studies/{study}/trials/{number}", "get-trial", "Get a trial", Reader), s.getTrial)
	register(s, h, operation(http.MethodGet, "/studies/{study}/trials/{number}/why", "get-why", "Get the reasons for a trial", Reader), s.whyTrial)
	register(s, h, operation(http.MethodGet, "/studies/{study}/best", "get-best", "Get the best trial", Reader), s.bestTrial)
}

type trialsInput struct {
	OfStudy
	State string `query:"state" enum:"pending,running,done,failed,cut,abandoned" doc:"Only trials in this state."`
	After int    `query:"after" minimum:"0" doc:"Only trials with a higher number."`
	Limit int    `query:"limit" minimum:"1" maximum:"10000" default:"10000"`
	Why   bool   `query:"why" default:"true" doc:"Whether to include the reasons for each trial. They make up most of the answer."`
}

func (s *Server) listTrials(ctx context.Context, in *trialsInput) (*body[api.Trials], error) {
	_, r, err := s.open(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	limit := min(max(in.Limit, 1), api.MaxListed)
	list := api.Trials{Trials: []api.Trial{}, Version: r.Version}
	for _, t := range r.Trials[min(max(in.After, 0), len(r.Trials)):] {
		if len(list.Trials) == limit {
			break
		}
		if in.State == "" || t.State == study.State(in.State) {
			if !in.Why {
				t.Why = nil
			}
			list.Trials = append(list.Trials, api.NewTrial(t))
		}
	}
	return answer(list)
}

func (s *Server) getTrial(ctx context.Context, in *OfTrial) (*body[api.Trial], error) {
	_, _, t, err := s.openTrial(ctx, *in)
	if err != nil {
		return nil, err
	}
	return answer(api.NewTrial(t))
}

func (s *Server) whyTrial(ctx context.Context, in *OfTrial) (*body[advisor.Why], error) {
	_, _, t, err := s.openTrial(ctx, *in)
	if err != nil {
		return nil, err
	}
	why, ok := advisor.WhyOf(t.Why)
	if !ok { // there are none, or a newer eke wrote them
		return nil, fault.New(fault.NotFound, "", "the reasons for trial %d are not on record", t.Number)
	}
	return answer(why)
}

func (s *Server) bestTrial(ctx context.Context, in *OfStudy) (*body[api.Trial], error) {
	o, r, err := s.open(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	best, ok := r.Best(o.broker.Study().Objective.Goal)
	if !ok {
		return nil, fault.New(fault.NotFound, "", "no trial has a result yet")
	}
	return answer(api.NewTrial(best))
}
