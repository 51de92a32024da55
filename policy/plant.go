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

// grown searches in rounds. The first pool holds the peaks of the one-step
// function and the best of many raw points; each later one adds the points of
// the best trees found so far, so that what one tree found for a node can serve another.
func (t *treeSearch) grown(ctx context.Context) found {
	pool := t.firstPool(ctx)
	starts := t.planted
	if t.tree.Shape().Depth() > 2 {
		nodes := t.prefix(ctx).Nodes
		starts = append(starts, t.below(nodes, pool))
		pool = append(split(nodes, t.dim), pool...)
	}
	starts = starts[:min(len(starts), t.starts)]
	var all found
	known := slices.Clone(starts) // where searches began and ended
	for round := range rounds {
		if round > 0 && ctx.Err() != nil {
			break
		}
		left := rounds - round
		share := (t.starts - len(all.peaks) + left - 1) / left
		fresh := t.growAll(ctx, distinct(pool, poolSize), round, share-len(starts), known)
		starts, known = append(starts, fresh...), append(known, fresh...)
		if len(starts) == 0 && round == 0 { // the context left no time to grow any
			starts = [][]float64{slices.Repeat(pool[0], t.tree.Shape().Nodes())}
		}
		if len(starts) == 0 {
			break
		}
		all.add(t.search(ctx, starts))
		starts = nil
		for _, p := range all.peaks {
			known = append(known, p.x)
		}
		pool = append(t.pointsOfBest(all), pool...)
	}
	return all
}

const (
	rounds   = 3   // of growing and searching
	poolSize = 128 // growing a tree costs this many scores a node
	elite    = 6   // trees whose points enter the next pool
	sameTree = 0.1 // two trees whose nodes are all nearer than this are likely to climb the same peak
	scouted  = 5   // trees grown for each that is searched from
	drawn    = 1   // paths drawn at random from each root, besides the greedy one
)

// firstPool returns the peaks of the one-step function, then the raw points from the best down.
func (t *treeSearch) firstPool(ctx context.Context) [][]float64 {
	one := func() lbfgsb.Func { return acq.Budgeted(t.belief).Log().Eval }
	raw := rawPoints(t.raw, t.dim, t.seed)
	values := evaluate(ctx, one, raw, t.policy.Threads)
	var starts [][]float64
	for _, i := range pickStarts(values, 10*t.dim, t.seed) {
		starts = append(starts, raw[i])
	}
	f := maximise(ctx, one, starts, limits{50, t.policy.Threads, logTol})
	t.evaluations += f.evaluations
	pool := make([][]float64, 0, len(raw)+len(starts))
	for _, i := range best(f.values(), len(f.peaks)) {
		pool = append(pool, f.peaks[i].x)
	}
	for _, i := range best(values, len(raw)) {
		pool = append(pool, raw[i])
	}
	return pool
}

// distinct returns the first points that are apart from each other, at most count.
func distinct(points [][]float64, count int) [][]float64 {
	var kept [][]float64
	for _, x := range points {
		if len(kept) == count {
			break
		}
		if farFrom(kept, x, 0.02) {
			kept = append(kept, x)
		}
	}
	return kept
}

// farFrom reports whether x is further than distance, in some coordinate, from each of the points.
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

// growAll grows, from the most promising roots of the pool, a greedy tree, and for paths some drawn ones, and
// returns the best of them, at most count, no two with the same root and none near those known.
func (t *treeSearch) growAll(ctx context.Context, points [][]float64, round, count int, known [][]float64) [][]float64 {
	pool := lookahead.NewPool(t.belief, slices.Concat(points...))
	roots, draws := t.scout(ctx, pool, scouted*count), 0
	if t.isPath() {
		draws = drawn
	}
	trees, values := make([][]float64, len(roots)), slices.Repeat([]float64{math.Inf(-1)}, len(roots))
	parallel(ctx, len(roots), t.policy.Threads, func() func(int) {
		g := pool.NewGrower(t.tree)
		return func(i int) {
			trees[i], values[i] = g.Grow(roots[i:i+1], nil)
			rng := rand.New(rand.NewPCG(t.seed, uint64(round*poolSize+roots[i])))
			for range draws {
				if x, v := g.Grow(roots[i:i+1], rng); v > values[i] {
					trees[i], values[i] = x, v
				}
			}
		}
	})
	var chosen [][]float64
	for _, i := range best(values, len(values)) {
		if len(chosen) < count && trees[i] != nil && farFrom(known, trees[i], sameTree) {
			chosen = append(chosen, trees[i])
		}
	}
	return chosen
}

