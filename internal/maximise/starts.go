package maximise

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/internal/parallel"
	"github.com/eke-bo/eke/internal/sobol"
)

// RawPoints spreads n points over the unit cube of the given dimension: scrambled Sobol points as far
// as the table of directions goes, uniform ones beyond.
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

// Evaluate returns the function's values at the points. A point that the context left no time for has −∞.
func Evaluate(ctx context.Context, newFunc func() Func, points [][]float64, threads int) []float64 {
	values := slices.Repeat([]float64{math.Inf(-1)}, len(points))
	parallel.For(ctx, len(points), threads, func() func(int) {
		f := newFunc()
		return func(i int) { values[i] = f(nil, points[i]) }
	})
	return values
}

// PickStarts chooses which raw points to search from, MATH.md (14), given the logarithms of their values. It returns
// their indices: the best point always; then, among those within 1e-4 of the best, draws without replacement with weight
// exp(value/best − 1). The constants are BoTorch's, for functions that are never negative. When
// too few are that good, the best ones are taken.
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
	// Weighted draws without replacement: the largest u^(1/w) (Efraimidis, Spirakis 2006).
	rng := rand.New(rand.NewPCG(seed, 3))
	keys := make([]float64, len(logValues))
	for _, i := range order[1:good] {
		keys[i] = math.Log(rng.Float64()) / math.Exp(math.Exp(logValues[i]-highest)-1)
	}
	rest := order[1:good]
	slices.SortStableFunc(rest, func(a, b int) int { return Descending(keys[a], keys[b]) })
	return order[:count]
}
