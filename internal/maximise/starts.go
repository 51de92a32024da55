package maximise

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/internal/parallel"
	"github.com/eke-bo/eke/internal/sobol"
)

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
