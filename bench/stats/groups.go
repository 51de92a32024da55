package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// ResampleGroups returns statistics of groups of values, which it gets by the indices drawn in each group, with the percentile intervals of
// the statistics of resamples. All statistics are of the same draws. To draw groups, each with all of its values, say that there is one group of as many
// values as there are groups. Where no group has two values, there are no intervals.
func ResampleGroups(sizes []int, statistics func(drawn [][]int) []float64) []Interval {
	drawn := make([][]int, len(sizes))
	for g, n := range sizes {
		drawn[g] = make([]int, n)
		for i := range drawn[g] {
			drawn[g][i] = i
		}
	}
	out := []Interval{}
	for _, v := range statistics(drawn) {
		out = append(out, Interval{v, math.NaN(), math.NaN()})
	}
	if len(sizes) == 0 || slices.Max(sizes) < 2 {
		return out
	}
	rng := rand.New(rand.NewPCG(1, 0x626f6f74))
	values := make([][]float64, len(out))
	for range resamples {
		for g, n := range sizes {
			for i := range drawn[g] {
				drawn[g][i] = rng.IntN(n)
			}
		}
		for k, v := range statistics(drawn) {
			values[k] = append(values[k], v)
		}
	}
	for k, v := range values {
		slices.Sort(v) // a statistic may be infinite, so that nothing is interpolated
		out[k].Low, out[k].High = v[resamples*25/1000], v[resamples*975/1000]
	}
	return out
}
