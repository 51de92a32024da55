package choose

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/lookahead"
)

// MultiStep chooses the root of the best tree under the fantasy budget. One-step functions are multiplied by the chance of a value within
// the limits, and so is each node's share of a tree's value.
func MultiStep(fantasies []int) (Rule, error) {
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, d *model.Beliefs) (model.Suggestion, error) {
		b := floored(d.Belief, d, floorsTree)
		money := fantasyBudget(ctx, b, d, shape.Depth())
		b.Remaining = money.Budget
		base := lookahead.SobolSamples(shape.Fantasies(), d.SeedFor(model.SeedBase))
		tree, err := lookahead.New(b, shape, base, treeOptions(d))
		if err != nil {
			panic(err) // base samples are made for the shape
		}
		found := lookahead.Maximise(ctx, tree, treeSettings(d, tree))
		walk := tree.NewWalk()
		chosen, err := chooseTree(ctx, d, tree, walk, &found)
		if err != nil {
			return model.Suggestion{}, err
		}
		out := model.Suggestion{
			X: slices.Clone(chosen.X[:d.Dim]), Acquisition: chosen.Value,
			Evaluations: found.Evaluations + money.Evaluations, Searches: found.Searches + money.Searches,
		}
		if ctx.Err() == nil {
			out.Next = continuation(d, walk, chosen.X, d.Belief.Remaining-money.Budget)
		}
		out.Plan = d.NewPlan(out.X)
		out.Plan.Fantasies, out.Plan.Nodes, out.Plan.Outcomes = shape.Fantasies(), chosen.X, written(d.Warp, walk.Fantasies(chosen.X))
		out.Plan.Budget, out.Plan.Refill = money.Budget, model.Capped(money.Refill)
		if money.CutShort {
			out.Plan.Budget = 0 // unreliable
		}
		return out, nil
	}, nil
}

// discount is the value of a step of a plan relative to the same step taken one evaluation earlier.
const discount = 0.9

// treeOptions returns how trees value their steps.
func treeOptions(d *model.Beliefs) lookahead.Options {
	if d.Paper {
		return lookahead.Options{}
	}
	return lookahead.Options{MeanCost: true, Discount: discount}
}

// treeSettings returns how a tree is searched: like the reference's, from blind starts, or from trees grown from good points and from the last one.
func treeSettings(d *model.Beliefs, tree *lookahead.Tree) lookahead.Settings {
	e := d.Effort(d.Dim)
	s := lookahead.Settings{
		LogForm: !d.Paper, Grown: !d.Paper, RawPoints: e.Raw, Starts: e.Starts, Iterations: e.Iterations,
		Threads: d.Threads, Seed: d.SeedFor(model.SeedRaw),
	}
	if !d.Paper {
		s.Planted = advanced(d, tree.Belief(), tree.Shape())
	}
	return s
}

// chooseTree chooses among the trees found. If there are constraints and the roots of all trees are known, the peaks of the one-step
// function compete as roots too, since its search covers more places.
func chooseTree(ctx context.Context, d *model.Beliefs, tree *lookahead.Tree, walk *lookahead.Walk, found *lookahead.Solution) (maximise.Peak, error) {
	b, seed := walk.Belief(), d.SeedFor(model.SeedRaw)
	s := NewSelector(ctx, d, seed, func(x []float64) float64 { return walk.LogValue(nil, x) })
	trees := found.Trees
	if s.allKnown(trees) {
		roots := Maximise(ctx, MayFail(Budgeted), b, d, d.Effort(d.Dim), seed)
		found.Searches, found.Evaluations = found.Searches+roots.Searches, found.Evaluations+roots.Evaluations
		for _, root := range roots.Peaks {
			x := s.withRoot(found.Best.X, root.X)
			trees = append(trees, maximise.Peak{X: x, Value: walk.LogValue(nil, x)})
		}
	}
	chosen, err := s.choose(trees, found.Best)
	if err != nil || d.Paper || !tree.IsPath() {
		return chosen, err
	}
	return earningFirst(chosen, walk, s), nil
}

