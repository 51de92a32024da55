package maximise

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/lbfgsb"
	"github.com/eke-bo/eke/internal/parallel"
)

// Func returns its value at x and, when grad is not nil, writes its gradient there.
type Func = lbfgsb.Func

// Limits bound a local search. It has converged when an iteration gains no more than Tolerance of max(|f|, 1).
type Limits struct {
	Iterations, Threads int
	Tolerance           float64
}

// The tolerances in use. On a logarithm, a gain of a ten-millionth of the value is worth nothing. A plain value may be
// small, so its tolerance is SciPy's default, which the reference uses.
const LogTolerance, PlainTolerance = 1e-7, 2.2e-9

// memory is the number of L-BFGS pairs. On trees, six need hardly more evaluations than ten. The steps
// between evaluations take a third of the time on small trees, and their cost grows with the square of
// the number.
const memory = 6

// From runs a local search from every start. Each thread evaluates its own function, made with newFunc.
func From(ctx context.Context, newFunc func() Func, starts [][]float64, l Limits) Result {
	return FromEach(ctx, starts, l.Threads, func() func(int, *Peak) int {
		c := NewClimber(ctx, newFunc(), l)
		return func(_ int, p *Peak) (evaluations int) {
			p.Value, evaluations = c.Climb(p.X)
			return evaluations
		}
	})
}

// FromEach runs the caller's search from every start, on several threads. A search gets the number of its start, improves a peak that
// begins there, and returns the number of its evaluations. It must depend only on its start, so that the result does
// not depend on the threads. Starts that were not tried when the context ended are peaks with the value −∞.
func FromEach(ctx context.Context, starts [][]float64, threads int, newSearch func() func(int, *Peak) int) Result {
	r := Result{Peaks: make([]Peak, len(starts)), Searches: len(starts)}
	for i, x := range starts {
		r.Peaks[i] = Peak{slices.Clone(x), math.Inf(-1)}
	}
	evaluations := make([]int, len(starts))
	parallel.For(ctx, len(starts), threads, func() func(i int) {
		search := newSearch()
		return func(i int) { evaluations[i] = search(i, &r.Peaks[i]) }
	})
	for _, n := range evaluations {
		r.Evaluations += n
	}
	return r
}

// Climber runs local searches in the unit cube, one after the other, for one goroutine.
type Climber struct {
	function     Func
	workspace    lbfgsb.Workspace
	settings     lbfgsb.Settings
	lower, upper []float64
}

// NewClimber returns a climber on f. It checks the context before every evaluation, since one takes long with many
// data: a value that is not a number ends a line search at once.
func NewClimber(ctx context.Context, f Func, l Limits) *Climber {
	watched := func(grad, x []float64) float64 {
		if ctx.Err() != nil {
			return math.NaN()
		}
		return f(grad, x)
	}
	return &Climber{function: watched, settings: lbfgsb.Settings{
		MaxIterations: l.Iterations, Memory: memory, FTol: l.Tolerance, GTol: 1e-6,
		Stop: func(int, float64) bool { return ctx.Err() != nil },
	}}
}

// Climb improves x in place and returns its value and the number of evaluations. The value is −∞ when the context
// ended before there was one.
func (c *Climber) Climb(x []float64) (value float64, evaluations int) {
	for len(c.lower) < len(x) {
		c.lower, c.upper = append(c.lower, 0), append(c.upper, 1)
	}
	r := c.workspace.Maximise(c.function, x, c.lower[:len(x)], c.upper[:len(x)], c.settings)
	if math.IsNaN(r.F) {
		return math.Inf(-1), r.Evaluations
	}
	return r.F, r.Evaluations
}
