package policy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/lookahead"
)

// Where to start maximising a tree.
//
// Whole trees are grown from a pool of points, a tree per root, and the best of them are searched
// from, in rounds: each round's pool takes in the points of the best trees so far, so that
// what one tree found for a node can serve another. One start holds the tree's first two levels solved by
// themselves, with the rest grown below: a deeper plan contains the shallower one, so its value
// can then not be lower. Rounds search for a few iterations only; those searches that then look best go on to the
// end. Who goes on depends on values alone, so the outcome does not depend on the threads. A few starts are the reference's blind ones, so that where growing is misled
// the search is not worse than the reference's.

const (
	rounds   = 3   // of growing and searching
	elite    = 6   // trees whose points enter the next pool
	sameTree = 0.1 // two trees whose nodes are all nearer than this are likely to climb the same peak
	scouted  = 5   // trees grown for each that is searched from
	goOnMost = 16  // searches that go on at the most
)

// trialIterations is the number of iterations after which only the better searches go on.
const trialIterations = 30

// grown searches from grown trees.
func (t *treeSearch) grown(ctx context.Context) found {
	pool := slices.Clone(t.firstPool(ctx))
	var starts [][]float64
	few := t.starts <= 4 // too few to spend any on blind trees
	if !few {
		t.atHighestMean(ctx)
	}
	if t.tree.Shape().Depth() > 2 && ctx.Err() == nil {
		nodes := t.prefix(ctx)
		starts = append(starts, t.below(nodes, pool))
		pool = append(split(nodes, t.dim), pool...)
	}
	starts = append(starts, t.planted...)
	if !few && ctx.Err() == nil {
		starts = append(starts, t.blindStarts(ctx, t.raw/2, 1+t.starts/10)...)
	}
	starts = starts[:min(len(starts), t.starts)]
	known := slices.Clone(starts) // where searches began and ended
	var all found
	for round := range rounds {
		left := rounds - round
		share := (t.starts - len(all.peaks) + left - 1) / left
		fresh := t.growAll(ctx, distinct(pool, poolSize), round, share-len(starts), known)
		starts, known = append(starts, fresh...), append(known, fresh...)
		if len(starts) == 0 && round == 0 { // no time was left to grow any
			starts = [][]float64{slices.Repeat(pool[0], t.tree.Shape().Nodes())}
		}
		if len(starts) == 0 || (round > 0 && ctx.Err() != nil) {
			break
		}
		ends := t.search(ctx, starts, min(trialIterations, t.iterations))
		known = append(known, ends.points()...)
		all.add(ends)
		starts = nil
		pool = append(t.pointsOfBest(all), pool...)
	}
	t.goOn(ctx, &all)
	return all
}

// goOn continues the best searches, as many as half of all but no more than goOnMost, and of those that have come
// together only the best. The others stay where they are.
func (t *treeSearch) goOn(ctx context.Context, f *found) {
	if t.iterations <= trialIterations || ctx.Err() != nil {
		return
	}
	further := t.search(ctx, distinct(f.points(), min((len(f.peaks)+1)/2, goOnMost)), t.iterations-trialIterations)
	further.searches = 0 // the same ones
	starts := len(f.peaks)
	f.add(further)
	f.keep(starts)
}

// growAll grows a greedy tree from each of the most promising roots of the pool, and for paths, from the best
// of those, a drawn one; it returns the best trees, at most count, no two with the same root and none near those known.
func (t *treeSearch) growAll(ctx context.Context, points [][]float64, round, count int, known [][]float64) [][]float64 {
	if count <= 0 || ctx.Err() != nil {
		return nil
	}
	pool := lookahead.NewPool(t.belief, slices.Concat(points...))
	roots := t.scout(ctx, pool, scouted*count)
	trees, values := make([][]float64, len(roots)), slices.Repeat([]float64{math.Inf(-1)}, len(roots))
	grow := func(which []int, draw bool) {
		parallel(ctx, len(which), t.policy.Threads, func() func(int) {
			g := pool.NewGrower(t.tree)
			return func(k int) {
				i := which[k]
				var rng *rand.Rand
				if draw {
					rng = rand.New(rand.NewPCG(t.seed, uint64(round*poolSize+roots[i])))
				}
				if x, v := g.Grow(roots[i:i+1], rng); trees[i] == nil || v > values[i] {
					trees[i], values[i] = x, v
				}
			}
		})
	}
	grow(best(values, len(values)), false)
	if t.isPath() {
		grow(best(values, len(values)/4), true)
	}
	var chosen [][]float64
	for _, i := range best(values, len(values)) {
		if len(chosen) < count && trees[i] != nil && farFrom(known, trees[i], sameTree) {
			chosen = append(chosen, trees[i])
		}
	}
	return chosen
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

// prefix solves the tree's first two levels.
func (t *treeSearch) prefix(ctx context.Context) []float64 {
	search := *t
	search.tree, search.base = t.firstLevels(), t.base[:1]
	search.planted, search.state, search.searches, search.evaluations = nil, nil, 0, 0
	s, _ := search.run(ctx) // any point will do, so there is one
	t.searches += s.Searches
	t.evaluations += s.Evaluations
	return s.Nodes
}
