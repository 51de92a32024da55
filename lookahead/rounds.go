package lookahead

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/parallel"
)

const (
	rounds   = 3   // of growing and searching
	elite    = 6   // trees whose points enter the next pool
	sameTree = 0.1 // two trees whose nodes are all nearer than this are likely to climb the same peak
	scouted  = 5   // trees grown for each that is searched from
	goOnMost = 16  // at most this many searches continue
)

// trialIterations is the number of iterations after which only the better searches continue.
const trialIterations = 30

// grown searches from grown trees.
func (t *search) grown(ctx context.Context) maximise.Result {
	pool := slices.Clone(t.firstPool(ctx))
	starts, pool := t.fixedStarts(ctx, pool)
	known := slices.Clone(starts) // where searches began and ended
	var all maximise.Result
	for round := range rounds {
		left := rounds - round
		share := (t.Starts - len(all.Peaks) + left - 1) / left
		fresh := t.growAll(ctx, maximise.Distinct(pool, poolSize), round, share-len(starts), known)
		starts, known = append(starts, fresh...), append(known, fresh...)
		if len(starts) == 0 && round == 0 { // no time was left to grow any
			starts = [][]float64{slices.Repeat(pool[0], t.tree.shape.Nodes())}
		}
		if len(starts) == 0 || (round > 0 && ctx.Err() != nil) {
			break
		}
		ends := t.climbFrom(ctx, starts, min(trialIterations, t.Iterations))
		known = append(known, ends.Points()...)
		all.Add(ends)
		starts = nil
		pool = append(t.pointsOfBest(all), pool...)
	}
	t.goOn(ctx, &all)
	return all
}

// poolSize bounds the pool that trees are grown from: growing costs this many scores per node.
const poolSize = 128

// firstPool returns candidate points for all nodes: the peaks of the one-step function and the best of the raw points by its value. A quarter
// is spread over the cube, and a quarter is cheap, whatever these points promise for one step. The best root of a tree may be a cheap
// evaluation whose only worth is its information.
func (t *search) firstPool(ctx context.Context) [][]float64 {
	if t.pool != nil {
		return t.pool
	}
	oneStep := func() maximise.Func { return acq.Budgeted(t.tree.belief).Log().Eval }
	raw := maximise.RawPoints(t.RawPoints, t.dim, t.Seed)
	values := maximise.Evaluate(ctx, oneStep, raw, t.Threads)
	starts := maximise.Pick(raw, maximise.PickStarts(values, 10*t.dim, t.Seed))
	peaks := t.helper(maximise.From(ctx, oneStep, starts, maximise.Limits{Iterations: 50, Threads: t.Threads, Tolerance: maximise.LogTolerance}))
	pool := append(peaks.Points(), maximise.Pick(raw, maximise.Highest(values, len(raw)))...)
	cheapness := maximise.Evaluate(ctx, func() maximise.Func { return meanOf(t.tree.belief.LnCost, -1) }, raw, t.Threads)
	t.pool = maximise.Distinct(slices.Concat(
		maximise.Distinct(pool, poolSize/2), raw[:min(poolSize/4, len(raw))],
		maximise.Pick(raw, maximise.Highest(cheapness, poolSize/4)), pool), poolSize)
	return t.pool
}

// fixedStarts returns the starts that are not grown from the pool, and the pool with the points that they add. One
// start is the tree's first two levels solved by themselves, with the rest grown below: a deeper plan contains the
// shallower one, so its value cannot be lower.
func (t *search) fixedStarts(ctx context.Context, pool [][]float64) (starts, larger [][]float64) {
	few := t.Starts <= 4 // too few to spend any on blind trees
	if !few {
		t.atHighestMean(ctx)
	}
	if t.tree.shape.Depth() > 2 && ctx.Err() == nil {
		nodes := t.solvePrefix(ctx)
		starts = append(starts, t.growBelow(nodes, pool))
		pool = append(split(nodes, t.dim), pool...)
	}
	starts = append(starts, t.Planted...)
	if !few && ctx.Err() == nil {
		starts = append(starts, t.blindStarts(ctx, t.RawPoints/2, 1+t.Starts/10)...)
	}
	return starts[:min(len(starts), t.Starts)], pool
}

