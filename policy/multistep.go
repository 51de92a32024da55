package policy

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/lookahead"
)

// multiStep chooses the root of the best tree under the fantasy budget.
func (p *policy) multiStep(fantasies []int) (chooser, error) {
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, b acq.Belief, s *State) (Suggestion, error) {
		b = p.floored(b, floorsTree)
		remaining := b.Remaining
		money := p.fantasyBudget(ctx, b, s, shape.Depth())
		b.Remaining = money.budget
		base := lookahead.SobolSamples(shape.Fantasies(), s.seed(seedBase))
		t, err := p.newTreeSearch(b, shape, base, s.seed(seedRaw))
		if err != nil {
			panic(err) // base samples are made for the shape
		}
		if p.Preset.Advance {
			t.planted = advanced(s, b, shape)
		}
		t.state = s
		sol, err := t.run(ctx)
		if err != nil {
			return Suggestion{}, err
		}
		walk := t.tree.NewWalk()
		out := Suggestion{
			X: slices.Clone(sol.Nodes[:s.Dim]), Acquisition: sol.LogValue,
			Evaluations: sol.Evaluations + money.evaluations, Searches: sol.Searches + money.searches,
		}
		if ctx.Err() == nil {
			out.Next = continuation(s.warp, walk, sol.Nodes, s.Dim, remaining-money.budget)
		}
		out.Plan = &Plan{
			Point: slices.Clone(out.X), Fantasies: shape.Fantasies(), Nodes: sol.Nodes, Outcomes: written(s.warp, walk.Fantasies(sol.Nodes)),
			Budget: money.budget, Refill: money.refill, Remaining: remaining, Observed: len(s.X),
			Hyper: [2]gp.Hyper{b.Objective.Hyper(), b.LnCost.Hyper()},
		}
		if money.cut {
			out.Plan.Budget = 0 // not to be relied on
		}
		return out, nil
	}, nil
}

// written returns outcomes in the values' own units, for the next warp will be another, with what would be infinite
// capped: a plan can be written down as JSON.
func written(w gp.Warp, outcomes []lookahead.Outcome) []lookahead.Outcome {
	for i, o := range outcomes {
		outcomes[i] = lookahead.Outcome{Value: capped(w.From(o.Value)), LnCost: capped(o.LnCost)}
	}
	return outcomes
}

// read is the way back.
func read(w gp.Warp, outcomes []lookahead.Outcome) []lookahead.Outcome {
	list := make([]lookahead.Outcome, len(outcomes))
	for i, o := range outcomes {
		list[i] = lookahead.Outcome{Value: w.To(o.Value), LnCost: o.LnCost}
	}
	return list
}

// continuation is what the tree would do after the root, if each evaluation returned what
// is likeliest. The tree plans with less money than there is; the rest is what it does not count.
func continuation(warp gp.Warp, w *lookahead.Walk, x []float64, dim int, rest float64) []Prediction {
	var next []Prediction
	for _, n := range w.LikeliestPath(x) {
		if n.Node == 0 {
			continue
		}
		next = append(next, newPrediction(warp, x[n.Node*dim:(n.Node+1)*dim], n.Mean, n.SD, n.LnCost, n.LnCostSD, n.Money+rest))
	}
	return next
}

// advanced returns the last tree, moved on by what its root really returned.
func advanced(s *State, b acq.Belief, shape *lookahead.Shape) [][]float64 {
	plan := s.Previous
	if plan == nil || !slices.Equal(plan.Fantasies, shape.Fantasies()) || len(plan.Nodes) != shape.Nodes()*s.Dim ||
		len(plan.Outcomes) != plan.Fantasies[0] {
		return nil
	}
	for _, v := range plan.Nodes {
		if !(v >= 0 && v <= 1) {
			return nil
		}
	}
	// Without an observation of the root yet, the likeliest branch is the first step's mean.
	observed := lookahead.Outcome{}
	known := false
	for i := min(max(plan.Observed, 0), len(s.X)); i < len(s.X); i++ {
		if slices.Equal(s.X[i], plan.Point) && !math.IsNaN(s.LnCost[i]) {
			observed, known = lookahead.Outcome{Value: s.Y[i], LnCost: s.LnCost[i]}, true
		}
	}
	if !known {
		mean, _ := b.Objective.Posterior(plan.Nodes[:s.Dim])
		lnCost, _ := b.LnCost.Posterior(plan.Nodes[:s.Dim])
		observed = lookahead.Outcome{Value: mean, LnCost: lnCost}
	}
	branch := lookahead.Nearest(read(s.warp, plan.Outcomes), observed, b.Objective.Standard().Scale, b.LnCost.Standard().Scale)
	return [][]float64{lookahead.Advance(shape, plan.Nodes, branch)}
}
