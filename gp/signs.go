package gp

import (
	"math"

	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/internal/simd"
)

// For some functions only the sign is seen: an experiment works where such a function is above zero, and fails elsewhere. The chance of the sign ±1 is
// Φ(±f(x)). The posterior of f is not normal, and expectation propagation (Minka 2001; Rasmussen and Williams 2006, §3.6) approximates it by a
// Gaussian process. Each sign becomes an observation of f with a noise of its own. This noise is chosen so that the mean and variance of f at the point
// are those that the sign itself would leave, given all other signs. So a model of signs is a Model like any other, with P(x works) = Φ(mean/√(variance + 1)).

// signNoise is the variance between f and a sign: the variance of Φ.
const signNoise = 1

// The sweeps end after mostSweeps, or when no precision has changed by more than the fraction settled.
const mostSweeps, settled = 30, 1e-2

// Signs is a Gaussian process of which signs were seen. A fit begins where the last one ended, since a search tries hyperparameters that differ little.
type Signs struct {
	x     [][]float64
	signs []float64

	precision, shift []float64 // of the sites, as in shift·g − precision·g²/2 with g = f − m
	kernel           []float64 // ld×ld: the covariance of the prior, both triangles
	cov              []float64 // wide×wide: that of the posterior, the lower triangle
	mean             []float64 // ld: of g
	ld, wide         int

	inverse, upper, left, right []float64 // scratch
}

// block is the number of sites after which the posterior's covariance is brought up to date: as many as a panel of the product has.
const block = 8

// NewSigns returns signs, ±1, at the rows of x.
func NewSigns(x [][]float64, signs []float64) *Signs {
	n, ld := len(x), simd.Pad(len(x))
	wide := (n + 7) &^ 7
	square := func(n int) []float64 { return make([]float64, n*n) }
	return &Signs{x: x, signs: signs, ld: ld, wide: wide, precision: make([]float64, n), shift: make([]float64, ld), kernel: square(ld), cov: square(wide), mean: make([]float64, ld),
		inverse: square(ld), upper: square(ld), left: square(wide), right: square(wide)}
}

// site returns the observation of f that leaves the same mean and variance as a sign does, where f has these moments. Its precision is a/(1 − a·variance).
func site(sign, mean, variance float64) (target, a, logZ float64) {
	root := math.Sqrt(signNoise + variance)
	z := sign * mean / root
	logZ, ratio := normal.LogCDF(z)
	a = ratio * (z + ratio) / (signNoise + variance)
	return mean + sign*ratio/root/a, a, logZ
}

// leastA is the information below which a sign says nothing: it was certain.
const leastA = 1e-12

// Fit returns the model with the given hyperparameters, whose noise is not used, and the logarithm of the chance of all signs.
func (s *Signs) Fit(h Hyper) (*Model, float64) {
	n := len(s.x)
	h.Noise = signNoise
	m := newEmpty(len(h.Lengthscales), n, h.clone(), Standard{Scale: 1}, false)
	evidence := s.settle(m)
	targets, noises := make([]float64, n), make([]float64, n)
	for i, p := range s.precision {
		p = math.Max(p, leastA)
		noises[i], targets[i] = 1/p, h.Mean+s.shift[i]/p
	}
	m.noises = noises
	m.condition(targets)
	return m, evidence
}

// Evidence returns the logarithm of the chance of all signs under the given hyperparameters, as Fit does, in half the time.
func (s *Signs) Evidence(h Hyper) float64 {
	h.Noise = signNoise
	return s.settle(&Model{dim: len(h.Lengthscales), n: len(s.x), ld: s.ld, hyper: h, standard: Standard{Scale: 1}, inputs: make([]float64, len(h.Lengthscales)*s.ld)})
}

// settle sweeps until the sites are settled, for a model of which only the hyperparameters are set, and returns the logarithm of the chance of all signs.
func (s *Signs) settle(m *Model) float64 {
	for i, row := range s.x {
		m.setInput(i, row)
	}
	s.fillKernel(m)
	if !s.recompute() {
		s.restart()
	}
	for range mostSweeps {
		if s.sweep(m.hyper.Mean) < settled {
			break
		}
	}
	return s.logEvidence(m.hyper.Mean)
}

// restart forgets the sites.
func (s *Signs) restart() {
	clear(s.precision)
	clear(s.shift)
	s.recompute()
}

// fillKernel writes K, both triangles.
func (s *Signs) fillKernel(m *Model) {
	m.noises = make([]float64, m.n) // none
	m.covariance(s.kernel)
	for i := range m.n {
		for j := range i {
			s.kernel[j*s.ld+i] = s.kernel[i*s.ld+j]
		}
	}
}

// factor returns L of B = I + √T·K·√T, with T the precisions, or false if rounding keeps B from being positive definite.
func (s *Signs) factor() ([]float64, bool) {
	b := make([]float64, s.ld*s.ld)
	for i, p := range s.precision {
		for j, q := range s.precision[:i+1] {
			b[i*s.ld+j] = math.Sqrt(p) * s.kernel[i*s.ld+j] * math.Sqrt(q)
		}
		b[i*s.ld+i]++
	}
	return b, simd.Cholesky(b, len(s.x), s.ld)
}

