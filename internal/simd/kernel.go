package simd

import "math"

// maternCap bounds the square of √(2p+1)·r. At the bound the exponential is zero, so an infinite
// distance gives correlation 0 and not ∞·0.
const maternCap = 800 * 800

// maternFlush is the value of that square beyond which the correlation counts as zero: at e^−150, 1e-65. Such small
// correlations say nothing, but their products are denormal, and processors take a hundred times as long for
// denormals. A factorisation at short lengthscales would crawl.
const maternFlush = 150 * 150

// matern is a Matérn kernel of half-integer order. With s = √stretch·r,
//
//	k = scale·(1 + s + square·s²)·e^{−s},   g = scale·slope·(1 + linear·s)·e^{−s}.
//
// Each constant occurs four times, to fill a vector register. The assembly depends on their order.
type matern struct {
	stretch, square, linear [4]float64
	slope                   float64
}

func four(v float64) [4]float64 { return [4]float64{v, v, v, v} }

var (
	order52 = matern{stretch: four(5), square: four(1. / 3), linear: four(1), slope: 5. / 3}
	order32 = matern{stretch: four(3), slope: 3}
)

// Matern52 turns squared scaled distances r² into the Matérn-5/2 correlation
//
//	k = scale·(1 + √5r + 5r²/3)·e^{−√5r}
//
// and the factor of its gradient
//
//	g = scale·(5/3)·(1 + √5r)·e^{−√5r},
//
// so that ∂k/∂z_i = −g·(z_i−z'_i) when r² = Σ(z_i−z'_i)². The length of r2 counts. k may alias r2,
// and g may be nil if only the value is needed. At r² = 0 the result is exactly scale, and beyond
// e^−150 it is zero. NaN stays NaN, and a negative r² gives NaN.
func Matern52(k, g, r2 []float64, scale float64) { order52.rows(k, g, r2, scale) }

// Matern32 does the same for the Matérn-3/2 correlation. Its functions have one derivative; those of Matern52
// have two:
//
//	k = scale·(1 + √3r)·e^{−√3r},   g = scale·3·e^{−√3r}.
func Matern32(k, g, r2 []float64, scale float64) { order32.rows(k, g, r2, scale) }

func (m *matern) rows(k, g, r2 []float64, scale float64) {
	need(len(k), len(r2), "simd: Matern: k is shorter than r2")
	if g != nil {
		need(len(g), len(r2), "simd: Matern: g is shorter than r2")
	}
	gscale := scale * m.slope
	if useAsm {
		maternAsm(m, k, g, r2, scale, gscale)
		return
	}
	maternGo(m, k, g, r2, scale, gscale)
}

func maternGo(m *matern, k, g, r2 []float64, scale, gscale float64) {
	k = k[:len(r2)]
	stretch, square, linear := m.stretch[0], m.square[0], m.linear[0]
	for i, v := range r2 {
		t := stretch * v // s²
		if t > maternCap {
			t = maternCap
		}
		s := math.Sqrt(t)
		e := math.Exp(-s)
		if t > maternFlush {
			e = 0
		}
		k[i] = (t*square + (1 + s)) * (scale * e)
		if g != nil {
			g[i] = (1 + linear*s) * (gscale * e)
		}
	}
}

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
