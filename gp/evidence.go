package gp

import (
	"math"

	"github.com/eke-bo/eke/internal/simd"
)

// evidence is the function that MAP maximises, MATH.md (4): the log likelihood of the standardised
// targets plus the weighted log prior, as a function of
//
//	θ = (ln ℓ_1, …, ln ℓ_d, ln s, ln τ²),
//
// followed by (ln ℓ_t, ln w, ln v, ln p, ln q) if there are levels of fidelity.
//
// The mean m is not among them. For given θ the best mean is known,
//
//	m = 1ᵀK⁻¹y / 1ᵀK⁻¹1,
//
// and because the likelihood is stationary in m there, the gradient in θ is the one at fixed m. An
// evidence is scratch memory for one goroutine.
type evidence struct {
	n, ld, dim int
	noise      Noise
	kernel     Kernel
	weight     float64                 // of the prior
	reach      func(input int) float64 // how many times as long as usual a lengthscale is expected to be
	stop       func() bool
	x          []float64   // dim×ld, one row per input
	fading     *fadingPart // of the levels; nil: there is one
	y          []float64   // n standardised targets
	also       [][]float64 // see Settings

	z                      []float64 // dim×ld: x/ℓ
	factor, g, lower       []float64 // ld×ld
	upper, inverse         []float64 // ld×ld
	whiteOne, whiteY, a, w []float64 // ld
}

func newEvidence(x [][]float64, y []float64, dim int, s Settings) *evidence {
	n := len(x)
	ld := simd.Pad(n)
	f := func(n int) []float64 { return make([]float64, n) }
	e := &evidence{
		n: n, ld: ld, dim: dim, kernel: s.Kernel, noise: *s.Noise, weight: s.PriorWeight, reach: s.reach,
		x: f(dim * ld), y: y, also: s.also, z: f(dim * ld),
		factor: f(ld * ld), g: f(ld * ld), lower: f(ld * ld), upper: f(ld * ld), inverse: f(ld * ld),
		whiteOne: f(ld), whiteY: f(ld), a: f(ld), w: f(ld),
	}
	for i, row := range x {
		for j, v := range row {
			e.x[j*ld+i] = v
		}
	}
	if s.Levels != nil {
		e.fading = &fadingPart{levels: s.Levels, bias: f(n), slope: f(n), z: f(n), unfaded: f(ld * ld)}
	}
	return e
}

// eval has the signature that the optimiser expects. It returns NaN where K + τ²I is not positive
// definite to working precision. It also returns NaN once the fit is to stop, since one evaluation
// takes long with many data.
func (e *evidence) eval(grad, theta []float64) float64 {
	s, noise := math.Exp(theta[e.dim]), math.Exp(theta[e.dim+1])
	if e.stopped() || !e.factorise(theta, s, noise, grad != nil) {
		return math.NaN()
	}
	value := e.whiten()
	if grad != nil {
		e.gradient(grad, noise)
	}
	if e.stopped() {
		return math.NaN()
	}
	return value + e.weight*e.prior(grad, theta)
}

func (e *evidence) stopped() bool { return e.stop != nil && e.stop() }

// factorise computes K + τ²I = LLᵀ and L⁻¹.
func (e *evidence) factorise(theta []float64, s, noise float64, withGrad bool) bool {
	for j := range e.dim {
		inv := math.Exp(-theta[j])
		for i, v := range e.x[j*e.ld : (j+1)*e.ld] {
			e.z[j*e.ld+i] = v * inv
		}
	}
	if e.fading != nil {
		e.fading.set(theta[e.dim+2:])
	}
	for i := range e.n {
		row := e.factor[i*e.ld : i*e.ld+i+1]
		clear(row)
		addSqDists(row, e.z, i, e.ld)
		var g []float64
		if withGrad {
			g = e.g[i*e.ld : i*e.ld+i+1]
		}
		if e.fading != nil {
			e.fading.addDist(row, i)
		}
		e.kernel.rows(row, g, row, s)
		if e.fading != nil {
			copy(e.fading.unfaded[i*e.ld:], row)
			e.fading.fadeRow(row, g, e.fading.bias, i)
		}
		if e.also != nil {
			simd.Axpy(1, e.also[i], row)
		}
		row[i] += noise
	}
	if e.stopped() || !simd.Cholesky(e.factor, e.n, e.ld) || e.stopped() {
		return false
	}
	simd.InvLower(e.lower, e.factor, e.n, e.ld)
	return !e.stopped()
}

