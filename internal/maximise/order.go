package maximise

import (
	"math"
	"slices"
)

// Highest returns the indices of the highest values, at most count, from the highest down, with the earliest first
// among equals.
func Highest(values []float64, count int) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return Descending(values[a], values[b]) })
	return order[:max(0, min(count, len(order)))]
}

// highestOf returns the index of the highest value, and the earliest among equals.
func highestOf(values []float64) int {
	top := 0
	for i, v := range values {
		if Descending(v, values[top]) < 0 {
			top = i
		}
	}
	return top
}

// Descending compares numbers for an order from high to low, with NaN last.
func Descending(a, b float64) int {
	switch {
	case a > b || (math.IsNaN(b) && !math.IsNaN(a)):
		return -1
	case b > a || (math.IsNaN(a) && !math.IsNaN(b)):
		return 1
	}
	return 0
}

// Pick returns the entries with the given indices.
func Pick[T any](list []T, indices []int) []T {
	picked := make([]T, len(indices))
	for k, i := range indices {
		picked[k] = list[i]
	}
	return picked
}

// apart is the least distance between points that Distinct keeps.
const apart = 0.02

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
