package gp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/internal/chol"
	"github.com/eke-bo/eke/internal/simd"
)

// Model is a Gaussian process conditioned on data at fixed hyperparameters. It is
// immutable and safe for concurrent use.
//
// With K + τ²I = LLᵀ the model keeps L⁻¹ itself rather than L. The matrix is conditioned well
// enough for that, because τ² ≥ 1e-8 on standardised targets, and a product with L⁻¹ has no chain
// of dependent steps, unlike a triangular solve. All points of a batch are one matrix product.
type Model struct {
	dim, n   int
	ld       int // row length of the matrices: n padded for simd
	hyper    Hyper
	standard Standard
	trend    Trend
	doubt    *trendDoubt // nil: there is no trend, or it counts as certain

	levels []float64                   // ld: of all data; nil: there is one level
	fade   []float64                   // ld: b of all data
	view   view                        // the level that it answers about
	rise   func(level float64) float64 // see Rising; nil: nothing is known

	inputs  []float64 // dim×ld: z_j = x_j/ℓ_j of all data, one row per input
	lower   []float64 // ld×ld: L⁻¹
	upper   []float64 // ld×ld: L⁻ᵀ
	targets []float64 // n: standardised, minus the mean m
	weights []float64 // ld: a = (K+τ²I)⁻¹ targets
	noises  []float64 // n: variances of the noise of each datum; nil: all have the noise of hyper
}

// New conditions a Gaussian process with the given hyperparameters on data. Each row of x is an input; y has the
// targets in their own units, which s standardises. If rounding keeps K + τ²I from being positive definite, New
// raises the noise until it is. Hyper returns the noise in use.
func New(x [][]float64, y []float64, s Standard, h Hyper) *Model {
	return newModel(x, nil, y, s, h)
}

func newModel(x [][]float64, levels, y []float64, s Standard, h Hyper) *Model {
	if len(x) != len(y) {
		panic(fmt.Sprintf("gp: %d inputs for %d targets", len(x), len(y)))
	}
	dim := len(h.Lengthscales)
	if err := h.Check(dim); err != nil {
		panic(err)
	}
	h = h.clone()
	m := newEmpty(dim, len(x), h, s, levels != nil)
	for i, level := range levels {
		m.setLevel(i, level)
	}
	for i, row := range x {
		if len(row) != dim {
			panic(fmt.Sprintf("gp: datum %d has %d inputs, not %d", i, len(row), dim))
		}
		m.setInput(i, row)
	}
	factor := m.upper // its memory is free until the factor is inverted
	for {
		m.covariance(factor)
		if simd.Cholesky(factor, m.n, m.ld) {
			break
		}
		if m.hyper.Noise *= 10; math.IsInf(m.hyper.Noise, 1) {
			panic("gp: the inputs are not finite, or farther apart than float64 can square")
		}
	}
	simd.InvLower(m.lower, factor, m.n, m.ld)
	clear(factor)
	transpose(m.upper, m.lower, m.n, m.ld)
	for i, v := range y {
		m.targets[i] = s.To(v) - m.hyper.Mean
	}
	m.solveWeights()
	if levels != nil {
		m.view = m.newView(1)
	}
	return m
}

func newEmpty(dim, n int, h Hyper, s Standard, leveled bool) *Model {
	ld := simd.Pad(n)
	m := &Model{
		dim: dim, n: n, ld: ld, hyper: h, standard: s,
		inputs:  make([]float64, dim*ld),
		lower:   make([]float64, ld*ld),
		upper:   make([]float64, ld*ld),
		targets: make([]float64, n),
		weights: make([]float64, ld),
	}
	if leveled {
		m.levels, m.fade = make([]float64, ld), make([]float64, ld)
	}
	return m
}

func (m *Model) setInput(i int, x []float64) {
	for j, v := range x {
		m.inputs[j*m.ld+i] = v / m.hyper.Lengthscales[j]
	}
}

// covariance writes the lower triangle of K + τ²I.
func (m *Model) covariance(dst []float64) {
	for i := range m.n {
		row := dst[i*m.ld : i*m.ld+i+1]
		clear(row)
		addSqDists(row, m.inputs, i, m.ld)
		if m.levels != nil {
			m.addLevelDist(row, i)
		}
		m.hyper.Kernel.rows(row, nil, row, m.hyper.Outputscale)
		if m.levels != nil {
			m.hyper.Fading.fadeRow(row, nil, m.fade, i)
		}
		row[i] += m.noise(i)
	}
}

