package policy

import (
	"context"
	"slices"

	"github.com/eke-bo/eke/internal/lbfgsb"
)

// blind searches as the reference does: from points spread over all nodes, and from
// one tree at the maximiser of the posterior mean.
func (t *treeSearch) blind(ctx context.Context) found {
	return t.search(ctx, t.blindStarts(ctx, t.raw, t.starts), t.iterations)
}

// blindStarts returns the tree at the maximiser of the posterior mean, and the best of raw trees.
func (t *treeSearch) blindStarts(ctx context.Context, raw, count int) [][]float64 {
	points := rawPoints(raw, t.tree.Dim(), t.seed)
	values := evaluate(ctx, func() lbfgsb.Func { return t.tree.NewWalk().LogValue }, points, t.policy.Threads)
	starts := [][]float64{t.atHighestMean(ctx)}
	for _, i := range pickStarts(values, count-1, t.seed) {
		starts = append(starts, points[i])
	}
	return starts
}

// atHighestMean returns a tree all of whose nodes are the maximiser of the posterior mean.
func (t *treeSearch) atHighestMean(ctx context.Context) []float64 {
	if t.highestMean == nil {
		t.highestMean = t.maximiseMean(ctx)
	}
	return slices.Repeat(t.highestMean, t.tree.Shape().Nodes())
}

func (t *treeSearch) maximiseMean(ctx context.Context) []float64 {
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
	starts := pick(raw, best(values, 5*t.dim))
	return t.helper(maximise(ctx, mean, starts, limits{100, t.policy.Threads, plainTol})).top().x
}
