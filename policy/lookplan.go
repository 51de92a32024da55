package policy

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/lookahead"
)

// The policy "look-tree" plans a look and two evaluations at the top after it, in a tree: for each of some outcomes of the look the
// evaluations are others. All points of the tree are chosen together, by what the tree is expected to improve for its price, and
// the best tree of each level competes with two evaluations at the top at once. MATH.md §12.

// lookOutcomes is the number of outcomes of a look in a tree, and planStarts the number of starts of a search for the best one.
const lookOutcomes, planStarts, planIterations = 7, 2, 60

// planLook returns the look at the root of the best tree, if that is better than the best plan without one, and otherwise what was chosen.
func (p *policy) planLook(ctx context.Context, d *decision, chosen Suggestion) Suggestion {
	chosen.Level = 1
	if !p.looks() || !d.isLeveled() || ctx.Err() != nil {
		return chosen
	}
	w := p.newLookWorth(d, chosen)
	now := p.newLookTree(d, []float64{1, 1}, chosen)
	second := w.tops[min(1, len(w.tops)-1)]
	best := now.maximise(ctx, [][]float64{slices.Concat(chosen.X, second)}, nil).Value
	found, level := maximise.Peak{Value: best}, 1.0
	for _, t := range d.Levels[d.givenUp : len(d.Levels)-1] {
		points := w.newLooks(d, t)
		if len(points) == 0 {
			continue
		}
		tree := p.newLookTree(d, []float64{t, 1, 1}, chosen)
		allowed := func(x []float64) bool {
			return d.feasible(x) && maximise.FarFrom(d.lookedAt(t), x, sameDistance) && maximise.FarFrom(d.taken, x, sameDistance)
		}
		if peak := tree.maximise(ctx, w.startTrees(t, points, tree.base[0]), allowed); peak.X != nil && peak.Value > found.Value {
			found, level = peak, t
		}
	}
	if level == 1 {
		return chosen
	}
	chosen.X, chosen.Level, chosen.Next = slices.Clone(found.X[:d.Dim]), level, nil
	chosen.Look = &LookReason{Gain: math.Exp(found.Value - best), Looks: 1, Correlation: d.objective.Hyper().LevelCorrelation(level)}
	return chosen
}

// lookTree is a tree whose levels have their fidelity, and how it is searched.
type lookTree struct {
	*lookahead.Tree
	d       *decision
	base    lookahead.Samples
	power   float64 // of the price
	threads int
}

// newLookTree returns a tree of a look and two evaluations, or of two evaluations. An evaluation is expected to have its mean.
func (p *policy) newLookTree(d *decision, fidelity []float64, chosen Suggestion) lookTree {
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
	tree, err := lookahead.New(d.belief, shape, base, lookahead.Options{Fidelity: fidelity})
	if err != nil {
		panic(err) // base samples are made for the shape
	}
	power := 1.0
	if chosen.LastTries > 0 {
		power = math.Max(1-1/chosen.LastTries, 0)
	}
	return lookTree{tree, d, base, power, p.Threads}
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
	found := maximise.From(ctx, newRate, starts, maximise.Limits{Iterations: planIterations, Threads: t.threads, Tolerance: maximise.LogTolerance})
	best.Value = math.Inf(-1)
	rate := newRate()
	for _, peak := range found.Peaks {
		x := slices.Clone(peak.X)
		copy(x, t.d.snap(x[:t.d.Dim]))
		if allowed != nil && !allowed(x[:t.d.Dim]) {
			continue
		}
		if v := rate(nil, x); v > best.Value {
			best = maximise.Peak{X: x, Value: v}
		}
	}
	return best
}

// startTrees returns trees to start from: a promising look, for each outcome what is then best, and what is next best.
func (w *lookWorth) startTrees(level float64, points [][]float64, outcomes []lookahead.Sample) (starts [][]float64) {
	l := w.newLooking(level, points)
	l.alone(w)
	for _, i := range l.order[:min(planStarts, len(l.order))] {
		tree, second := slices.Clone(points[i]), []float64(nil)
		moves, price := l.direction(i), math.Exp(l.lnCost[i])
		for _, o := range outcomes {
			worth := make([]float64, len(w.tops))
			for j, move := range moves {
				sd := math.Sqrt(math.Max(w.sd[j]*w.sd[j]-move*move, 1e-12))
				worth[j] = w.worthOf(j, w.mean[j]+move*o.Value, sd, price)
			}
			two := maximise.Highest(worth, 2)
			tree, second = append(tree, w.tops[two[0]]...), append(second, w.tops[two[len(two)-1]]...)
		}
		starts = append(starts, append(tree, second...))
	}
	return starts
}