// whiten solves for the mean and the weights and returns the log likelihood.
func (e *evidence) whiten() float64 {
	logDet := 0.0
	for i := range e.n {
		row := e.lower[i*e.ld : i*e.ld+i+1]
		one := 0.0
		for _, v := range row {
			one += v
		}
		e.whiteOne[i], e.whiteY[i] = one, simd.Dot(row, e.y)
		logDet -= math.Log(row[i])
	}
	mean := e.mean()
	clear(e.a)
	squares := 0.0
	for i := range e.n {
		r := e.whiteY[i] - mean*e.whiteOne[i]
		squares += r * r
		simd.Axpy(r, e.lower[i*e.ld:i*e.ld+i+1], e.a)
	}
	return -0.5*squares - logDet - 0.5*float64(e.n)*math.Log(2*math.Pi)
}

// mean returns the best m at the last hyperparameters evaluated.
func (e *evidence) mean() float64 {
	return simd.Dot(e.whiteOne, e.whiteY) / simd.Dot(e.whiteOne, e.whiteOne)
}

// gradient writes the gradient of the log likelihood,
//
//	½ Σ_ik (a_i a_k − K⁻¹_ik) ∂K_ik/∂θ,   ∂k/∂ln ℓ_j = g·(z_ij − z_kj)².
//
// For ln s and ln τ² the sum has a closed form, since (K + τ²I)a = y − m.
func (e *evidence) gradient(grad []float64, noise float64) {
	clear(grad)
	if !e.invert() {
		return
	}
	trace := 0.0
	for i := range e.n {
		trace += e.inverse[i*e.ld+i]
		w := e.w[:i]
		inverse, g := e.inverse[i*e.ld:i*e.ld+i], e.g[i*e.ld:i*e.ld+i]
		for k := range w {
			w[k] = (e.a[i]*e.a[k] - inverse[k]) * g[k]
		}
		for j := range e.dim {
			col := e.z[j*e.ld : j*e.ld+i+1]
			sum, zi := 0.0, col[i]
			for k, v := range w {
				sum += v * (col[k] - zi) * (col[k] - zi)
			}
			grad[j] += sum
		}
		if e.fading != nil {
			e.fading.gradient(grad[e.dim+2:], e, i)
		}
	}
	fit := 0.0 // aᵀ(y − m)
	mean := e.mean()
	for i, v := range e.y {
		fit += e.a[i] * (v - mean)
	}
	square := simd.Dot(e.a, e.a)
	grad[e.dim] = 0.5 * (fit - noise*square - float64(e.n) + noise*trace)
	grad[e.dim+1] = 0.5 * noise * (square - trace)
	if e.fading != nil { // the shift is a part of K that does not grow with s
		grad[e.dim] -= grad[e.dim+2+2]
	}
	for i, row := range e.also { // nor does this one
		for k, v := range row {
			if k == i {
				v /= 2 // off the diagonal, every entry stands for two
			}
			grad[e.dim] -= (e.a[i]*e.a[k] - e.inverse[i*e.ld+k]) * v
		}
	}
}

// invert computes K⁻¹ = L⁻ᵀL⁻¹, some rows at a time. With a thousand data it is the longest step, and the fit may
// have to stop in the middle of it.
func (e *evidence) invert() bool {
	const block = 128
	transpose(e.upper, e.lower, e.n, e.ld)
	for top := 0; top < e.n; top += block {
		if e.stopped() {
			return false
		}
		rows := min(block, e.n-top)
		simd.MulLower(e.inverse[top*e.ld:], e.upper[top*e.ld:], e.lower, rows, e.ld)
	}
	return true
}