// written returns outcomes in the values' own units, since the next warp will be different. It caps what would be
// infinite, so that a plan can be written as JSON.
func written(w gp.Warp, outcomes []acq.Outcome) []acq.Outcome {
	list := make([]acq.Outcome, len(outcomes))
	for i, o := range outcomes {
		list[i] = acq.Outcome{Value: model.Capped(w.From(o.Value)), LnCost: model.Capped(o.LnCost)}
	}
	return list
}

// read is the inverse of written.
func read(w gp.Warp, outcomes []acq.Outcome) []acq.Outcome {
	list := make([]acq.Outcome, len(outcomes))
	for i, o := range outcomes {
		list[i] = acq.Outcome{Value: w.To(o.Value), LnCost: o.LnCost}
	}
	return list
}

// continuation returns what the tree would do after the root if each evaluation had its likeliest
// outcome. The tree plans with less money than there is; rest is the money that it does not count.
func continuation(d *model.Beliefs, w *lookahead.Walk, x []float64, rest float64) []model.Prediction {
	var next []model.Prediction
	for _, n := range w.LikeliestPath(x) {
		if n.Node == 0 {
			continue
		}
		next = append(next, model.NewPrediction(d.Warp, d.Bound(0), x[n.Node*d.Dim:(n.Node+1)*d.Dim], n.Mean, n.SD, n.LnCost, n.LnCostSD, n.Money+rest))
	}
	return next
}

// advanced returns the last tree, advanced by the real outcome of its root.
func advanced(d *model.Beliefs, b acq.Belief, shape *lookahead.Shape) [][]float64 {
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
	observed := acq.Outcome{}
	known := false
	for i := min(max(plan.Observed, 0), len(d.X)); i < len(d.X); i++ {
		if slices.Equal(d.X[i], plan.Point) && !math.IsNaN(d.LnCost[i]) {
			observed, known = acq.Outcome{Value: d.Values[i], LnCost: d.LnCost[i]}, true
		}
	}
	if !known {
		mean, _ := b.Objective.Posterior(plan.Nodes[:d.Dim])
		lnCost, _ := b.LnCost.Posterior(plan.Nodes[:d.Dim])
		observed = acq.Outcome{Value: mean, LnCost: lnCost}
	}
	branch := lookahead.Nearest(read(d.Warp, plan.Outcomes), observed, b.Objective.Standard().Scale, b.LnCost.Standard().Scale)
	return [][]float64{lookahead.Advance(shape, plan.Nodes, branch)}
}

// A plan's first step must earn its price.
//
// On a path the fantasies sit on the posterior means. Conditioning on them moves no mean and only takes variance away, so a step can teach the
// steps after it nothing: it earns by its own improvement, or not at all. So a path whose worth lies in its later steps is the same plan in a
// worse order. The money for its first step is better spent on the step that earns. A tree is another matter: there a first step may be worth
// its price for what it tells.

// earnFirst is the fraction of a path's value that its first step must contribute.
const earnFirst = 0.2

// earningFirst returns a path with its most valuable step moved to the front, if the first step holds too little of the path's value.
func earningFirst(path maximise.Peak, walk *lookahead.Walk, t Selector) maximise.Peak {
	d := t.state.Dim
	improvement := acq.Budgeted(walk.Belief()).WithinLimits().Log()
	if improvement.Eval(nil, path.X[:d])-path.Value >= math.Log(earnFirst) {
		return path
	}
	first, highest := 0, math.Inf(-1)
	for k := 0; k*d < len(path.X); k++ {
		x := path.X[k*d : (k+1)*d]
		if v := improvement.Eval(nil, x); v > highest && t.IsFresh(x) {
			first, highest = k, v
		}
	}
	if first == 0 {
		return path
	}
	x := slices.Concat(path.X[first*d:(first+1)*d], path.X[:first*d], path.X[(first+1)*d:])
	return maximise.Peak{X: x, Value: walk.LogValue(nil, x)}
}
