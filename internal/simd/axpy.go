package simd

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
	i := 0
	for ; i+4 <= len(x); i += 4 {
		u, v := x[i:i+4:i+4], y[i:i+4:i+4]
		v[0] += alpha * u[0]
		v[1] += alpha * u[1]
		v[2] += alpha * u[2]
		v[3] += alpha * u[3]
	}
	for ; i < len(x); i++ {
		y[i] += alpha * x[i]
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
	i := 0
	for ; i+4 <= len(dst); i += 4 {
		u, v := dst[i:i+4:i+4], col[i:i+4:i+4]
		d0, d1, d2, d3 := v[0]-z, v[1]-z, v[2]-z, v[3]-z
		u[0] += d0 * d0
		u[1] += d1 * d1
		u[2] += d2 * d2
		u[3] += d3 * d3
	}
	for ; i < len(dst); i++ {
		d := col[i] - z
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
	i := 0
	for ; i+4 <= len(x); i += 4 {
		u, v, d := x[i:i+4:i+4], y[i:i+4:i+4], dst[i:i+4:i+4]
		d[0], d[1], d[2], d[3] = u[0]*v[0], u[1]*v[1], u[2]*v[2], u[3]*v[3]
	}
	for ; i < len(x); i++ {
		dst[i] = x[i] * y[i]
	}
}
