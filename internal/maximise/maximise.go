// Package maximise finds maxima in the unit cube by local searches from many starts.
//
// There are three usual steps. Spread raw points over the cube (RawPoints) and evaluate them (Evaluate). Choose
// promising points as starts (PickStarts). Run a local search from each (From) and take the best end point
// (Result.Top).
//
// No result depends on the number of threads. When the context ends, a maximisation returns what it has found so far.
package maximise

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/internal/lbfgsb"
	"github.com/eke-bo/eke/internal/parallel"
	"github.com/eke-bo/eke/internal/sobol"
)

// Func returns its value at x and, when grad is not nil, writes its gradient there.
type Func = lbfgsb.Func

// Peak is a point where a local search ended.
type Peak struct {
	X     []float64
	Value float64
}

// Result is the outcome of a maximisation.
type Result struct {
	Peaks       []Peak // one for each start, in the order of the starts
	Searches    int    // how many local searches were run
	Evaluations int    // how often they evaluated the function
}

// Top returns the highest peak, and the earliest among equals.
func (r Result) Top() Peak { return r.Peaks[Highest(r.Values(), 1)[0]] }

// Add appends further peaks and their effort.
func (r *Result) Add(more Result) {
	r.Searches += more.Searches
	r.Evaluations += more.Evaluations
	r.Peaks = append(r.Peaks, more.Peaks...)
}

// Values returns the peaks' values in their order.
func (r Result) Values() []float64 {
	values := make([]float64, len(r.Peaks))
	for i, p := range r.Peaks {
		values[i] = p.Value
	}
	return values
}

// Points returns the peaks' points from the highest down.
func (r Result) Points() [][]float64 {
	points := make([][]float64, 0, len(r.Peaks))
	for _, i := range Highest(r.Values(), len(r.Peaks)) {
		points = append(points, r.Peaks[i].X)
	}
	return points
}

// Keep drops all but the highest peaks.
func (r *Result) Keep(count int) { r.Peaks = Pick(r.Peaks, Highest(r.Values(), count)) }

// Revalue gives the peaks the values of another function.
func (r *Result) Revalue(f Func) {
	for i := range r.Peaks {
		r.Peaks[i].Value = f(nil, r.Peaks[i].X)
	}
}

// RawPoints spreads n points over the unit cube of the given dimension. They are scrambled Sobol
// points as far as the table of directions goes, and uniform points beyond.
func RawPoints(n, dim int, seed uint64) [][]float64 {
	if dim <= sobol.MaxDim {
		return sobol.Points(n, dim, seed)
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, dim)
		for j := range points[i] {
			points[i][j] = rng.Float64()
		}
	}
	return points
}

// Evaluate returns the function's values at the points. A point has −∞ if the context ended before its
// turn.
func Evaluate(ctx context.Context, newFunc func() Func, points [][]float64, threads int) []float64 {
	values := slices.Repeat([]float64{math.Inf(-1)}, len(points))
	parallel.For(ctx, len(points), threads, func() func(int) {
		f := newFunc()
		return func(i int) { values[i] = f(nil, points[i]) }
	})
	return values
}

// PickStarts chooses which raw points to search from, MATH.md (14), given the logarithms of their values. It returns
// their indices. The best point is always first. The others are draws without replacement among those of at least 1e-4
// times the best value, with weight exp(value/best − 1). The constants are BoTorch's for functions that are never
// negative. If too few are that good, the best ones are taken.
func PickStarts(logValues []float64, count int, seed uint64) []int {
	order := Highest(logValues, len(logValues))
	if count >= len(order) {
		return order
	}
	highest := logValues[order[0]]
	good := 0
	for good < len(order) && logValues[order[good]] >= highest+math.Log(1e-4) {
		good++
	}
	if good <= count {
		return order[:count]
	}
	shuffle(order[1:good], len(order), seed, func(i int) float64 { return math.Exp(math.Exp(logValues[i]-highest) - 1) })
	return order[:count]
}