// addSqDists adds to row the squared distances of datum i to the data up to it. z has a row of length ld for each input.
func addSqDists(row, z []float64, i, ld int) {
	for ; len(z) > 0; z = z[ld:] {
		simd.AddSqDist(row, z[i], z)
	}
}

// solveWeights computes a = L⁻ᵀ(L⁻¹ targets).
func (m *Model) solveWeights() {
	clear(m.weights)
	for i := range m.n {
		row := m.lower[i*m.ld : i*m.ld+i+1]
		simd.Axpy(simd.Dot(row, m.targets), row, m.weights)
	}
}

// transpose writes the transpose of a lower triangle, a square block at a time: whole columns of a large
// matrix would miss the cache at every step.
func transpose(dst, src []float64, n, ld int) {
	const block = 32
	for top := 0; top < n; top += block {
		for left := 0; left <= top; left += block {
			for i := top; i < min(top+block, n); i++ {
				for j := left; j < min(left+block, i+1); j++ {
					dst[j*ld+i] = src[i*ld+j]
				}
			}
		}
	}
}

// Condition returns the model with one more observation, such as an imagined one, at the model's level and the same
// hyperparameters and standardisation. It costs O(n²): L⁻¹ gains the row
// (−vᵀL⁻¹/t, 1/t) with v = L⁻¹k(X,x) and t² = k(x,x) + τ² − v·v.
func (m *Model) Condition(x []float64, y float64) *Model {
	return m.with(m.at(x), x, y)
}

// Believe returns the model conditioned on its own mean at x, and that mean with its standard deviation: see PosteriorSD.
func (m *Model) Believe(x []float64) (c *Model, mean, sd float64) {
	b := m.at(x)
	mean = m.standard.From(b.Mean[0])
	return m.with(b, x, mean), mean, m.standard.Scale * math.Sqrt(b.Var[0])
}

// with returns the model with an observation at the point that the batch was asked about.
func (m *Model) with(b *Batch, x []float64, y float64) *Model {
	c := newEmpty(m.dim, m.n+1, m.hyper, m.standard, m.levels != nil)
	c.follow(m.trend)
	c.rise = m.rise
	for j := range m.dim {
		copy(c.inputs[j*c.ld:], m.inputs[j*m.ld:j*m.ld+m.n])
	}
	c.setInput(m.n, x)
	if m.levels != nil {
		copy(c.levels, m.levels[:m.n])
		copy(c.fade, m.fade[:m.n])
		c.setLevel(m.n, m.view.level)
	}
	row := c.lower[m.n*c.ld : m.n*c.ld+m.n+1]
	// The batch's variance is never negative, so t² ≥ τ² > 0.
	t := math.Sqrt(b.Var[0] + m.hyper.Noise)
	for i, v := range b.v[:m.n] {
		own := m.lower[i*m.ld : i*m.ld+i+1]
		copy(c.lower[i*c.ld:], own)
		copy(c.upper[i*c.ld+i:], m.upper[i*m.ld+i:i*m.ld+m.n])
		simd.Axpy(-v/t, own, row)
	}
	row[m.n] = 1 / t
	for i, v := range row {
		c.upper[i*c.ld+m.n] = v
	}
	copy(c.targets, m.targets)
	c.targets[m.n] = m.standard.To(y) - m.hyper.Mean - m.view.rise
	if !m.trend.isNone() {
		c.targets[m.n] -= m.trend.in(m.standard.Scale, x)[0]
	}
	copy(c.weights, m.weights[:m.n])
	simd.Axpy(simd.Dot(row, c.targets), row, c.weights) // the last step of solveWeights
	if m.levels != nil {
		c.view = c.newView(m.view.level)
	}
	return c
}

