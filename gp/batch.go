package gp

import (
	"fmt"

	"github.com/eke-bo/eke/internal/simd"
)

// Batch is the posterior of several points at once, forward and back: Forward
// computes means, variances and covariances; Pull turns a result's sensitivities to those into its
// gradient with respect to the points. Everything is in standardised units, without observation
// noise. A Batch is scratch memory for one goroutine. Neither method allocates.
//
// With k the kernel row of a point against the data, v = L⁻¹k and a the model's
// weights (MATH.md (3)):
//
//	mean = m + k·a,   variance = s − v·v,   cov(x,x') = s·M(x,x') − v·v'.
//
// Going back, with bars for sensitivities,
//
//	v̄ = −2·var̄·v − Σ_pairs cov̄·v',   k̄ = L⁻ᵀv̄ + mean̄·a,   x̄_j = Σ_i k̄_i ∂k_i/∂x_j.
type Batch struct {
	m     *Model
	rows  int
	pairs [][2]int

	// Mean and Var have an entry for each point, Cov one for each pair. Forward writes them.
	Mean, Var, Cov []float64

	// MeanBar, VarBar and CovBar are a result's sensitivities to Mean, Var and Cov. The caller sets them before Pull.
	MeanBar, VarBar, CovBar []float64

	z     []float64 // rows×dim: the points divided by the lengthscales
	k, g  []float64 // rows×ld: kernel rows and their derivative factors
	v     []float64 // rows×ld
	vBar  []float64 // rows×ld
	pairG []float64 // derivative factors of the pairs
	views []*view   // of the points; nil if they all are of the model's level
	trend *follower // nil if the model follows none
}

// minVar keeps variances away from zero, where rounding could carry them. In standardised units τ²
// ≥ 1e-6, so a thousand equal observations leave 1e-9.
const minVar = 1e-12

// NewBatch returns a batch of the given number of points; pairs lists the pairs
// of points whose covariances are wanted.
func (m *Model) NewBatch(rows int, pairs [][2]int) *Batch {
	f := func(n int) []float64 { return make([]float64, n) }
	return &Batch{
		m: m, rows: rows, pairs: pairs,
		Mean: f(rows), Var: f(rows), Cov: f(len(pairs)),
		MeanBar: f(rows), VarBar: f(rows), CovBar: f(len(pairs)),
		z: f(rows * m.dim), k: f(rows * m.ld), g: f(rows * m.ld),
		v: f(rows * m.ld), vBar: f(rows * m.ld), pairG: f(len(pairs)), trend: m.trend.follower(rows, m.standard.Scale),
	}
}

// Forward computes the posterior at the points, which are the rows of x. Pull may follow only if withGrad
// is set.
func (b *Batch) Forward(x []float64, withGrad bool) {
	m, ld := b.m, b.m.ld
	if len(x) != b.rows*m.dim {
		panic(fmt.Sprintf("gp: %d coordinates for %d points of dimension %d", len(x), b.rows, m.dim))
	}
	clear(b.k)
	for r := range b.rows {
		row := b.k[r*ld : (r+1)*ld]
		if v := b.view(r); v.offset != nil {
			copy(row, v.offset)
		}
		for j, l := range m.hyper.Lengthscales {
			z := x[r*m.dim+j] / l
			b.z[r*m.dim+j] = z
			simd.AddSqDist(row, z, m.inputs[j*ld:(j+1)*ld])
		}
	}
	var g []float64
	if withGrad {
		g = b.g
	}
	m.hyper.Kernel.rows(b.k, g, b.k, m.hyper.Outputscale)
	b.fade(g)
	simd.MulUpper(b.v, b.k, m.upper, b.rows, ld)
	for r := range b.rows {
		v := b.v[r*ld : (r+1)*ld]
		b.Mean[r] = m.hyper.Mean + simd.Dot(b.k[r*ld:(r+1)*ld], m.weights)
		b.Var[r] = max(m.prior(b.view(r))-simd.Dot(v, v), minVar)
	}
	if b.trend != nil {
		b.trend.add(b.Mean, x, withGrad)
	}
	b.forwardPairs()
}

func (b *Batch) forwardPairs() {
	m, ld := b.m, b.m.ld
	for p, ij := range b.pairs {
		zi, zj := b.point(ij[0]), b.point(ij[1])
		r2 := 0.0
		for j, v := range zi {
			r2 += (v - zj[j]) * (v - zj[j])
		}
		b.Cov[p] = r2
		if b.views != nil {
			b.Cov[p] += m.apart(b.views[ij[0]], b.views[ij[1]])
		}
	}
	m.hyper.Kernel.rows(b.Cov, b.pairG, b.Cov, m.hyper.Outputscale)
	for p, ij := range b.pairs {
		if factor, add := m.biasOf(b.view(ij[0]), b.view(ij[1])); factor != 1 || add != 0 {
			b.Cov[p], b.pairG[p] = b.Cov[p]*factor+add, b.pairG[p]*factor
		}
		b.Cov[p] -= simd.Dot(b.v[ij[0]*ld:(ij[0]+1)*ld], b.v[ij[1]*ld:(ij[1]+1)*ld])
	}
}

func (b *Batch) point(r int) []float64 { return b.z[r*b.m.dim : (r+1)*b.m.dim] }

// ClearBars sets all sensitivities to zero.
func (b *Batch) ClearBars() {
	clear(b.MeanBar)
	clear(b.VarBar)
	clear(b.CovBar)
}

// Pull adds to grad the gradient of a result whose sensitivities are MeanBar, VarBar and CovBar.
// grad has the layout of the points.
func (b *Batch) Pull(grad []float64) {
	m, ld := b.m, b.m.ld
	clear(b.vBar)
	for r, bar := range b.VarBar {
		if b.Var[r] > minVar {
			simd.Axpy(-2*bar, b.v[r*ld:(r+1)*ld], b.vBar[r*ld:(r+1)*ld])
		}
	}
	for p, ij := range b.pairs {
		if b.CovBar[p] != 0 {
			b.pullPair(grad, p, ij[0], ij[1])
		}
	}
	if b.trend != nil {
		b.trend.pull(grad, b.MeanBar)
	}
	kBar := b.k // the kernel rows are no longer needed
	simd.MulLower(kBar, b.vBar, m.lower, b.rows, ld)
	for r := range b.rows {
		row := kBar[r*ld : (r+1)*ld]
		simd.Axpy(b.MeanBar[r], m.weights, row)
		simd.Mul(row, row, b.g[r*ld:(r+1)*ld])
		for j, z := range b.point(r) {
			grad[r*m.dim+j] += simd.WeightedDiff(row, z, m.inputs[j*ld:(j+1)*ld]) / m.hyper.Lengthscales[j]
		}
	}
}

func (b *Batch) pullPair(grad []float64, p, i, j int) {
	m, ld, bar := b.m, b.m.ld, b.CovBar[p]
	simd.Axpy(-bar, b.v[i*ld:(i+1)*ld], b.vBar[j*ld:(j+1)*ld])
	simd.Axpy(-bar, b.v[j*ld:(j+1)*ld], b.vBar[i*ld:(i+1)*ld])
	zi, zj := b.point(i), b.point(j)
	for c, l := range m.hyper.Lengthscales {
		slope := bar * b.pairG[p] * (zj[c] - zi[c]) / l
		grad[i*m.dim+c] += slope
		grad[j*m.dim+c] -= slope
	}
}
