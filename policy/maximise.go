package policy

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/eke-bo/eke/internal/lbfgsb"
)

// peak is where a local search ended.
type peak struct {
	x     []float64
	value float64
}

// found is the outcome of a maximisation: all peaks in the order of their starts, and the
// highest of them, the earliest among equals.
type found struct {
	peaks       []peak
	best        int
	searches    int
	evaluations int
}

func (f found) top() peak { return f.peaks[f.best] }

// add appends further peaks.
func (f *found) add(more found) {
	f.searches += more.searches
	f.evaluations += more.evaluations
	f.peaks = append(f.peaks, more.peaks...)
	f.best = best(f.values(), 1)[0]
}

func (f found) values() []float64 {
	values := make([]float64, len(f.peaks))
	for i, p := range f.peaks {
		values[i] = p.value
	}
	return values
}

// keep drops all but the highest peaks.
func (f *found) keep(count int) {
	var kept []peak
	for _, i := range best(f.values(), count) {
		kept = append(kept, f.peaks[i])
	}
	f.peaks, f.best = kept, 0
}

// points returns the peaks from the highest down.
func (f *found) points() [][]float64 {
	points := make([][]float64, 0, len(f.peaks))
	for _, i := range best(f.values(), len(f.peaks)) {
		points = append(points, f.peaks[i].x)
	}
	return points
}

// revalue gives the peaks the values of another function.
func (f *found) revalue(fn lbfgsb.Func) {
	for i := range f.peaks {
		f.peaks[i].value = fn(nil, f.peaks[i].x)
	}
	f.best = best(f.values(), 1)[0]
}

// limits of a local search. It has converged when an iteration gains no more than ftol of max(|f|, 1).
type limits struct {
	iterations, threads int
	ftol                float64
}

// Tolerances: in log form a ten-millionth of the value is gained by nobody; a plain value may be small, so
// for that form it is SciPy's default, which the reference uses.
const logTol, plainTol = 1e-7, 2.2e-9

// climber runs local searches in the unit cube, one after the other, for one goroutine.
type climber struct {
	function     lbfgsb.Func
	workspace    lbfgsb.Workspace
	settings     lbfgsb.Settings
	lower, upper []float64
}

// newClimber looks at the context before every evaluation, since with many data one takes long: what is not a number ends
// a line search at once.
func newClimber(ctx context.Context, f lbfgsb.Func, l limits) *climber {
	watched := func(grad, x []float64) float64 {
		if ctx.Err() != nil {
			return math.NaN()
		}
		return f(grad, x)
	}
	return &climber{function: watched, settings: lbfgsb.Settings{
		MaxIterations: l.iterations, Memory: searchMemory, FTol: l.ftol, GTol: 1e-6,
		Stop: func(int, float64) bool { return ctx.Err() != nil },
	}}
}

// climb improves x in place and returns its value and the number of evaluations.
func (c *climber) climb(x []float64) (value float64, evaluations int) {
	for len(c.lower) < len(x) {
		c.lower, c.upper = append(c.lower, 0), append(c.upper, 1)
	}
	r := c.workspace.Maximise(c.function, x, c.lower[:len(x)], c.upper[:len(x)], c.settings)
	if math.IsNaN(r.F) {
		return math.Inf(-1), r.Evaluations
	}
	return r.F, r.Evaluations
}

// maximise runs a local search from every start, each thread with a function of its own from newFunc.
func maximise(ctx context.Context, newFunc func() lbfgsb.Func, starts [][]float64, l limits) found {
	return fromEach(ctx, starts, l.threads, func() func(*peak) int {
		c := newClimber(ctx, newFunc(), l)
		return func(p *peak) (evaluations int) {
			p.value, evaluations = c.climb(p.x)
			return evaluations
		}
	})
}

// fromEach runs a search from every start, on several threads. A search improves a peak that
// begins at its start, and returns the number of its evaluations. It depends on its start alone, so the
// outcome does not depend on the threads. Starts that were not tried when the context ends are peaks of value −∞.
func fromEach(ctx context.Context, starts [][]float64, threads int, newSearch func() func(*peak) int) found {
	f := found{peaks: make([]peak, len(starts)), searches: len(starts)}
	for i, x := range starts {
		f.peaks[i] = peak{slices.Clone(x), math.Inf(-1)}
	}
	evaluations := make([]int, len(starts))
	parallel(ctx, len(starts), threads, func() func(i int) {
		search := newSearch()
		return func(i int) { evaluations[i] = search(&f.peaks[i]) }
	})
	for _, n := range evaluations {
		f.evaluations += n
	}
	if len(f.peaks) > 0 {
		f.best = best(f.values(), 1)[0]
	}
	return f
}

// searchMemory is the number of L-BFGS pairs. Six need hardly more evaluations than ten on trees, and the steps
// between evaluations, whose cost grows with its square, are a third of the time on small ones.
const searchMemory = 6

// parallel calls work(i) for every i < n on the given number of goroutines, each of
// which makes its own work with newWork. When the context ends, what has not begun is left out.
func parallel(ctx context.Context, n, threads int, newWork func() func(i int)) {
	var next atomic.Int64
	some := func() {
		var work func(int)
		for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
			if work == nil {
				work = newWork()
			}
			work(i)
		}
	}
	var wait sync.WaitGroup
	for range min(threads, n) - 1 {
		wait.Go(some)
	}
	some()
	wait.Wait()
}
