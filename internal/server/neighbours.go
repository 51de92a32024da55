package server

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/study"
)

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
