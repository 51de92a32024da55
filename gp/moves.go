package gp

import (
	"math"

	"github.com/eke-bo/eke/internal/simd"
)

// Moves returns what an observation at x can change, standardised: the mean there, and how far the means at x and at the data move if the observation
// is one standard deviation above what is expected, MATH.md (42). They move in proportion to its distance. Data of a lower fidelity do not take part.
func (m *Model) Moves(x []float64) (mean, own float64, data []float64) {
	b := m.NewBatch(1, nil)
	b.Forward(x, false)
	mean = b.Mean[0]
	sd := math.Sqrt(b.Var[0] + m.hyper.Noise)
	// (K + τ²I)⁻¹k = L⁻ᵀ(L⁻¹k), and cov(f(xᵢ), f(x)) = kᵢ − Kᵢ(K + τ²I)⁻¹k = τ²((K + τ²I)⁻¹k)ᵢ
	data = make([]float64, m.ld)
	for i := range m.n {
		simd.Axpy(b.v[i], m.lower[i*m.ld:i*m.ld+i+1], data)
	}
	for i := range data {
		data[i] *= m.hyper.Noise / sd
	}
	return mean, b.Var[0] / sd, data[:m.n]
}
