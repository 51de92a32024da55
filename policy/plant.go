package policy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/lbfgsb"
	"github.com/eke-bo/eke/lookahead"
)

// Where to start maximising a tree.
//
// The default grows whole trees from a pool of points that are good for one
// step, a tree per root, and searches from the best of them. It also solves the first two
// levels by themselves and grows the rest below: a deeper plan contains the
// shallower one, so its value can then not be lower. The paper preset spreads points
// blindly over all nodes, as the reference does, and plants one tree at the maximiser of the
// posterior mean.

// grownStarts returns starts for the tree, the most promising first.
func (t *treeSearch) grownStarts(ctx context.Context) [][]float64 {
	points, peaks := t.poolPoints(ctx)
	var prefix []float64
	if t.tree.Shape().Depth() > 2 {
		prefix = t.prefix(ctx).Nodes
	}
	pool := lookahead.NewPool(t.belief, slices.Concat(prefix, points))
	offset := len(prefix) / t.dim
	starts := append([][]float64(nil), t.planted...)
	if offset > 0 {
		fixed := make([]int, offset)
		for i := range fixed {
			fixed[i] = i
		}
		x, _ := pool.NewGrower(t.tree).Grow(fixed, nil)
		starts = append(starts, x)
	}
	starts = starts[:min(len(starts), t.starts)]
	grown, values := t.growAll(pool, offset, peaks)
	for _, i := range pickGrown(grown, values, t.starts-len(starts), t.dim) {
		starts = append(starts, grown[i])
	}
	return starts
}

// poolPoints returns the pool, the peaks of the one-step function first, and how many
// peaks there are. The rest are the best of the raw points, by what they are
// worth alone, and by improvement whatever it costs.
func (t *treeSearch) poolPoints(ctx context.Context) (points []float64, peaks int) {
	one := func() lbfgsb.Func { return acq.Budgeted(t.belief).Log().Eval }
	raw := rawPoints(100*t.dim, t.dim, t.seed)
	values := evaluate(one, raw, t.policy.Threads)
	var starts [][]float64
	for _, i := range pickStarts(values, 5*t.dim, t.seed) {
		starts = append(starts, raw[i])
	}
	found := maximise(ctx, one, starts, 50, t.policy.Threads)
	t.evaluations += found.evaluations
	slices.SortStableFunc(found.peaks, func(a, b peak) int { return descending(a.value, b.value) })
	kept := make([][]float64, 0, poolSize)
	for _, p := range found.peaks {
		if farFrom(kept, p.x, 0.02) {
			kept = append(kept, p.x)
		}
	}
	peaks = len(kept)
	for _, i := range pickStarts(values, len(values), t.seed) {
		if len(kept) == poolSize {
			break
		}
		if farFrom(kept, raw[i], 0.05) {
			kept = append(kept, raw[i])
		}
	}
	return slices.Concat(kept...), peaks
}

// poolSize bounds the pool: growing a tree costs this many scores a node.
const poolSize = 64

// farFrom reports whether x is further than distance, in the largest coordinate, from all of the points.
func farFrom(points [][]float64, x []float64, distance float64) bool {
	for _, p := range points {
		far := false
		for j := range x {
			far = far || math.Abs(p[j]-x[j]) > distance
		}
		if !far {
			return false
		}
	}
	return true
}

// growAll grows, from every root of the pool, a greedy tree and a drawn one.
func (t *treeSearch) growAll(pool *lookahead.Pool, offset, peaks int) (trees [][]float64, values []float64) {
	n := pool.Size() - offset
	trees, values = make([][]float64, 2*n), make([]float64, 2*n)
	parallel(2*n, t.policy.Threads, func() func(int) {
		g := pool.NewGrower(t.tree)
		return func(i int) {
			var rng *rand.Rand
			if i >= n {
				rng = rand.New(rand.NewPCG(t.seed, uint64(i)))
			}
			trees[i], values[i] = g.Grow([]int{offset + i%n}, rng)
		}
	})
	return trees, values
}

// pickGrown takes the best trees.
func pickGrown(trees [][]float64, values []float64, count, dim int) []int {
	order := make([]int, len(trees))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return descending(values[a], values[b]) })
	return order[:max(0, min(count, len(order)))]
}

// prefix solves the tree's first two levels.
func (t *treeSearch) prefix(ctx context.Context) Solution {
	shape, err := lookahead.NewShape(t.tree.Shape().Fantasies()[:1])
	if err != nil {
		panic(err) // a prefix of a good shape is one
	}
	sub, err := lookahead.New(t.belief, shape, t.base[:1], t.options)
	if err != nil {
		panic(err)
	}
	search := *t
	search.tree, search.base, search.planted, search.evaluations = sub, t.base[:1], nil, 0
	solution := search.run(ctx)
	t.evaluations += solution.Evaluations
	return solution
}

// blindStarts spreads points over all nodes, as the reference does.
func (t *treeSearch) blindStarts(ctx context.Context) [][]float64 {
	points := rawPoints(t.raw, t.tree.Dim(), t.seed)
	points = append(points, t.atHighestMean(ctx))
	values := evaluate(func() lbfgsb.Func { return t.tree.NewWalk().LogValue }, points, t.policy.Threads)
	starts := [][]float64{points[len(points)-1]}
	for _, i := range pickStarts(values[:len(values)-1], t.starts-1, t.seed) {
		starts = append(starts, points[i])
	}
	return starts
}

// atHighestMean returns a tree all of whose nodes are the maximiser of the posterior mean.
func (t *treeSearch) atHighestMean(ctx context.Context) []float64 {
	mean := func() lbfgsb.Func {
		b := t.belief.Objective.NewBatch(1, nil)
		return func(grad, x []float64) float64 {
			b.Forward(x, grad != nil)
			if grad != nil {
				clear(grad)
				b.MeanBar[0] = 1
				b.Pull(grad)
			}
			return b.Mean[0]
		}
	}
	raw := rawPoints(50*t.dim, t.dim, t.seed)
	values := evaluate(mean, raw, t.policy.Threads)
	order := pickGrown(raw, values, 5*t.dim, t.dim)
	starts := make([][]float64, len(order))
	for i, k := range order {
		starts[i] = raw[k]
	}
	top := maximise(ctx, mean, starts, 100, t.policy.Threads).top()
	return slices.Repeat(top.x, t.tree.Shape().Nodes())
}
