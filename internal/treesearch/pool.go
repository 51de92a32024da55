package treesearch

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/parallel"
	"github.com/eke-bo/eke/lookahead"
)

// poolSize bounds the pool that trees are grown from: growing costs this many scores per node.
const poolSize = 128

// firstPool returns candidate points for all nodes: the peaks of the one-step function and the best of the
// raw points by its value. A quarter is spread over the cube and a quarter is cheap, whatever they promise for
// one step: the best root of a tree may be a cheap evaluation whose only worth is its information.
func (t *search) firstPool(ctx context.Context) [][]float64 {
	if t.pool != nil {
		return t.pool
	}
	oneStep := func() maximise.Func { return acq.Budgeted(t.belief).Log().Eval }
	raw := maximise.RawPoints(t.RawPoints, t.dim, t.Seed)
	values := maximise.Evaluate(ctx, oneStep, raw, t.Threads)
	starts := maximise.Pick(raw, maximise.PickStarts(values, 10*t.dim, t.Seed))
	peaks := t.helper(maximise.From(ctx, oneStep, starts, maximise.Limits{Iterations: 50, Threads: t.Threads, Tolerance: maximise.LogTolerance}))
	pool := append(peaks.Points(), maximise.Pick(raw, maximise.Highest(values, len(raw)))...)
	cheapness := maximise.Evaluate(ctx, t.cheapness, raw, t.Threads)
	t.pool = maximise.Distinct(slices.Concat(
		maximise.Distinct(pool, poolSize/2), raw[:min(poolSize/4, len(raw))],
		maximise.Pick(raw, maximise.Highest(cheapness, poolSize/4)), pool), poolSize)
	return t.pool
}

// cheapness is the function −μ of the log-cost.
func (t *search) cheapness() maximise.Func {
	b := t.belief.LnCost.NewBatch(1, nil)
	return func(_, x []float64) float64 {
		b.Forward(x, false)
		return -b.Mean[0]
	}
}

// pointsOfBest returns the points of the best trees found.
func (t *search) pointsOfBest(r maximise.Result) (points [][]float64) {
	for _, x := range r.Points()[:min(elite, len(r.Peaks))] {
		points = append(points, split(x, t.dim)...)
	}
	return points
}

// scout returns the roots that are worth a tree: all of them for paths and two-level trees, else at most count. Trees are
// expensive to grow, so two smaller trees show what a root is worth: the path of as many steps, and the tree's first two
// levels.
func (t *search) scout(ctx context.Context, pool *lookahead.Pool, count int) []int {
	all := maximise.Highest(make([]float64, pool.Size()), pool.Size())
	if t.tree.IsPath() || t.tree.Shape().Depth() == 2 || count >= pool.Size() {
		return all
	}
	byPath := t.scoutAlong(ctx, pool, t.tree.Path())
	byTree := t.scoutAlong(ctx, pool, t.tree.Prefix(2))
	var roots []int
	for i := range all {
		for _, r := range []int{byPath[i], byTree[i]} {
			if len(roots) < count && !slices.Contains(roots, r) {
				roots = append(roots, r)
			}
		}
	}
	return roots
}

// scoutAlong orders the roots by the values of small trees grown from them.
func (t *search) scoutAlong(ctx context.Context, pool *lookahead.Pool, small *lookahead.Tree) []int {
	values := slices.Repeat([]float64{math.Inf(-1)}, pool.Size())
	parallel.For(ctx, len(values), t.Threads, func() func(int) {
		g := pool.NewGrower(small)
		return func(root int) { _, values[root] = g.Grow([]int{root}, nil) }
	})
	return maximise.Highest(values, len(values))
}
