package policy

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/lookahead"
)

// multiStep chooses the root of the best tree under the fantasy budget.
func (p *policy) multiStep(fantasies []int) (chooser, error) {
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, d *decision) (Suggestion, error) {
		b := p.floored(d.belief, floorsTree)
		money := p.fantasyBudget(ctx, b, d, shape.Depth())
		b.Remaining = money.Budget
		base := lookahead.SobolSamples(shape.Fantasies(), d.seed(seedBase))
		tree, err := lookahead.New(b, shape, base, lookahead.Options{MeanCost: p.Preset.MeanCost, Discount: p.Preset.Discount})
		if err != nil {
			panic(err) // base samples are made for the shape
		}
		found := lookahead.Maximise(ctx, tree, p.treeSettings(d, tree))
		walk := tree.NewWalk()
		chosen, err := p.chooseTree(ctx, d, tree, walk, &found)
		if err != nil {
			return Suggestion{}, err
		}
		out := Suggestion{
			X: slices.Clone(chosen.X[:d.Dim]), Acquisition: chosen.Value,
			Evaluations: found.Evaluations + money.Evaluations, Searches: found.Searches + money.Searches,
		}
		if ctx.Err() == nil {
			out.Next = continuation(d.warp, walk, chosen.X, d.Dim, d.belief.Remaining-money.Budget)
		}
		out.Plan = p.newPlan(d, out.X)
		out.Plan.Fantasies, out.Plan.Nodes, out.Plan.Outcomes = shape.Fantasies(), chosen.X, written(d.warp, walk.Fantasies(chosen.X))
		out.Plan.Budget, out.Plan.Refill = money.Budget, capped(money.Refill)
		if money.CutShort {
			out.Plan.Budget = 0 // unreliable
		}
		return out, nil
	}, nil
}

// treeSettings returns how the preset searches a tree.
func (p *policy) treeSettings(d *decision, tree *lookahead.Tree) lookahead.Settings {
	e := p.effort(d.Dim)
	s := lookahead.Settings{
		LogForm: p.Preset.LogForm, Grown: p.Preset.Grown, RawPoints: e.raw, Starts: e.starts, Iterations: e.iterations,
		Threads: p.Threads, Seed: d.seed(seedRaw),
	}
	if p.Preset.Advance {
		s.Planted = advanced(d, tree.Belief(), tree.Shape())
	}
	return s
}

// chooseTree chooses among the trees found. If the roots of all of them are known, the peaks of the one-step function
// compete as roots too, since its search covers more places.
func (p *policy) chooseTree(ctx context.Context, d *decision, tree *lookahead.Tree, walk *lookahead.Walk, found *lookahead.Solution) (maximise.Peak, error) {
	b, seed := walk.Belief(), d.seed(seedRaw)
	s := newSelector(ctx, d, seed, func(x []float64) float64 { return walk.LogValue(nil, x) }).informative(b, p.Preset.Informative)
	trees := found.Trees
	if s.allKnown(trees) {
		roots := p.maximiseOneStep(ctx, mayFail(budgeted), b, d, p.effort(d.Dim), seed)
		found.Searches, found.Evaluations = found.Searches+roots.Searches, found.Evaluations+roots.Evaluations
		for _, root := range roots.Peaks {
			x := s.withRoot(found.Best.X, root.X)
			trees = append(trees, maximise.Peak{X: x, Value: walk.LogValue(nil, x)})
		}
	}
	chosen, err := s.choose(trees, found.Best)
	if err != nil || p.Preset.EarnFirst <= 0 || !tree.IsPath() {
		return chosen, err
	}
	return earningFirst(chosen, walk, s, p.Preset.EarnFirst), nil
}

// written returns outcomes in the values' own units, since the next warp will be different. It caps what would be
// infinite, so that a plan can be written as JSON.
func written(w gp.Warp, outcomes []lookahead.Outcome) []lookahead.Outcome {
	for i, o := range outcomes {
		outcomes[i] = lookahead.Outcome{Value: capped(w.From(o.Value)), LnCost: capped(o.LnCost)}
	}
	return outcomes
}

// read is the inverse of written.
func read(w gp.Warp, outcomes []lookahead.Outcome) []lookahead.Outcome {
	list := make([]lookahead.Outcome, len(outcomes))
	for i, o := range outcomes {
		list[i] = lookahead.Outcome{Value: w.To(o.Value), LnCost: o.LnCost}
	}
	return list
}

// continuation returns what the tree would do after the root if each evaluation had its likeliest
// outcome. The tree plans with less money than there is; rest is the money that it does not count.
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

// advanced returns the last tree, advanced by the real outcome of its root.
func advanced(d *decision, b acq.Belief, shape *lookahead.Shape) [][]float64 {
	plan := d.Previous
	if plan == nil || !slices.Equal(plan.Fantasies, shape.Fantasies()) || len(plan.Nodes) != shape.Nodes()*d.Dim ||
		len(plan.Outcomes) != plan.Fantasies[0] {
		return nil
	}
	for _, v := range plan.Nodes {
		if !(v >= 0 && v <= 1) {
			return nil
		}
	}
	// If the root has not been observed yet, the likeliest branch is the mean of the first step.
	observed := lookahead.Outcome{}
	known := false
	for i := min(max(plan.Observed, 0), len(d.X)); i < len(d.X); i++ {
		if slices.Equal(d.X[i], plan.Point) && !math.IsNaN(d.LnCost[i]) {
			observed, known = lookahead.Outcome{Value: d.values[i], LnCost: d.LnCost[i]}, true
		}
	}
	if !known {
		mean, _ := b.Objective.Posterior(plan.Nodes[:d.Dim])
		lnCost, _ := b.LnCost.Posterior(plan.Nodes[:d.Dim])
		observed = lookahead.Outcome{Value: mean, LnCost: lnCost}
	}
	branch := lookahead.Nearest(read(d.warp, plan.Outcomes), observed, b.Objective.Standard().Scale, b.LnCost.Standard().Scale)
	return [][]float64{lookahead.Advance(shape, plan.Nodes, branch)}
}
