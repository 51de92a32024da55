package server

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

func (s *Server) trialOperations(h huma.API) {
	reply(s, h, s.long("/studies/{study}/trials", "list-trials", "List a study's trials, oldest first", Reader), ofStudy(s, s.listTrials))
	reply(s, h, s.long("/studies/{study}/columns", "get-columns", "Get all trials of a study at once, column by column", Reader), ofStudy(s, s.getColumns))
	reply(s, h, operation(http.MethodGet, "/studies/{study}/trials/{number}", "get-trial", "Get a trial", Reader), ofStudy(s, s.getTrial))
	reply(s, h, operation(http.MethodGet, "/studies/{study}/trials/{number}/why", "get-why", "Get the reasons for a trial", Reader), ofStudy(s, s.whyTrial))
	reply(s, h, operation(http.MethodGet, "/studies/{study}/trials/{number}/neighbours", "get-neighbours", "Get the settings nearest to a trial's", Reader), ofStudy(s, s.neighbours))
	reply(s, h, operation(http.MethodGet, "/studies/{study}/best", "get-best", "Get the best trial, or the first of the best setting if evaluations have noise", Reader), ofStudy(s, s.bestTrial))
}

type trialsInput struct {
	OfStudy
	State string `query:"state" enum:"pending,running,done,failed,cut,stopped early,abandoned" doc:"Only trials in this state."`
	After int    `query:"after" minimum:"0" doc:"Only trials with a higher number."`
	Limit int    `query:"limit" minimum:"1" maximum:"10000" default:"10000"`
	Why   bool   `query:"why" default:"true" doc:"Whether to include the reasons for each trial. They make up most of the answer."`
}

func (s *Server) listTrials(_ context.Context, in *trialsInput, _ *openStudy, r *study.Record) (api.Trials, error) {
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
	return list, nil
}

type columnsInput struct {
	OfStudy
	After int `query:"after" minimum:"0" doc:"Only trials with a higher number."`
	Limit int `query:"limit" minimum:"1" maximum:"100000" default:"100000"`
}

func (s *Server) getColumns(_ context.Context, in *columnsInput, o *openStudy, r *study.Record) (api.Columns, error) {
	list := r.Trials[min(max(in.After, 0), len(r.Trials)):]
	return api.NewColumns(r.Version, o.broker.Study(), list[:min(len(list), max(in.Limit, 1))]), nil
}

func (s *Server) getTrial(_ context.Context, in *OfTrial, _ *openStudy, r *study.Record) (api.Trial, error) {
	t, err := r.Trial(in.Number)
	return api.NewTrial(t), err
}

func (s *Server) whyTrial(_ context.Context, in *OfTrial, _ *openStudy, r *study.Record) (advisor.Why, error) {
	t, err := r.Trial(in.Number)
	why, ok := advisor.WhyOf(t.Why)
	if err == nil && !ok { // there are none, or a newer eke wrote them
		err = fault.New(fault.NotFound, "", "the reasons for trial %d are not on record", t.Number)
	}
	return why, err
}

func (s *Server) bestTrial(ctx context.Context, _ *OfStudy, o *openStudy, r *study.Record) (api.Trial, error) {
	best, ok, err := o.broker.Best(ctx, r)
	switch {
	case err != nil:
		return api.Trial{}, err
	case !ok && say.NoneFeasible(o.broker.Study(), r) != "":
		return api.Trial{}, fault.New(fault.NotFound, "", "%s", say.NoneFeasible(o.broker.Study(), r))
	case !ok:
		return api.Trial{}, fault.New(fault.NotFound, "", "no trial has a result yet")
	}
	return *newBest(best, ok), nil
}

type neighboursInput struct {
	OfTrial
	Count int `query:"count" minimum:"1" maximum:"100" default:"5" doc:"How many at most."`
}

// neighbours lists the settings nearest to a trial's that have ended, as the models see them. What is outside of the parameters has no
// place among them.
func (s *Server) neighbours(_ context.Context, in *neighboursInput, o *openStudy, r *study.Record) (out api.Neighbours, err error) {
	here, err := r.Trial(in.Number)
	if err != nil {
		return out, err
	}
	out.Neighbours = []api.Neighbour{}
	if here.Outside {
		return out, nil
	}
	add := func(n api.Neighbour, point []float64) {
		n.Distance = distance(here.Point, point)
		out.Neighbours = append(out.Neighbours, n)
	}
	for _, t := range r.Trials {
		if t.Number != in.Number && t.State.Ended() && !t.Outside {
			seen := api.NewTrial(t)
			add(api.Neighbour{Number: t.Number, State: t.State, Value: seen.Value, Cost: t.Charged, Setting: t.Setting}, t.Point)
		}
	}
	for i, k := range r.Known {
		if !k.Outside {
			add(api.Neighbour{Number: i + 1, Known: true, State: study.Done, Value: &k.Value, Cost: k.Cost, Setting: k.Setting}, k.Point)
		}
	}
	slices.SortStableFunc(out.Neighbours, func(a, b api.Neighbour) int { return cmp.Compare(a.Distance, b.Distance) })
	out.Neighbours = out.Neighbours[:min(len(out.Neighbours), max(in.Count, 1))]
	for i, n := range out.Neighbours {
		out.Neighbours[i].Differs = differing(o.broker.Study(), here, n)
	}
	return out, nil
}

func distance(a, b []float64) float64 {
	sum := 0.0
	for i := range min(len(a), len(b)) {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum)
}

// differing lists the parameters that two settings do not share, in the order of the study file.
func differing(s *study.Study, here study.Trial, there api.Neighbour) []string {
	names := []string{}
	for _, p := range s.Inputs() {
		if here.Setting[p.Name] != there.Setting[p.Name] {
			names = append(names, p.Name)
		}
	}
	return names
}