// prior returns the log prior and adds its weighted gradient to grad.
func (e *evidence) prior(grad, theta []float64) float64 {
	sum := 0.0
	add := func(g Gamma, i int, unit float64) {
		p, d := g.LogDensity(math.Exp(theta[i]) / unit)
		sum += p
		if grad != nil {
			grad[i] += e.weight * d
		}
	}
	for j := range e.dim {
		add(lengthscalePrior, j, e.reach(j))
	}
	add(outputscalePrior, e.dim, 1)
	if e.noise.Prior != nil {
		add(*e.noise.Prior, e.dim+1, 1)
	}
	if e.fading != nil {
		for i, g := range fadingPriors {
			add(g, e.dim+2+i, 1)
		}
	}
	return sum
}

// hyper returns the hyperparameters at θ, with the mean of the last evaluation.
func (e *evidence) hyper(theta []float64) Hyper {
	h := Hyper{Outputscale: math.Exp(theta[e.dim]), Noise: math.Exp(theta[e.dim+1]), Mean: e.mean(), Kernel: e.kernel}
	for j := range e.dim {
		h.Lengthscales = append(h.Lengthscales, math.Exp(theta[j]))
	}
	if e.fading != nil {
		f := e.fading.Fading
		h.Fading = &f
	}
	return h
}

// fadingPart is the part of the evidence that has to do with levels of fidelity, MATH.md (31).
type fadingPart struct {
	Fading
	levels  []float64 // n
	bias    []float64 // n: b of all data
	slope   []float64 // n: p·∂b/∂p = p·b·ln(1−t)
	z       []float64 // n: t/ℓ_t
	unfaded []float64 // ld×ld: s·M
}

// set takes over hyperparameters, given by their logarithms.
func (f *fadingPart) set(theta []float64) {
	f.Fading = Fading{math.Exp(theta[0]), math.Exp(theta[1]), math.Exp(theta[2]), math.Exp(theta[3]), math.Exp(theta[4])}
	for i, t := range f.levels {
		f.z[i], f.bias[i], f.slope[i] = t/f.Lengthscale, f.Fading.bias(t), 0
		if t < 1 {
			f.slope[i] = f.Power * f.bias[i] * math.Log1p(-t)
		}
	}
}

// addDist adds to a row of squared distances those between the levels.
func (f *fadingPart) addDist(row []float64, i int) {
	for k := range row {
		row[k] += (f.z[i] - f.z[k]) * (f.z[i] - f.z[k])
	}
}

// gradient adds what row i has to say to the gradient of the log likelihood in (ln ℓ_t, ln w, ln v, ln p, ln q).
func (f *fadingPart) gradient(grad []float64, e *evidence, i int) {
	inverse, unfaded := e.inverse[i*e.ld:i*e.ld+i+1], f.unfaded[i*e.ld:i*e.ld+i+1]
	for k, v := range unfaded {
		weight := e.a[i]*e.a[k] - inverse[k]
		if k == i {
			weight /= 2 // off the diagonal, every entry stands for two
		} else {
			grad[0] += e.w[k] * (f.z[i] - f.z[k]) * (f.z[i] - f.z[k])
		}
		both := f.bias[i] * f.bias[k]
		grad[1] += weight * v * f.Fading.Bias * both
		grad[2] += weight * f.Shift * both
		aI, aK := 1-f.Loss*f.bias[i], 1-f.Loss*f.bias[k]
		grad[3] += weight * ((v*f.Fading.Bias+f.Shift)*(f.slope[i]*f.bias[k]+f.bias[i]*f.slope[k]) - v*f.Loss*(f.slope[i]*aK+f.slope[k]*aI))
		grad[4] -= weight * v * f.Loss * (f.bias[i]*aK + f.bias[k]*aI)
	}
}
