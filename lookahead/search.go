package lookahead

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
)

// The search: all points of a tree are chosen at once, MATH.md §6.
//
// A tree has many variables: the coordinates of all its nodes. In a random tree, nearly all nodes are wasted. So the search
// prepares its starts, in three steps.
//
// The pool is a set of points that are good for one step, or cheap, or far from the others (rounds.go, firstPool).
//
// The rounds (rounds.go, grown) grow whole trees from the pool, a tree for each promising root, and search from the best of them.
// The points of the best trees enter the next round's pool, where other trees can use them. Searches are short at first; those
// that look best continue to the end. A few starts are fixed: the caller's, the tree's first two levels solved by themselves, and
// blind ones as in the reference. So the search does not depend on growing alone.
//
// The polish searches again from the best trees as the rounded corners of their value sharpen.
//
// All choices depend only on values, so no result depends on the number of threads.

// Settings say how to search. The zero value searches like the reference, with the paper's effort.
type Settings struct {
	// LogForm maximises ln Q, which has a gradient where Q vanishes, and polishes the best trees.
	LogForm bool

	// Grown starts from trees grown from a pool instead of blind ones.
	Grown bool

	// Planted are the caller's own starts, such as the last tree, advanced. Blind searches do not use
	// them.
	Planted [][]float64

	// RawPoints, Starts and Iterations are the effort. 0 means the paper's: 200d, 10d and 200, where d is the
	// dimension of a point.
	RawPoints, Starts, Iterations int

	// Threads is how many goroutines may work at once. It never changes the result.
	Threads int

	// Seed is the seed of all random choices.
	Seed uint64
}

// complete fills in the paper's effort.
func (s Settings) complete(dim int) Settings {
	s.RawPoints, s.Starts, s.Iterations = cmp.Or(max(s.RawPoints, 0), 200*dim), cmp.Or(max(s.Starts, 0), 10*dim), cmp.Or(max(s.Iterations, 0), 200)
	return s
}

// Solution is a maximised tree.
type Solution struct {
	// Trees are the trees where a search ended, each with the logarithm of its value.
	Trees []maximise.Peak

	// Best is the best of them: X has the points of all nodes, root first, and Value is ln Q_N.
	Best maximise.Peak

	// Starts is the number of trees that were searched from.
	Starts int

	// Searches is the number of local searches in all: from the starts, their continuations, and of smaller problems that help.
	// Evaluations is how often those searches evaluated what they maximised.
	Searches, Evaluations int

	// CutShort says that the context ended before the search did.
	CutShort bool
}

// Maximise finds good points for all nodes of a tree. When the context ends, it returns the best tree found so far.
func Maximise(ctx context.Context, tree *Tree, s Settings) Solution {
	dim := tree.belief.Objective.Dim()
	t := &search{tree: tree, dim: dim, Settings: s.complete(dim)}
	return t.run(ctx)
}

// search maximises one tree.
type search struct {
	Settings
	tree                  *Tree
	dim                   int         // of one point
	searches, evaluations int         // of smaller problems that help
	pool                  [][]float64 // the first pool, once it is made: the search of the first levels uses it too
	highestMean           []float64   // the maximiser of the posterior mean, likewise
}

func (t *search) run(ctx context.Context) Solution {
	var r maximise.Result
	if t.Grown {
		r = t.grown(ctx)
	} else {
		r = t.climbFrom(ctx, t.blindStarts(ctx, t.RawPoints, t.Starts), t.Iterations) // like the reference
	}
	s := Solution{Starts: len(r.Peaks)}
	if t.LogForm && ctx.Err() == nil { // polish the best trees
		r.Add(t.climb(ctx, maximise.Distinct(r.Points(), polished), t.Iterations, sharpening...))
	}
	s.Trees, s.Best, s.CutShort = r.Peaks, r.Top(), ctx.Err() != nil
	s.Searches, s.Evaluations = t.searches+r.Searches, t.evaluations+r.Evaluations
	return s
}