// solvePrefix maximises the tree's first two levels.
func (t *search) solvePrefix(ctx context.Context) []float64 {
	prefix := *t
	prefix.tree = t.tree.Prefix(2)
	prefix.Planted, prefix.searches, prefix.evaluations = nil, 0, 0
	s := prefix.run(ctx)
	t.searches += s.Searches
	t.evaluations += s.Evaluations
	return s.Best.X
}

// growBelow grows a tree whose first nodes are given.
func (t *search) growBelow(nodes []float64, pool [][]float64) []float64 {
	first := split(nodes, t.dim)
	points := slices.Concat(first, maximise.Distinct(pool, poolSize))
	x, _ := NewPool(t.tree.belief, slices.Concat(points...)).NewGrower(t.tree).Grow(maximise.Indices(first), nil)
	return x
}

// growAll grows a greedy tree from each of the most promising roots of the pool and, for paths, a drawn one from the best
// of those roots. It returns the best trees, at most count. No two have the same root, and none is near a known one.
func (t *search) growAll(ctx context.Context, points [][]float64, round, count int, known [][]float64) [][]float64 {
	if count <= 0 || ctx.Err() != nil {
		return nil
	}
	pool := NewPool(t.tree.belief, slices.Concat(points...))
	roots := t.scout(ctx, pool, scouted*count)
	trees, values := make([][]float64, len(roots)), slices.Repeat([]float64{math.Inf(-1)}, len(roots))
	grow := func(which []int, draw bool) {
		parallel.For(ctx, len(which), t.Threads, func() func(int) {
			g := pool.NewGrower(t.tree)
			return func(k int) {
				i := which[k]
				var rng *rand.Rand
				if draw {
					rng = rand.New(rand.NewPCG(t.Seed, uint64(round*poolSize+roots[i])))
				}
				if x, v := g.Grow(roots[i:i+1], rng); trees[i] == nil || v > values[i] {
					trees[i], values[i] = x, v
				}
			}
		})
	}
	grow(maximise.Highest(values, len(values)), false)
	if t.tree.IsPath() {
		grow(maximise.Highest(values, len(values)/4), true)
	}
	var chosen [][]float64
	for _, i := range maximise.Highest(values, len(values)) {
		if len(chosen) < count && trees[i] != nil && maximise.FarFrom(known, trees[i], sameTree) {
			chosen = append(chosen, trees[i])
		}
	}
	return chosen
}

// scout returns the roots that are worth a tree: all of them for paths and two-level trees, else at most count. Trees are
// expensive to grow, so two smaller trees show what a root is worth: the path of as many steps, and the tree's first two
// levels.
func (t *search) scout(ctx context.Context, pool *Pool, count int) []int {
	all := maximise.Highest(make([]float64, pool.Size()), pool.Size())
	if t.tree.IsPath() || t.tree.shape.Depth() == 2 || count >= pool.Size() {
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
func (t *search) scoutAlong(ctx context.Context, pool *Pool, small *Tree) []int {
	values := slices.Repeat([]float64{math.Inf(-1)}, pool.Size())
	parallel.For(ctx, len(values), t.Threads, func() func(int) {
		g := pool.NewGrower(small)
		return func(root int) { _, values[root] = g.Grow([]int{root}, nil) }
	})
	return maximise.Highest(values, len(values))
}

// pointsOfBest returns the points of the best trees found.
func (t *search) pointsOfBest(r maximise.Result) (points [][]float64) {
	for _, x := range r.Points()[:min(elite, len(r.Peaks))] {
		points = append(points, split(x, t.dim)...)
	}
	return points
}

// goOn continues the best half of the searches, but no more than goOnMost, and only the best of those that have
// come together. The others stay where they are.
func (t *search) goOn(ctx context.Context, r *maximise.Result) {
	if t.Iterations <= trialIterations || ctx.Err() != nil {
		return
	}
	further := t.climbFrom(ctx, maximise.Distinct(r.Points(), min((len(r.Peaks)+1)/2, goOnMost)), t.Iterations-trialIterations)
	further.Searches = 0 // the same ones
	starts := len(r.Peaks)
	r.Add(further)
	r.Keep(starts)
}

// split cuts a tree's coordinates into points.
func split(nodes []float64, dim int) [][]float64 {
	return slices.Collect(slices.Chunk(nodes, dim))
}
