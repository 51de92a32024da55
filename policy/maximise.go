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
	evaluations int
}

func (f found) top() peak { return f.peaks[f.best] }

// add appends further peaks.
func (f *found) add(more found) {
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

// logged turns values into their logarithms.
func (f found) logged() found {
	for i := range f.peaks {
		f.peaks[i].value = math.Log(f.peaks[i].value)
	}
	return f
}

// maximise runs a local search from every start, on several threads, each with a
// function of its own from newFunc. A search depends on its start alone, so the outcome
// does not depend on the threads. The context is looked at once an iteration.
func maximise(ctx context.Context, newFunc func() lbfgsb.Func, starts [][]float64, iterations, threads int) found {
	f := found{peaks: make([]peak, len(starts))}
	settings := lbfgsb.Settings{
		MaxIterations: iterations, FTol: searchFTol, GTol: searchGTol,
		Stop: func(int, float64) bool { return ctx.Err() != nil },
	}
	var evaluations atomic.Int64
	parallel(len(starts), threads, func() func(i int) {
		fn := newFunc()
		var w lbfgsb.Workspace
		var lower, upper []float64
		return func(i int) {
			x := append([]float64(nil), starts[i]...)
			for len(lower) < len(x) {
				lower, upper = append(lower, 0), append(upper, 1)
			}
			r := w.Maximise(fn, x, lower[:len(x)], upper[:len(x)], settings)
			evaluations.Add(int64(r.Evaluations))
			f.peaks[i] = peak{x, r.F}
		}
	})
	f.evaluations = int(evaluations.Load())
	if len(f.peaks) > 0 {
		f.best = best(f.values(), 1)[0]
	}
	return f
}

// When a search has converged: the gain of an iteration relative to max(|f|, 1), and the
// gradient. In log form 1e-9 is a billionth of the value.
const searchFTol, searchGTol = 1e-9, 1e-6

// parallel calls work(i) for every i < n on the given number of goroutines, each of
// which makes its own work with newWork.
func parallel(n, threads int, newWork func() func(i int)) {
	threads = min(threads, n)
	if threads <= 1 {
		if n == 0 {
			return
		}
		work := newWork()
		for i := range n {
			work(i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range threads {
		wait.Go(func() {
			work := newWork()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	wait.Wait()
}
