package simd

import "math"

// maternCap bounds 5r², at the square of an argument whose exponential is
// zero, so that an infinite distance gives correlation 0 and not ∞·0.
const maternCap = 800 * 800

// maternFlush is where, in 5r², the correlation is taken for zero: at e^−150, 1e-65. What is left there says
// nothing, but products of such numbers are denormal, and processors take a hundred times as long for
// those: a factorisation at short lengthscales would crawl.
const maternFlush = 150 * 150

// Matern52 turns squared scaled distances r² into the Matérn-5/2 correlation
//
//	k = scale·(1 + √5r + 5r²/3)·e^{−√5r}
//
// and the factor of its gradient
//
//	g = scale·(5/3)·(1 + √5r)·e^{−√5r},
//
// so that ∂k/∂z_i = −g·(z_i−z'_i) when r² = Σ(z_i−z'_i)². The length of r2
// counts; k may alias r2; g may be nil, for the value alone. At r² = 0 the
// result is scale exactly, beyond e^−150 it is zero; NaN goes through, and a negative r² gives it.
func Matern52(k, g, r2 []float64, scale float64) {
	need(len(k), len(r2), "simd: Matern52: k is shorter than r2")
	if g != nil {
		need(len(g), len(r2), "simd: Matern52: g is shorter than r2")
	}
	gscale := scale * (5.0 / 3)
	if useAsm {
		maternAsm(k, g, r2, scale, gscale)
		return
	}
	maternGo(k, g, r2, scale, gscale)
}

func maternGo(k, g, r2 []float64, scale, gscale float64) {
	k = k[:len(r2)]
	for i, v := range r2 {
		t := 5 * v // (√5r)²
		if t > maternCap {
			t = maternCap
		}
		s := math.Sqrt(t)
		e := math.Exp(-s)
		if t > maternFlush {
			e = 0
		}
		k[i] = (t*(1.0/3) + (1 + s)) * (scale * e)
		if g != nil {
			g[i] = (1 + s) * (gscale * e)
		}
	}
}