// blindStarts returns the tree at the maximiser of the posterior mean, and the best of raw trees, whose points are spread over all nodes.
func (t *search) blindStarts(ctx context.Context, raw, count int) [][]float64 {
	points := maximise.RawPoints(raw, t.tree.Dim(), t.Seed)
	values := maximise.Evaluate(ctx, func() maximise.Func { return t.tree.NewWalk().LogValue }, points, t.Threads)
	starts := [][]float64{t.atHighestMean(ctx)}
	return append(starts, maximise.Pick(points, maximise.PickStarts(values, count-1, t.Seed))...)
}

// atHighestMean returns a tree with all nodes at the maximiser of the posterior mean.
func (t *search) atHighestMean(ctx context.Context) []float64 {
	if t.highestMean == nil {
		mean := func() maximise.Func { return meanOf(t.tree.belief.Objective, 1) }
		raw := maximise.RawPoints(50*t.dim, t.dim, t.Seed)
		values := maximise.Evaluate(ctx, mean, raw, t.Threads)
		starts := maximise.Pick(raw, maximise.Highest(values, 5*t.dim))
		limits := maximise.Limits{Iterations: 100, Threads: t.Threads, Tolerance: maximise.PlainTolerance}
		t.highestMean = t.helper(maximise.From(ctx, mean, starts, limits)).Top().X
	}
	return slices.Repeat(t.highestMean, t.tree.shape.Nodes())
}

// meanOf is the posterior mean of a model, standardised, times a sign.
func meanOf(m *gp.Model, sign float64) maximise.Func {
	b := m.NewBatch(1, nil)
	b.MeanBar[0] = sign
	return func(grad, x []float64) float64 {
		b.Forward(x, grad != nil)
		if grad != nil {
			clear(grad)
			b.Pull(grad)
		}
		return sign * b.Mean[0]
	}
}

// helper counts the effort of a search of a smaller problem.
func (t *search) helper(r maximise.Result) maximise.Result {
	t.searches += r.Searches
	t.evaluations += r.Evaluations
	return r
}

// climbFrom runs a local search of the tree from every start. The peaks' values are logarithms, whichever form was
// maximised.
func (t *search) climbFrom(ctx context.Context, starts [][]float64, iterations int) maximise.Result {
	if t.LogForm {
		return t.climb(ctx, starts, iterations, searchSmoothing)
	}
	r := maximise.From(ctx, func() maximise.Func { return t.tree.NewWalk().Value }, starts,
		maximise.Limits{Iterations: iterations, Threads: t.Threads, Tolerance: maximise.PlainTolerance})
	r.Revalue(t.tree.NewWalk().LogValue)
	return r
}

// The value of a tree often has its ridge on a corner, where a fantasy is just about to
// become the incumbent. The searches use rounded corners (Walk.Smoothing). The best few
// trees are then searched again as the corners sharpen.
const (
	searchSmoothing = 0.01
	polished        = 4 // trees that are searched again
)

// sharpening lists the widths of the corners in those further searches.
var sharpening = []float64{0.01, 0.001, 0}

// climb maximises ln Q with rounded corners, once for each width, each time from where the last search ended. The
// peaks have their exact values. A peak that is worth less than its start is moved back to the start.
func (t *search) climb(ctx context.Context, starts [][]float64, iterations int, widths ...float64) maximise.Result {
	r := maximise.FromEach(ctx, starts, t.Threads, func() func(int, *maximise.Peak) int {
		walk := t.tree.NewWalk()
		c := maximise.NewClimber(ctx, walk.LogValue, maximise.Limits{Iterations: iterations, Tolerance: maximise.LogTolerance})
		return func(_ int, p *maximise.Peak) (evaluations int) {
			start := slices.Clone(p.X)
			for _, walk.Smoothing = range widths {
				v, n := c.Climb(p.X)
				evaluations += n
				if !math.IsInf(v, -1) { // −∞: the context ended before this width
					p.Value = v
				}
			}
			walk.Smoothing = 0
			if ctx.Err() != nil {
				return evaluations // no time for exactness
			}
			p.Value = walk.LogValue(nil, p.X)
			if v := walk.LogValue(nil, start); !(p.Value >= v) {
				*p = maximise.Peak{X: start, Value: v}
			}
			return evaluations
		}
	})
	r.Searches *= len(widths)
	return r
}
