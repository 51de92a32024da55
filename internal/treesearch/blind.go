package treesearch

import (
	"context"
	"slices"

	"github.com/eke-bo/eke/internal/maximise"
)

// blind searches like the reference: from points spread over all nodes, and from one tree at the
// maximiser of the posterior mean.
func (t *search) blind(ctx context.Context) maximise.Result {
	return t.climbFrom(ctx, t.blindStarts(ctx, t.RawPoints, t.Starts), t.Iterations)
}

// blindStarts returns the tree at the maximiser of the posterior mean, and the best of raw trees.
func (t *search) blindStarts(ctx context.Context, raw, count int) [][]float64 {
	points := maximise.RawPoints(raw, t.tree.Dim(), t.Seed)
	values := maximise.Evaluate(ctx, func() maximise.Func { return t.tree.NewWalk().LogValue }, points, t.Threads)
	starts := [][]float64{t.atHighestMean(ctx)}
	return append(starts, maximise.Pick(points, maximise.PickStarts(values, count-1, t.Seed))...)
}

// atHighestMean returns a tree with all nodes at the maximiser of the posterior mean.
func (t *search) atHighestMean(ctx context.Context) []float64 {
	if t.highestMean == nil {
		t.highestMean = t.maximiseMean(ctx)
	}
	return slices.Repeat(t.highestMean, t.tree.Shape().Nodes())
}

func (t *search) maximiseMean(ctx context.Context) []float64 {
	mean := func() maximise.Func {
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
	raw := maximise.RawPoints(50*t.dim, t.dim, t.Seed)
	values := maximise.Evaluate(ctx, mean, raw, t.Threads)
	starts := maximise.Pick(raw, maximise.Highest(values, 5*t.dim))
	limits := maximise.Limits{Iterations: 100, Threads: t.Threads, Tolerance: maximise.PlainTolerance}
	return t.helper(maximise.From(ctx, mean, starts, limits)).Top().X
}