// recompute computes the posterior from the sites: with L of B, of Σ = K − WWᵀ with W = K√T·L⁻ᵀ the lower triangle.
func (s *Signs) recompute() bool {
	n, ld, wide := len(s.x), s.ld, s.wide
	b, ok := s.factor()
	if !ok {
		return false
	}
	simd.InvLower(s.inverse, b, n, ld)
	clear(s.upper)
	transpose(s.upper, s.inverse, n, ld)
	scaled := b // no longer needed
	clear(scaled)
	for i := range n {
		for j, p := range s.precision {
			scaled[i*ld+j] = s.kernel[i*ld+j] * math.Sqrt(p)
		}
	}
	simd.MulUpper(s.inverse, scaled, s.upper, n, ld)
	for i := range n {
		copy(s.cov[i*wide:i*wide+n], s.kernel[i*ld:i*ld+n])
		for j, v := range s.inverse[i*ld : i*ld+n] {
			s.left[i*wide+j], s.right[j*wide+i] = v, v
		}
	}
	simd.SubOuter(s.cov, s.left, s.right, n, n, wide, wide)
	clear(s.mean)
	column := make([]float64, n)
	for i := range n {
		simd.Axpy(s.shift[i], s.column(i, column), s.mean[:n])
	}
	return true
}

// column returns a column of Σ, in dst.
func (s *Signs) column(i int, dst []float64) []float64 {
	copy(dst, s.cov[i*s.wide:i*s.wide+i+1])
	for j := i + 1; j < len(dst); j++ {
		dst[j] = s.cov[j*s.wide+i]
	}
	return dst
}

// cavity returns the moments of f at a datum without its own sign, given the variance with it, and false where rounding has left none.
func (s *Signs) cavity(i int, own, prior float64) (mean, variance float64, ok bool) {
	precision := 1/own - s.precision[i]
	if !(own > 0 && precision > 0) {
		return 0, 0, false
	}
	return (s.mean[i]/own-s.shift[i])/precision + prior, 1 / precision, true
}

// own is the variance of f at a datum.
func (s *Signs) own(i int) float64 { return s.cov[i*s.wide+i] }

// sweep computes every site anew, given all others, and returns the largest change of a precision. A new site changes Σ by a multiple of ccᵀ, with c its column.
// These changes are collected, and subtracted a block at a time.
func (s *Signs) sweep(prior float64) (largest float64) {
	n, collected := len(s.x), 0
	for i, sign := range s.signs {
		column := s.column(i, s.right[collected*s.wide:collected*s.wide+n])
		for k := range collected {
			simd.Axpy(-s.left[i*block+k], s.right[k*s.wide:k*s.wide+n], column)
		}
		mean, variance, ok := s.cavity(i, column[i], prior)
		if !ok {
			continue
		}
		target, a, _ := site(sign, mean, variance)
		precision, shift := 0.0, 0.0
		if a > leastA {
			precision = a / math.Max(1-a*variance, 1e-9)
			shift = precision * (target - prior)
		}
		more, other := precision-s.precision[i], shift-s.shift[i]
		s.precision[i], s.shift[i] = precision, shift
		weight := 1 / (1 + more*column[i])
		simd.Axpy((other-more*s.mean[i])*weight, column, s.mean[:n])
		for j, v := range column {
			s.left[j*block+collected] = more * weight * v
		}
		if collected++; collected == block {
			simd.SubOuter(s.cov, s.left, s.right, n, collected, s.wide, block)
			collected = 0
		}
		largest = math.Max(largest, math.Abs(more)/(precision+1e-6))
	}
	simd.SubOuter(s.cov, s.left, s.right, n, collected, s.wide, block)
	return largest
}

// logEvidence is the logarithm of the chance of all signs (Rasmussen and Williams 2006, eq. 3.65).
func (s *Signs) logEvidence(prior float64) (sum float64) {
	b, ok := s.factor()
	if !ok {
		return math.Inf(-1)
	}
	for i, sign := range s.signs {
		mean, variance, ok := s.cavity(i, s.own(i), prior)
		if !ok {
			return math.Inf(-1)
		}
		_, _, logZ := site(sign, mean, variance)
		mean -= prior
		p, v := s.precision[i], s.shift[i]
		all := 1/variance + p
		sum += logZ + math.Log1p(p*variance)/2 - math.Log(b[i*s.ld+i])
		sum += (v*s.mean[i] - v*v/all) / 2
		sum += mean / variance / all * (p*mean - 2*v) / 2
	}
	return sum
}

// LeftOut returns, after Fit, the chance of each sign given all other signs.
func (s *Signs) LeftOut(prior float64) []float64 {
	list := make([]float64, len(s.signs))
	for i, sign := range s.signs {
		if mean, variance, ok := s.cavity(i, s.own(i), prior); ok {
			_, _, ln := site(sign, mean, variance)
			list[i] = math.Exp(ln)
		}
	}
	return list
}

// condition factors the covariance and solves for the weights.
func (m *Model) condition(targets []float64) {
	factor := m.upper
	for more := 0.0; ; more = math.Max(10*more, 1e-8) {
		m.covariance(factor)
		for i := range m.n {
			factor[i*m.ld+i] += more
		}
		if simd.Cholesky(factor, m.n, m.ld) || math.IsInf(more, 1) {
			break
		}
	}
	simd.InvLower(m.lower, factor, m.n, m.ld)
	clear(factor)
	transpose(m.upper, m.lower, m.n, m.ld)
	for i, v := range targets {
		m.targets[i] = v - m.hyper.Mean
	}
	m.solveWeights()
}

// ObserveSign imagines a sign at a point of the pool of a model of signs.
func (p *Pool) ObserveSign(i int, sign float64) {
	target, a, _ := site(sign, p.Mean[i], p.Var[i])
	if a > leastA {
		p.observe(i, target, math.Max(1/a-p.Var[i], 1e-9))
	}
}

// noise is the variance of the noise of a datum.
func (m *Model) noise(i int) float64 {
	if m.noises != nil {
		return m.noises[i]
	}
	return m.hyper.Noise
}