// Fitted returns the posterior means at the data, in the units of the targets: what a target would be without its noise. Since
// (K + τ²I)a = y − m, the mean is y − τ²a.
func (m *Model) Fitted() []float64 {
	means := make([]float64, m.n)
	for i, target := range m.targets {
		means[i] = m.standard.From(m.hyper.Mean + target - m.hyper.Noise*m.weights[i])
	}
	if !m.trend.isNone() {
		for i, v := range m.trendAtData() {
			means[i] += m.standard.Scale * v
		}
	}
	return means
}

// Surprise returns how far the observations from the given one on were from what the model expected of each of them
// given those before it, in standard deviations: the largest distance. It is 0 if there are none.
func (m *Model) Surprise(from int) (largest float64) {
	for i := max(from, 0); i < m.n; i++ {
		row := m.lower[i*m.ld : i*m.ld+i+1]
		largest = math.Max(largest, math.Abs(simd.Dot(row, m.targets)))
	}
	return largest
}

// Dim returns the number of inputs.
func (m *Model) Dim() int { return m.dim }

// Len returns the number of observations.
func (m *Model) Len() int { return m.n }

// Hyper returns the hyperparameters in use.
func (m *Model) Hyper() Hyper {
	return m.hyper.clone()
}

// Standard returns the change of units between targets and standardised targets.
func (m *Model) Standard() Standard { return m.standard }

// LogDensity returns the log density of the targets in their own units. LogEvidence returns the log density of the standardised
// targets.
func (m *Model) LogDensity() float64 {
	return m.LogEvidence() - float64(m.n)*math.Log(m.standard.Scale)
}

// LogEvidence returns the log density ln N(y | m, K+τ²I) of the standardised targets.
func (m *Model) LogEvidence() float64 {
	sum := -0.5 * float64(m.n) * math.Log(2*math.Pi)
	for i := range m.n {
		sum += math.Log(m.lower[i*m.ld+i])
		sum -= 0.5 * m.targets[i] * m.weights[i]
	}
	return sum
}

// Posterior returns the mean and the variance of f(x), in the units of the targets, without observation noise. Inner loops use a Batch.
func (m *Model) Posterior(x []float64) (mean, variance float64) {
	b := m.at(x)
	return m.standard.From(b.Mean[0]), m.standard.square(b.Var[0])
}

// rowsAtOnce is how many points go through a model together: enough for a matrix product, and few enough for the cache.
const rowsAtOnce = 64

// Posteriors returns the standardised means and variances of f at many points. With many data that is much faster than one at a time.
func (m *Model) Posteriors(points [][]float64) (mean, variance []float64) {
	for some := range slices.Chunk(points, rowsAtOnce) {
		b := m.NewBatch(len(some), nil)
		b.Forward(slices.Concat(some...), false)
		mean, variance = append(mean, b.Mean...), append(variance, b.Var...)
	}
	return mean, variance
}

// PosteriorSD returns the mean and the standard deviation of f(x), as Posterior does. If the targets' units are extreme, the
// variance may overflow or vanish; the standard deviation does not.
func (m *Model) PosteriorSD(x []float64) (mean, sd float64) {
	b := m.at(x)
	return m.standard.From(b.Mean[0]), m.standard.Scale * math.Sqrt(b.Var[0])
}

// at returns the standardised posterior of one point.
func (m *Model) at(x []float64) *Batch {
	b := m.NewBatch(1, nil)
	b.Forward(x, false)
	return b
}

// Sampler draws f at some points jointly from the posterior. The points' covariance is factored once. It may be shared by
// goroutines.
type Sampler struct {
	mean     []float64 // standardised
	factor   chol.Rows
	standard Standard
}

// Sample draws f at the points once, in the units of the targets.
func (m *Model) Sample(points [][]float64, rng *rand.Rand) []float64 {
	return m.NewSampler(points).Draw(rng)
}

// NewSampler returns a sampler at the points.
func (m *Model) NewSampler(points [][]float64) *Sampler {
	n := len(points)
	b, cov := m.NewBatch(n, nil), make([]float64, n*n)
	b.Forward(slices.Concat(points...), false)
	b.CovarianceWith(b, cov)
	s := &Sampler{mean: b.Mean, factor: chol.NewRows(n, n), standard: m.standard}
	var chain []int
	for i := range points {
		chol.Extend(s.factor, i, chain, cov[i*n:i*n+i])
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
