package compare

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/looks"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/lookahead"
)

// The policy "look-tree" plans a look and two evaluations at the top after it, in a tree: for each of some outcomes of the look the
// evaluations are different. All points of the tree are chosen together, by what the tree is expected to improve for its price. The best tree
// of each level competes with two evaluations at the top at once. MATH.md §12.

// lookOutcomes is the number of outcomes of a look in a tree. planStarts and planIterations are the effort of a search for the best tree.
const lookOutcomes, planStarts, planIterations = 7, 2, 60

// LookTree returns the look at the root of the best tree, if that is better than the best plan without one, and otherwise what was chosen.
func LookTree(ctx context.Context, d *model.Beliefs, chosen model.Suggestion) model.Suggestion {
	chosen.Level = 1
	if !d.TakesLooks() || !d.IsLeveled() || ctx.Err() != nil {
		return chosen
	}
	w := looks.NewWorth(d, chosen)
	now := newLookTree(d, []float64{1, 1}, chosen)
	second := w.Tops[min(1, len(w.Tops)-1)]
	best := now.maximise(ctx, [][]float64{slices.Concat(chosen.X, second)}, nil).Value
	found, level := maximise.Peak{Value: best}, 1.0
	for _, t := range d.Levels[d.GivenUp : len(d.Levels)-1] {
		points := w.NewLooks(t)
		if len(points) == 0 {
			continue
		}
		tree := newLookTree(d, []float64{t, 1, 1}, chosen)
		allowed := func(x []float64) bool {
			return d.Allows(x) && model.IsNew(x, d.LookedAt(t)...) && model.IsNew(x, d.Taken...)
		}
		if peak := tree.maximise(ctx, w.StartTrees(t, points, tree.outcomes(), planStarts), allowed); peak.X != nil && peak.Value > found.Value {
			found, level = peak, t
		}
	}
	if level == 1 {
		return chosen
	}
	return looks.Chosen(d, chosen, found.X[:d.Dim], model.LookReason{Gain: math.Exp(found.Value - best), Looks: 1}, level)
}

// lookTree is a tree whose levels have their fidelity, and how it is searched.
type lookTree struct {
	*lookahead.Tree
	d     *model.Beliefs
	base  lookahead.Samples
	power float64 // of the price
}

// newLookTree returns a tree of a look and two evaluations, or of two evaluations. An evaluation is expected to have its mean.
func newLookTree(d *model.Beliefs, fidelity []float64, chosen model.Suggestion) lookTree {
	base := make(lookahead.Samples, len(fidelity)-1)
	fantasies := make([]int, len(base))
	for i := range base {
		if base[i] = make([]lookahead.Sample, 1); fidelity[i] < 1 {
			base[i] = outcomes(lookOutcomes)
		}
		fantasies[i] = len(base[i])
	}
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		panic(err) // it is small
	}
	tree, err := lookahead.New(d.Belief, shape, base, lookahead.Options{Fidelity: fidelity})
	if err != nil {
		panic(err) // base samples are made for the shape
	}
	return lookTree{tree, d, base, model.PricePower(chosen.LastTries)}
}

// outcomes returns the outcomes of the look at the root.
func (t lookTree) outcomes() (list []float64) {
	for _, s := range t.base[0] {
		list = append(list, s.Value)
	}
	return list
}

// outcomes returns equally likely values of a standard normal variable, with its variance.
func outcomes(n int) []lookahead.Sample {
	list, square := make([]lookahead.Sample, n), 0.0
	for i := range list {
		list[i].Value = normal.Quantile((float64(i) + 0.5) / float64(n))
		square += list[i].Value * list[i].Value / float64(n)
	}
	for i := range list {
		list[i].Value /= math.Sqrt(square)
	}
	return list
}

// maximise returns the best tree whose root is a setting that is allowed, and its value. Nil allows any.
func (t lookTree) maximise(ctx context.Context, starts [][]float64, allowed func([]float64) bool) (best maximise.Peak) {
	newRate := func() maximise.Func {
		walk := t.NewWalk()
		return func(grad, x []float64) float64 { return walk.LogRate(grad, x, t.power) }
	}
	found := maximise.From(ctx, newRate, starts, maximise.Limits{Iterations: planIterations, Threads: t.d.Threads, Tolerance: maximise.LogTolerance})
	best.Value = math.Inf(-1)
	rate := newRate()
	for _, peak := range found.Peaks {
		x := slices.Clone(peak.X)
		copy(x, t.d.Setting(x[:t.d.Dim]))
		if allowed != nil && !allowed(x[:t.d.Dim]) {
			continue
		}
		if v := rate(nil, x); v > best.Value {
			best = maximise.Peak{X: x, Value: v}
		}
	}
	return best
}
