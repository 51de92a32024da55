package treesearch

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/maximise"
)

// The value of a tree often has its ridge on a corner, where a fantasy is just about to
// become the incumbent. The searches use rounded corners (lookahead.Walk.Smoothing). The best few
// trees are then searched again as the corners sharpen.
const (
	searchSmoothing = 0.01
	polished        = 4 // trees that are searched again
)

// sharpening lists the widths of the corners in those further searches.
var sharpening = []float64{0.01, 0.001, 0}

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

// polish searches from the best trees as the corners sharpen, and adds the trees that it reaches.
func (t *search) polish(ctx context.Context, r *maximise.Result) {
	if ctx.Err() == nil {
		r.Add(t.climb(ctx, maximise.Distinct(r.Points(), polished), t.Iterations, sharpening...))
	}
}
