package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The statistics of the tables: t-intervals, and Student's and Wilcoxon's tests of paired differences with Holm's correction.

// Interval95 returns the mean and the half-width of its 95 % t-interval. One observation has no interval: its half-width is
// NaN.
func Interval95(v []float64) (mean, halfWidth float64) {
	mean = stat.Mean(v, nil)
	if len(v) < 2 {
		return mean, math.NaN()
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(v) - 1)}.Quantile(0.975)
	return mean, t * stat.StdDev(v, nil) / math.Sqrt(float64(len(v)))
}

// PairedT returns the two-sided p-value of Student's test that differences have the mean 0. Without any spread there is no test:
// the result is 1 if all differences are 0, and NaN otherwise. It is also NaN if there are fewer than two.
func PairedT(differences []float64) float64 {
	n := float64(len(differences))
	mean, sd := stat.MeanStdDev(differences, nil)
	switch {
	case len(differences) < 2:
		return math.NaN()
	case sd == 0 && mean == 0:
		return 1
	case sd == 0:
		return math.NaN()
	}
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Survival(math.Abs(mean)/sd*math.Sqrt(n))
}

// exactUpTo is the largest number of pairs for which every assignment of signs is counted; 2⁵⁰ is exact as a float64.
const exactUpTo = 50

// Wilcoxon returns the two-sided p-value of the signed-rank test that differences are symmetric about 0 (F. Wilcoxon,
// Individual comparisons by ranking methods, 1945). Zeros are left out, as in his paper. Equal sizes share their mean rank. Up to
// exactUpTo pairs the p-value is exact given those ranks. Beyond, the sum of ranks is treated as normal, with its variance
// corrected for ties.
func Wilcoxon(differences []float64) float64 {
	left := slices.DeleteFunc(slices.Clone(differences), func(d float64) bool { return d == 0 })
	if len(left) == 0 {
		return 1
	}
	twice, positive := signedRanks(left)
	if len(left) <= exactUpTo {
		return exactTail(twice, positive)
	}
	return normalTail(twice, positive)
}

// signedRanks returns twice the rank of each size, which is a whole number even if ranks are shared, and twice the sum of the
// ranks of positive differences.
func signedRanks(differences []float64) (twice []int, positive int) {
	sorted := slices.Clone(differences)
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	for from := 0; from < len(sorted); {
		to := from
		for to < len(sorted) && math.Abs(sorted[to]) == math.Abs(sorted[from]) {
			to++
		}
		for _, d := range sorted[from:to] {
			rank := from + 1 + to // twice the mean of from+1, …, to
			twice = append(twice, rank)
			if d > 0 {
				positive += rank
			}
		}
		from = to
	}
	return twice, positive
}

// exactTail counts the assignments of signs whose sum of ranks is at least as far from the middle.
func exactTail(twice []int, positive int) float64 {
	total := 0
	for _, r := range twice {
		total += r
	}
	ways := make([]float64, total+1) // by the sum of the ranks that are positive
	ways[0] = 1
	for _, r := range twice {
		for sum := total; sum >= r; sum-- {
			ways[sum] += ways[sum-r]
		}
	}
	tail, away := 0.0, abs(2*positive-total)
	for sum, w := range ways {
		if abs(2*sum-total) >= away {
			tail += w
		}
	}
	return tail / math.Exp2(float64(len(twice)))
}

// normalTail is for many pairs. The sum of the positive ranks has mean Σr/2 and variance Σr²/4, which with shared
// ranks is n(n+1)(2n+1)/24 − Σ(t³−t)/48.
func normalTail(twice []int, positive int) float64 {
	mean, variance := 0.0, 0.0
	for _, r := range twice {
		mean += float64(r) / 2
		variance += float64(r*r) / 4
	}
	return math.Erfc(math.Abs(float64(positive)-mean) / math.Sqrt(2*variance))
}

func abs(v int) int { return max(v, -v) }

// Holm returns p-values corrected for their number (S. Holm, A simple sequentially rejective multiple test procedure, 1979). A NaN
// stays NaN, and does not count as a test.
func Holm(p []float64) []float64 {
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted, highest := slices.Clone(p), 0.0
	for rank, i := range order {
		highest = math.Max(highest, math.Min(1, p[i]*float64(len(order)-rank)))
		adjusted[i] = highest
	}
	return adjusted
}
