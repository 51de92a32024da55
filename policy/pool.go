package policy

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/lbfgsb"
	"github.com/eke-bo/eke/lookahead"
)

// poolSize bounds the pool that trees are grown from: growing costs this many scores a node.
const poolSize = 128

// firstPool returns candidate points for all nodes: the peaks of the one-step function and the best of the
// raw points by its value. A quarter is spread over the cube and a quarter is cheap, whatever they promise for
// one step: the best root of a tree may be a cheap look whose only worth is what it tells.
func (t *treeSearch) firstPool(ctx context.Context) [][]float64 {
	if t.pool != nil {
		return t.pool
	}
	one := func() lbfgsb.Func { return acq.Budgeted(t.belief).Log().Eval }
	raw := rawPoints(t.raw, t.dim, t.seed)
	values := evaluate(ctx, one, raw, t.policy.Threads)
	starts := pick(raw, pickStarts(values, 10*t.dim, t.seed))
	f := t.helper(maximise(ctx, one, starts, limits{50, t.policy.Threads, logTol}))
	pool := append(f.points(), pick(raw, best(values, len(raw)))...)
	cheap := evaluate(ctx, t.cheapness, raw, t.policy.Threads)
	t.pool = distinct(slices.Concat(
		distinct(pool, poolSize/2), raw[:min(poolSize/4, len(raw))], pick(raw, best(cheap, poolSize/4)), pool), poolSize)
	return t.pool
}

// cheapness is the function −μ of the log-cost.
func (t *treeSearch) cheapness() lbfgsb.Func {
	b := t.belief.LnCost.NewBatch(1, nil)
	return func(_, x []float64) float64 {
		b.Forward(x, false)
		return -b.Mean[0]
	}
}

// pointsOfBest returns the points of the best trees found.
func (t *treeSearch) pointsOfBest(f found) (points [][]float64) {
	for _, x := range f.points()[:min(elite, len(f.peaks))] {
		points = append(points, split(x, t.dim)...)
	}
	return points
}

// pick returns the entries with the given indices.
func pick[T any](list []T, indices []int) []T {
	picked := make([]T, len(indices))
	for k, i := range indices {
		picked[k] = list[i]
	}
	return picked
}

// scout returns the roots that are worth a tree: for paths and two-level trees all of them, else at most count. Trees are costly to grow, so what a root is
// worth is told by two smaller things: the path of as many steps, and the tree's first two levels.
func (t *treeSearch) scout(ctx context.Context, pool *lookahead.Pool, count int) []int {
	all := best(make([]float64, pool.Size()), pool.Size())
	if t.isPath() || t.tree.Shape().Depth() == 2 || count >= pool.Size() {
		return all
	}
	byPath := t.scoutAlong(ctx, pool, t.pathOf(t.tree.Shape().Depth()))
	byTree := t.scoutAlong(ctx, pool, t.firstLevels())
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
func (t *treeSearch) scoutAlong(ctx context.Context, pool *lookahead.Pool, small *lookahead.Tree) []int {
	values := slices.Repeat([]float64{math.Inf(-1)}, pool.Size())
	parallel(ctx, len(values), t.policy.Threads, func() func(int) {
		g := pool.NewGrower(small)
		return func(root int) { _, values[root] = g.Grow([]int{root}, nil) }
	})
	return best(values, len(values))
}

func (t *treeSearch) isPath() bool { return t.tree.Shape().Nodes() == t.tree.Shape().Depth() }

// firstLevels returns the tree's first two levels.
func (t *treeSearch) firstLevels() *lookahead.Tree {
	return t.subtree(t.tree.Shape().Fantasies()[:1], t.base[:1])
}

// pathOf returns the path of the given number of steps.
func (t *treeSearch) pathOf(steps int) *lookahead.Tree {
	fantasies := slices.Repeat([]int{1}, steps-1)
	return t.subtree(fantasies, lookahead.SobolSamples(fantasies, 0))
}

// subtree returns a smaller tree under the same belief.
func (t *treeSearch) subtree(fantasies []int, base lookahead.Samples) *lookahead.Tree {
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		panic(err) // smaller than a good shape
	}
	sub, err := lookahead.New(t.belief, shape, base, t.options)
	if err != nil {
		panic(err)
	}
	return sub
}
