package gp

import (
	"math"
	"math/rand/v2"

	"github.com/eke-bo/eke/internal/chol"
)

// Sampler draws f at some points jointly from the posterior. The points' covariance is factored once. It may be shared by
// goroutines.
type Sampler struct {
	mean     []float64 // standardised
	factor   chol.Rows
	standard Standard
}

// NewSampler returns a sampler at the points.
func (m *Model) NewSampler(points [][]float64) *Sampler {
	var pairs [][2]int
	var flat []float64
	for i, p := range points {
		flat = append(flat, p...)
		for j := range i {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	b := m.NewBatch(len(points), pairs)
	b.Forward(flat, false)
	s := &Sampler{mean: b.Mean, factor: chol.NewRows(len(points), len(points)), standard: m.standard}
	chain, next := []int{}, 0
	for i := range points {
		chol.Extend(s.factor, i, chain, b.Cov[next:next+i])
		next += i
		v := b.Var[i]
		for _, entry := range s.factor.Of(i, i) {
			v -= entry * entry
		}
		// Points that coincide leave only rounding errors. minVar keeps the pivot usable.
		s.factor.Pivot[i] = math.Sqrt(math.Max(v, minVar))
		chain = append(chain, i)
	}
	return s
}

// Draw returns f at the points, in the units of the targets.
func (s *Sampler) Draw(rng *rand.Rand) []float64 {
	normal, out := make([]float64, len(s.mean)), make([]float64, len(s.mean))
	for i, t := range s.mean {
		for k, entry := range s.factor.Of(i, i) {
			t += entry * normal[k]
		}
		normal[i] = rng.NormFloat64()
		out[i] = s.standard.From(t + s.factor.Pivot[i]*normal[i])
	}
	return out
}

// Sample draws f at the points once, in the units of the targets.
func (m *Model) Sample(points [][]float64, rng *rand.Rand) []float64 {
	return m.NewSampler(points).Draw(rng)
}
