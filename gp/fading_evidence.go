package gp

import "math"

// fadingPart is the part of the evidence that has to do with levels of fidelity, MATH.md (31).
type fadingPart struct {
	Fading
	levels  []float64 // n
	bias    []float64 // n: b of all data
	slope   []float64 // n: p·∂b/∂p = p·b·ln(1−t)
	z       []float64 // n: t/ℓ_t
	unfaded []float64 // ld×ld: s·M
}

func newFadingPart(levels []float64, n, ld int) *fadingPart {
	f := func(n int) []float64 { return make([]float64, n) }
	return &fadingPart{levels: levels, bias: f(n), slope: f(n), z: f(n), unfaded: f(ld * ld)}
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

// apply turns a row of covariances, and their derivative factors if there are any, into one with levels.
func (f *fadingPart) apply(row, g []float64, i, ld int) {
	copy(f.unfaded[i*ld:], row)
	for k, v := range row {
		factor := f.factor(f.bias[i], f.bias[k])
		row[k] = v*factor + f.Shift*f.bias[i]*f.bias[k]
		if g != nil {
			g[k] *= factor
		}
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
