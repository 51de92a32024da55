package gp

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/simd"
)

// Batch is the posterior of several points at once, forward and back. Forward computes means,
// variances and covariances. Pull turns a result's sensitivities to these into its gradient with
// respect to the points. Everything is in standardised units, without observation noise. A Batch is
// scratch memory for one goroutine. Neither method allocates.
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
	kernelRows
	pairs [][2]int

	// Mean and Var have an entry for each point, Cov one for each pair. Forward writes them.
	Mean, Var, Cov []float64

	// MeanBar, VarBar and CovBar are a result's sensitivities to Mean, Var and Cov. The caller sets them before Pull.
	MeanBar, VarBar, CovBar []float64

	v     []float64  // rows×ld
	vBar  []float64  // rows×ld
	pairG []float64  // derivative factors of the pairs
	views []*view    // of the points; nil if they all are of the model's level
	trend trendBatch // nil if the model follows none
}

// NewBatch returns a batch of the given number of points; pairs lists the pairs
// of points whose covariances are wanted.
func (m *Model) NewBatch(rows int, pairs [][2]int) *Batch {
	f := func(n int) []float64 { return make([]float64, n) }
	return &Batch{
		kernelRows: m.newKernelRows(rows), pairs: pairs,
		Mean: f(rows), Var: f(rows), Cov: f(len(pairs)),
		MeanBar: f(rows), VarBar: f(rows), CovBar: f(len(pairs)),
		v: f(rows * m.ld), vBar: f(rows * m.ld), pairG: f(len(pairs)), trend: m.trend.rows(rows, m.standard.Scale),
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
	if m.levels != nil {
		for r := range b.rows {
			copy(b.k[r*ld:], b.view(r).offset)
		}
	}
	b.covariances(x, nil, withGrad)
	if m.levels != nil {
		b.fade(withGrad)
	}
	simd.MulUpper(b.v, b.k, m.upper, b.rows, ld)
	for r := range b.rows {
		v := b.v[r*ld : (r+1)*ld]
		b.Mean[r] = b.mean(r) + b.view(r).rise
		b.Var[r] = max(m.prior(b.view(r))-simd.Dot(v, v), minVar)
	}
	if b.trend != nil {
		b.trend.add(b.Mean, x, withGrad)
	}
	b.forwardPairs()
}

// minVar keeps variances away from zero, where rounding could carry them. In standardised units τ²
// ≥ 1e-8, so a thousand equal observations leave 1e-11.
const minVar = 1e-12

func (b *Batch) forwardPairs() {
	m, ld := b.m, b.m.ld
	for p, ij := range b.pairs {
		b.Cov[p] = sqDist(0, b.point(ij[0]), b.point(ij[1]))
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

// sqDist adds the squared distance of two points to a number.
func sqDist(sum float64, a, b []float64) float64 {
	for j, v := range a {
		sum += (v - b[j]) * (v - b[j])
	}
	return sum
}

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
		b.pullRow(grad, r, row, 1)
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

// kernelRows are the covariances of some points with the data of a model, as scratch memory.
type kernelRows struct {
	m    *Model
	rows int
	z    []float64 // rows×dim: the points divided by the lengthscales
	k, g []float64 // rows×ld: kernel rows and their derivative factors
}

func (m *Model) newKernelRows(rows int) kernelRows {
	return kernelRows{m, rows, make([]float64, rows*m.dim), make([]float64, rows*m.ld), make([]float64, rows*m.ld)}
}

// covariances adds to k the squared distances of the points, which may be moved, and turns it into covariances.
func (b *kernelRows) covariances(x, move []float64, withGrad bool) {
	m, ld := b.m, b.m.ld
	for r := range b.rows {
		for j, z := range x[r*m.dim : (r+1)*m.dim] {
			if move != nil {
				z += move[j]
			}
			z /= m.hyper.Lengthscales[j]
			b.z[r*m.dim+j] = z
			simd.AddSqDist(b.k[r*ld:(r+1)*ld], z, m.inputs[j*ld:(j+1)*ld])
		}
	}
	var g []float64
	if withGrad {
		g = b.g
	}
	m.hyper.Kernel.rows(b.k, g, b.k, m.hyper.Outputscale)
}

// mean returns the posterior mean of a point.
func (b *kernelRows) mean(r int) float64 {
	return b.m.hyper.Mean + simd.Dot(b.k[r*b.m.ld:(r+1)*b.m.ld], b.m.weights)
}

func (b *kernelRows) point(r int) []float64 { return b.z[r*b.m.dim : (r+1)*b.m.dim] }

// pullRow adds to grad a multiple of what the sensitivities to a point's covariances contribute to it. The covariances are used up.
func (b *kernelRows) pullRow(grad []float64, r int, bar []float64, factor float64) {
	m, ld := b.m, b.m.ld
	row := b.k[r*ld : (r+1)*ld]
	simd.Mul(row, bar, b.g[r*ld:(r+1)*ld])
	for j, z := range b.point(r) {
		grad[r*m.dim+j] += factor * simd.WeightedDiff(row, z, m.inputs[j*ld:(j+1)*ld]) / m.hyper.Lengthscales[j]
	}
}

// Pool is the posterior at some points while observations at these points are imagined one after the other. It is for long
// simulations: Model.Condition makes a whole new model, at O(n²) and much memory, while a pool only adds a column to its points.
//
// With v = L⁻¹k(X,p) of a point p, an observation at q extends v by one entry,
//
//	b(p) = (k(p,q) − v(p)·v(q))/t,   t² = variance(q) + τ²,
//
// and moves the point's mean by b(p)·(y − mean(q))/t and its variance by −b(p)². It is one column of a pivoted Cholesky
// factorisation; MATH.md §6.
//
// Everything is in standardised units, without observation noise. A Pool belongs to one goroutine.
type Pool struct {
	m            *Model
	size, stride int // points, and the length of a row: the data and the observations that may be imagined
	most         int // the most observations that may be imagined
	steps        []poolStep

	// Mean and Var are mean and variance of the points.
	Mean, Var []float64

	z    []float64 // dim×size: the points divided by the lengthscales, one row per input
	v    []float64 // size×stride
	k    []float64 // size: scratch
	some *Batch    // scratch of Replace, for as many points as the last time
	flat []float64 // scratch of recall
}

// poolStep is an imagined observation: what is needed to add another point afterwards.
type poolStep struct {
	z, v     []float64 // of its point
	t, shift float64   // shift is (y − mean)/t
}

// NewPool returns a pool of points. At most that many observations can be imagined.
func (m *Model) NewPool(points [][]float64, most int) *Pool {
	size := len(points)
	p := &Pool{m: m, size: size, most: most, stride: simd.Pad(m.ld + most), z: make([]float64, m.dim*size), k: make([]float64, size)}
	p.v = make([]float64, size*p.stride)
	b := m.NewBatch(size, nil)
	b.Forward(slices.Concat(points...), false)
	p.Mean, p.Var = b.Mean, b.Var
	for i := range points {
		copy(p.v[i*p.stride:], b.v[i*m.ld:(i+1)*m.ld])
		p.place(i, b.point(i))
	}
	return p
}

// Clone returns a copy that shares no memory that either would change.
func (p *Pool) Clone() *Pool {
	c := *p
	c.steps = slices.Clone(p.steps)
	c.Mean, c.Var, c.z, c.v = slices.Clone(p.Mean), slices.Clone(p.Var), slices.Clone(p.z), slices.Clone(p.v)
	c.k, c.some, c.flat = make([]float64, p.size), nil, nil
	return &c
}

// place writes the scaled inputs of a point.
func (p *Pool) place(i int, z []float64) {
	for j, v := range z {
		p.z[j*p.size+i] = v
	}
}

func (p *Pool) row(i int) []float64 { return p.v[i*p.stride : (i+1)*p.stride] }

// Full reports whether no further observation can be imagined.
func (p *Pool) Full() bool { return len(p.steps) >= p.most }

// Observe imagines the observation y at a point of the pool.
func (p *Pool) Observe(i int, y float64) { p.observe(i, y, p.m.hyper.Noise) }

// observe imagines an observation with the given variance of its noise.
func (p *Pool) observe(i int, y, noise float64) {
	m, at := p.m, p.m.ld+len(p.steps)
	s := poolStep{z: make([]float64, m.dim), v: slices.Clone(p.row(i)[:at]), t: math.Sqrt(p.Var[i] + noise)}
	s.shift = (y - p.Mean[i]) / s.t
	clear(p.k)
	for j := range s.z {
		col := p.z[j*p.size : (j+1)*p.size]
		s.z[j] = col[i]
		simd.AddSqDist(p.k, col[i], col)
	}
	m.hyper.Kernel.rows(p.k, nil, p.k, m.hyper.Outputscale)
	for q, k := range p.k {
		p.learn(q, at, k, s)
	}
	p.steps = append(p.steps, s)
}

// learn adds to a point the entry of an observation whose covariance with it is k.
func (p *Pool) learn(q, at int, k float64, s poolStep) {
	row := p.row(q)
	b := (k - simd.Dot(row[:at], s.v)) / s.t
	row[at] = b
	p.Mean[q] += b * s.shift
	p.Var[q] = math.Max(p.Var[q]-b*b, minVar)
}

// Replace puts other points into some places of the pool. They know all observations that were imagined before. The model is read once for
// all of them, which is most of the work if it has many data.
func (p *Pool) Replace(places []int, points [][]float64) {
	m := p.m
	if len(places) == 0 {
		return
	}
	if p.some == nil || p.some.rows != len(places) {
		p.some = m.NewBatch(len(places), nil)
	}
	b := p.some
	b.Forward(slices.Concat(points...), false)
	for n, i := range places {
		row := p.row(i)
		clear(row)
		copy(row, b.v[n*m.ld:(n+1)*m.ld])
		p.Mean[i], p.Var[i] = b.Mean[n], b.Var[n]
		p.place(i, b.point(n))
		p.recall(i, b.point(n))
	}
}

// recall tells a new point of all observations that were imagined before.
func (p *Pool) recall(i int, z []float64) {
	m := p.m
	p.flat = slices.Grow(p.flat[:0], len(p.steps))[:len(p.steps)]
	for n, s := range p.steps {
		p.flat[n] = sqDist(0, z, s.z)
	}
	m.hyper.Kernel.rows(p.flat, nil, p.flat, m.hyper.Outputscale)
	for n, s := range p.steps {
		p.learn(i, m.ld+n, p.flat[n], s)
	}
}
