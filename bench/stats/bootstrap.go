package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Interval is a mean with the ends of its 95 % interval.
type Interval struct{ Mean, Low, High float64 }

// resamples is how many times the bootstrap draws.
const resamples = 2000

// Bootstrap returns the mean of values, with the percentile interval of the means of resamples drawn with replacement (B. Efron,
// Bootstrap methods: another look at the jackknife, 1979). The draws have a fixed seed, so equal values give equal intervals. A
// single value has no interval: its ends are NaN.
func Bootstrap(values []float64) Interval {
	if len(values) == 1 {
		return Interval{values[0], math.NaN(), math.NaN()}
	}
	return Within([][]float64{values})
}

// Between returns the mean of the groups' means, where each group counts the same, with the interval of a bootstrap that draws groups and
// takes all values of each: the mean over groups like these. What values within a group vary by is in the means already, so that drawing
// them as well would count it twice (A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application, 1997, §3.8). The values of a
// single group are drawn instead.
func Between(groups [][]float64) Interval {
	if len(groups) == 1 {
		return Bootstrap(groups[0])
	}
	means := make([]float64, len(groups))
	for i, g := range groups {
		means[i] = stat.Mean(g, nil)
	}
	return Bootstrap(means)
}

// Within returns the same mean, with the interval of a bootstrap that draws values within each group: the mean over these very groups.
func Within(groups [][]float64) Interval {
	groups = slices.DeleteFunc(slices.Clone(groups), func(g []float64) bool { return len(g) == 0 })
	if len(groups) == 0 {
		return Interval{math.NaN(), math.NaN(), math.NaN()}
	}
	mean := 0.0
	for _, g := range groups {
		mean += stat.Mean(g, nil) / float64(len(groups))
	}
	rng := rand.New(rand.NewPCG(1, 0x626f6f74))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for _, g := range groups {
			inner := 0.0
			for range g {
				inner += g[rng.IntN(len(g))]
			}
			sum += inner / float64(len(g))
		}
		means[i] = sum / float64(len(groups))
	}
	slices.Sort(means)
	return Interval{mean, stat.Quantile(0.025, stat.LinInterp, means, nil), stat.Quantile(0.975, stat.LinInterp, means, nil)}
}

// Resample returns a statistic of n values, which it gets by their indices, with the percentile interval of the statistics of resamples.
// Without values it is NaN, and a single one has no interval.
func Resample(n int, statistic func(indices []int) float64) Interval {
	if n == 0 {
		return Interval{math.NaN(), math.NaN(), math.NaN()}
	}
	return ResampleGroups([]int{n}, func(drawn [][]int) []float64 { return []float64{statistic(drawn[0])} })[0]
}

// Ranks returns the rank of each value, the lowest being 1. Values that differ by no more than tie share their mean rank.
func Ranks(values []float64, tie float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	ranks := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]]-values[order[to-1]] <= tie {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+1+to) / 2
		}
		from = to
	}
	return ranks
}
