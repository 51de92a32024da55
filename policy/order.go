package policy

import (
	"math"
	"slices"
)

// best returns the indices of the highest values, at most count, from the best down, the earliest among equals.
func best(values []float64, count int) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return descending(values[a], values[b]) })
	return order[:max(0, min(count, len(order)))]
}

// descending orders numbers from high to low, NaN last.
func descending(a, b float64) int {
	switch {
	case a > b || (math.IsNaN(b) && !math.IsNaN(a)):
		return -1
	case b > a || (math.IsNaN(a) && !math.IsNaN(b)):
		return 1
	}
	return 0
}

// distinct returns the first points that are apart from each other, at most count.
func distinct(points [][]float64, count int) [][]float64 {
	var kept [][]float64
	for _, x := range points {
		if len(kept) == count {
			break
		}
		if farFrom(kept, x, 0.02) {
			kept = append(kept, x)
		}
	}
	return kept
}

// farFrom reports whether x is further than distance, in some coordinate, from each of the points.
func farFrom(points [][]float64, x []float64, distance float64) bool {
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

// split cuts a tree's coordinates into points.
func split(nodes []float64, dim int) [][]float64 {
	return slices.Collect(slices.Chunk(nodes, dim))
}