func (t *treeSearch) isPath() bool { return t.tree.Shape().Nodes() == t.tree.Shape().Depth() }

// scout returns the roots that are worth a tree, at most count, from the best down. What a
// root is worth is told by a path grown from it, which is far cheaper than a tree.
func (t *treeSearch) scout(ctx context.Context, pool *lookahead.Pool, count int) []int {
	values := make([]float64, pool.Size())
	if t.isPath() {
		return best(values, len(values))
	}
	parallel(ctx, len(values), t.policy.Threads, func() func(int) {
		g := pool.NewGrower(t.along)
		return func(root int) { _, values[root] = g.Grow([]int{root}, nil) }
	})
	return best(values, count)
}

// below grows a tree whose first nodes are given.
func (t *treeSearch) below(nodes []float64, pool [][]float64) []float64 {
	first := split(nodes, t.dim)
	fixed := make([]int, len(first))
	for i := range fixed {
		fixed[i] = i
	}
	points := append(first, distinct(pool, poolSize)...)
	x, _ := lookahead.NewPool(t.belief, slices.Concat(points...)).NewGrower(t.tree).Grow(fixed, nil)
	return x
}

// pointsOfBest returns the points of the best trees found.
func (t *treeSearch) pointsOfBest(f found) (points [][]float64) {
	for _, i := range best(f.values(), elite) {
		points = append(points, split(f.peaks[i].x, t.dim)...)
	}
	return points
}

// split cuts a tree's coordinates into points.
func split(nodes []float64, dim int) [][]float64 {
	return slices.Collect(slices.Chunk(nodes, dim))
}

// best returns the indices of the highest values, at most count, from the best down.
func best(values []float64, count int) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return descending(values[a], values[b]) })
	return order[:max(0, min(count, len(order)))]
}

// prefix solves the tree's first two levels.
func (t *treeSearch) prefix(ctx context.Context) Solution {
	fantasies := t.tree.Shape().Fantasies()[:1]
	sub := t.subtree(fantasies, t.base[:1])
	search := *t
	search.tree, search.base, search.planted, search.taken, search.evaluations = sub, t.base[:1], nil, nil, 0
	search.along = t.pathOf(2)
	solution := search.run(ctx)
	t.evaluations += solution.Evaluations
	return solution
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

// pathOf returns the path of the given number of steps.
func (t *treeSearch) pathOf(steps int) *lookahead.Tree {
	fantasies := slices.Repeat([]int{1}, steps-1)
	return t.subtree(fantasies, lookahead.SobolSamples(fantasies, 0))
}

// blind searches from points spread over all nodes, as the reference does.
func (t *treeSearch) blind(ctx context.Context) found {
	points := rawPoints(t.raw, t.tree.Dim(), t.seed)
	points = append(points, t.atHighestMean(ctx))
	values := evaluate(ctx, func() lbfgsb.Func { return t.tree.NewWalk().LogValue }, points, t.policy.Threads)
	starts := [][]float64{points[len(points)-1]}
	for _, i := range pickStarts(values[:len(values)-1], t.starts-1, t.seed) {
		starts = append(starts, points[i])
	}
	return t.search(ctx, starts)
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
	values := evaluate(ctx, mean, raw, t.policy.Threads)
	var starts [][]float64
	for _, i := range best(values, 5*t.dim) {
		starts = append(starts, raw[i])
	}
	top := maximise(ctx, mean, starts, limits{100, t.policy.Threads, plainTol}).top()
	return slices.Repeat(top.x, t.tree.Shape().Nodes())
}
