package simd

import "math"

// gaussianFlush is the correlation below which it counts as zero: e^−150; see maternFlush.
const gaussianFlush = 7e-66

// Gaussian turns squared scaled distances r² into the squared-exponential correlation k = scale·e^{−r²/2}. The factor of
// its gradient, g, is the same number. See Matern52 for the arguments.
func Gaussian(k, g, r2 []float64, scale float64) {
	need(len(k), len(r2), "simd: Gaussian: k is shorter than r2")
	k = k[:len(r2)]
	for i, v := range r2 {
		if k[i] = -v / 2; v < 0 {
			k[i] = math.NaN()
		}
	}
	Exp(k, k)
	for i, v := range k {
		if k[i] = scale * v; v < gaussianFlush {
			k[i] = 0
		}
	}
	if g != nil {
		need(len(g), len(r2), "simd: Gaussian: g is shorter than r2")
		copy(g, k)
	}
}
