package policy

import (
	"context"
	"math"
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

// maximise runs a local search from every start, on several threads, each with a
// function of its own from newFunc. A search depends on its start alone, so the outcome
// does not depend on the threads. The context is looked at once an iteration; starts that were not
// tried when it ends are peaks of value −∞.
func maximise(ctx context.Context, newFunc func() lbfgsb.Func, starts [][]float64, l limits) found {
	f := found{peaks: make([]peak, len(starts)), searches: len(starts)}
	for i, x := range starts {
		f.peaks[i] = peak{append([]float64(nil), x...), math.Inf(-1)}
	}
	settings := lbfgsb.Settings{
		MaxIterations: l.iterations, Memory: searchMemory, FTol: l.ftol, GTol: 1e-6,
		Stop: func(int, float64) bool { return ctx.Err() != nil },
	}
	var evaluations atomic.Int64
	parallel(ctx, len(starts), l.threads, func() func(i int) {
		fn := newFunc()
		var w lbfgsb.Workspace
		var lower, upper []float64
		return func(i int) {
			x := f.peaks[i].x
			for len(lower) < len(x) {
				lower, upper = append(lower, 0), append(upper, 1)
			}
			r := w.Maximise(fn, x, lower[:len(x)], upper[:len(x)], settings)
			evaluations.Add(int64(r.Evaluations))
			f.peaks[i].value = r.F
		}
	})
	f.evaluations = int(evaluations.Load())
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
