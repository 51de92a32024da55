package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/study"
)

func (s *Server) trialOperations(api huma.API) {
	register(s, api, operation(http.MethodGet, "/studies/{study}/trials", "list-trials", "A study's trials, oldest first", Reader), s.listTrials)
	register(s, api, operation(http.MethodGet, "/studies/{study}/trials/{number}", "get-trial", "A trial", Reader), s.getTrial)
	register(s, api, operation(http.MethodGet, "/studies/{study}/trials/{number}/why", "get-why", "Why a trial was chosen", Reader), s.whyTrial)
	register(s, api, operation(http.MethodGet, "/studies/{study}/best", "get-best", "The best trial", Reader), s.bestTrial)
}

// mostListed is how much one answer holds of trials, or of events.
const mostListed = 10000

type trialsInput struct {
	OfStudy
	State string `query:"state" enum:"pending,running,done,failed,cut,abandoned" doc:"Only those"`
	After int    `query:"after" minimum:"0" doc:"Only those with a higher number"`
	Limit int    `query:"limit" minimum:"1" maximum:"10000" default:"10000"`
	Why   bool   `query:"why" default:"true" doc:"false: without the reasons they were chosen for, which are most of the answer"`
}

// Trials is a part of a study's trials.
type Trials struct {
	Trials  []Trial `json:"trials"`
	Version int64   `json:"version" doc:"Of the study when this was read"`
}

func (s *Server) listTrials(ctx context.Context, in *trialsInput) (*body[Trials], error) {
	_, r, err := s.open(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	limit := min(max(in.Limit, 1), mostListed)
	list := Trials{Trials: []Trial{}, Version: r.Version}
	for _, t := range r.Trials[min(max(in.After, 0), len(r.Trials)):] {
		if len(list.Trials) == limit {
			break
		}
		if in.State == "" || t.State == study.State(in.State) {
			if !in.Why {
				t.Why = nil
			}
			list.Trials = append(list.Trials, trialView(t))
		}
	}
	return answer(list)
}

func (s *Server) getTrial(ctx context.Context, in *OfTrial) (*body[Trial], error) {
	_, r, err := s.open(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	t, err := trialOf(r, in.Number)
	if err != nil {
		return nil, err
	}
	return answer(trialView(t))
}

func (s *Server) whyTrial(ctx context.Context, in *OfTrial) (*body[advisor.Why], error) {
	_, r, err := s.open(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	t, err := trialOf(r, in.Number)
	if err != nil {
		return nil, err
	}
	var why advisor.Why
	if json.Unmarshal(t.Why, &why) != nil { // none, or a newer eke's
		return nil, problem(http.StatusNotFound, NotFound, "why trial %d was chosen is not on record", t.Number)
	}
	return answer(why)
}

func (s *Server) bestTrial(ctx context.Context, in *OfStudy) (*body[Trial], error) {
	at, r, err := s.open(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	best, ok := r.Best(at.broker.Study().Objective.Goal)
	if !ok {
		return nil, problem(http.StatusNotFound, NotFound, "no trial has returned a value yet")
	}
	return answer(trialView(best))
}
