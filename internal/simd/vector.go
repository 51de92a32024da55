package simd

import "math"

// Dot returns Σ x[i]·y[i] over the length of x; y may be longer.
func Dot(x, y []float64) float64 {
	need(len(y), len(x), "simd: Dot: y is shorter than x")
	if useAsm {
		return dotAsm(x, y)
	}
	return dotGo(x, y)
}

// dotGo keeps four partial sums, so that an addition need not wait for the one
// before it.
func dotGo(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		u, v := x[i:i+4:i+4], y[i:i+4:i+4]
		s0 += u[0] * v[0]
		s1 += u[1] * v[1]
		s2 += u[2] * v[2]
		s3 += u[3] * v[3]
	}
	for ; i < len(x); i++ {
		s0 += x[i] * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// WeightedDiff returns Σ w[i]·(col[i]−z) over the length of w. With w = k̄∘g it
// is the pull-back of a kernel row to one coordinate.
func WeightedDiff(w []float64, z float64, col []float64) float64 {
	need(len(col), len(w), "simd: WeightedDiff: col is shorter than w")
	if useAsm {
		return weightedDiffAsm(w, z, col)
	}
	return weightedDiffGo(w, z, col)
}

func weightedDiffGo(w []float64, z float64, col []float64) float64 {
	col = col[:len(w)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(w); i += 4 {
		u, v := w[i:i+4:i+4], col[i:i+4:i+4]
		s0 += u[0] * (v[0] - z)
		s1 += u[1] * (v[1] - z)
		s2 += u[2] * (v[2] - z)
		s3 += u[3] * (v[3] - z)
	}
	for ; i < len(w); i++ {
		s0 += w[i] * (col[i] - z)
	}
	return (s0 + s1) + (s2 + s3)
}

// Axpy adds alpha·x to y over the length of x; y may be longer.
func Axpy(alpha float64, x, y []float64) {
	need(len(y), len(x), "simd: Axpy: y is shorter than x")
	if useAsm {
		axpyAsm(alpha, x, y)
		return
	}
	axpyGo(alpha, x, y)
}

func axpyGo(alpha float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}

// AddSqDist adds (col[i]−z)² to dst[i] over the length of dst; col may be
// longer.
func AddSqDist(dst []float64, z float64, col []float64) {
	need(len(col), len(dst), "simd: AddSqDist: col is shorter than dst")
	if useAsm {
		addSqDistAsm(dst, z, col)
		return
	}
	addSqDistGo(dst, z, col)
}

func addSqDistGo(dst []float64, z float64, col []float64) {
	col = col[:len(dst)]
	for i, v := range col {
		d := v - z
		dst[i] += d * d
	}
}

// Mul sets dst[i] = x[i]·y[i] over the length of x; dst and y may be longer.
func Mul(dst, x, y []float64) {
	need(len(dst), len(x), "simd: Mul: dst is shorter than x")
	need(len(y), len(x), "simd: Mul: y is shorter than x")
	if useAsm {
		mulAsm(dst, x, y)
		return
	}
	mulGo(dst, x, y)
}

func mulGo(dst, x, y []float64) {
	y, dst = y[:len(x)], dst[:len(x)]
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

// Exp sets dst[i] = exp(x[i]) over the length of x; dst may be longer. Over-
// and underflow, the infinities and NaN go as with math.Exp.
func Exp(dst, x []float64) {
	need(len(dst), len(x), "simd: Exp: dst is shorter than x")
	if useAsm {
		expAsm(dst, x)
		return
	}
	expGo(dst, x)
}

func expGo(dst, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = math.Exp(v)
	}
}
