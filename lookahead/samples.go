package lookahead

import (
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/internal/sobol"
)

// Sample is the pair of standard-normal numbers that defines one fantasy, MATH.md (9): y = μ +
// √(σ²+τ²)·ε for the value, and likewise for the logarithm of the cost.
type Sample struct {
	// Value and LnCost are the ε of the value and of the logarithm of the cost.
	Value, LnCost float64
}

// Samples are the base samples of a tree: Samples[i][j] is fantasy j of every node of
// level i. They stay fixed while a tree is maximised.
type Samples [][]Sample

// SobolSamples draws base samples: scrambled Sobol points, mapped by Φ⁻¹. A level with a single
// fantasy gets ε = 0, the posterior mean. That is the path variant.
func SobolSamples(fantasies []int, seed uint64) Samples {
	base := make(Samples, len(fantasies))
	for i, m := range fantasies {
		base[i] = make([]Sample, m)
		if m == 1 {
			continue
		}
		points := sobol.New(2, seed+uint64(i)*0x9e3779b97f4a7c15)
		var p [2]float64
		for j := range base[i] {
			points.Next(p[:])
			base[i][j] = Sample{normal.Quantile(p[0]), normal.Quantile(p[1])}
		}
	}
	return base
}