// PickStartsOfIndex does the same for a function that may be negative. After the best point, it draws without replacement
// with weight exp(z), where z is the value minus the mean of all values, in their standard deviations. That is BoTorch's
// rule, too.
func PickStartsOfIndex(values []float64, count int, seed uint64) []int {
	order := Highest(values, len(values))
	known := 0 // points that were not evaluated in time are at the end
	for known < len(order) && !math.IsInf(values[order[known]], -1) && !math.IsNaN(values[order[known]]) {
		known++
	}
	if count >= known {
		return order[:min(count, len(order))]
	}
	mean, squares := 0.0, 0.0
	for _, i := range order[:known] {
		mean += values[i] / float64(known)
	}
	for _, i := range order[:known] {
		squares += (values[i] - mean) * (values[i] - mean) / float64(known)
	}
	highest, sd := values[order[0]], math.Sqrt(squares)
	shuffle(order[1:known], len(order), seed, func(i int) float64 {
		if !(sd > 0) {
			return 1
		}
		return math.Max(math.Exp((values[i]-highest)/sd), 1e-300)
	})
	return order[:count]
}

// shuffle puts indices below n into the order of weighted draws without replacement: by the largest u^(1/w) (Efraimidis,
// Spirakis 2006).
func shuffle(indices []int, n int, seed uint64, weight func(i int) float64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	keys := make([]float64, n)
	for _, i := range indices {
		keys[i] = math.Log(rng.Float64()) / weight(i)
	}
	slices.SortStableFunc(indices, func(a, b int) int { return Descending(keys[a], keys[b]) })
}

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

// Limits bound a local search. It has converged when an iteration gains no more than Tolerance of max(|f|, 1).
type Limits struct {
	Iterations, Threads int
	Tolerance           float64
}

// The tolerances in use. On a logarithm, a gain of a ten-millionth of the value is worth nothing. A plain value may be
// small, so its tolerance is SciPy's default, which the reference uses.
const LogTolerance, PlainTolerance = 1e-7, 2.2e-9

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

// memory is the number of L-BFGS pairs. On trees, six need hardly more evaluations than ten. The steps
// between evaluations take a third of the time on small trees, and their cost grows with the square of
// the number.
const memory = 6

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

// Highest returns the indices of the highest values, at most count, from the highest down, with the earliest first
// among equals.
func Highest(values []float64, count int) []int {
	order := Indices(values)
	slices.SortStableFunc(order, func(a, b int) int { return Descending(values[a], values[b]) })
	return order[:max(0, min(count, len(order)))]
}

// Descending compares numbers for an order from high to low, with NaN last.
func Descending(a, b float64) int { return cmp.Compare(b, a) }

// Indices returns the indices of a list.
func Indices[T any](list []T) []int {
	indices := make([]int, len(list))
	for i := range indices {
		indices[i] = i
	}
	return indices
}

// Pick returns the entries with the given indices.
func Pick[T any](list []T, indices []int) []T {
	picked := make([]T, len(indices))
	for k, i := range indices {
		picked[k] = list[i]
	}
	return picked
}

// Distinct returns the first points that are apart from each other, at most count.
func Distinct(points [][]float64, count int) [][]float64 {
	var kept [][]float64
	for _, x := range points {
		if len(kept) == count {
			break
		}
		if FarFrom(kept, x, apart) {
			kept = append(kept, x)
		}
	}
	return kept
}

// apart is the least distance between points that Distinct keeps.
const apart = 0.02

// FarFrom reports whether x is further than distance, in some coordinate, from each of the points.
func FarFrom(points [][]float64, x []float64, distance float64) bool {
	for _, p := range points {
		far := false
		for j := range x {
			far = far || math.Abs(p[j]-x[j]) > distance
		}
		if !far {
			return false
		}
	}
	return true
}
