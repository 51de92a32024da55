package simd

import "math"

// Cholesky factors, in place, the lower triangle of the symmetric
// positive-definite n×n matrix a (row-major, stride ld ≥ n). It returns false
// when a pivot is not positive or not finite, and a then holds a partial
// factor. The upper triangle is not written, and does not
// matter.
func Cholesky(a []float64, n, ld int) bool {
	checkSquare(len(a), n, ld, "simd: Cholesky: a is shorter than n×n")
	if useAsm {
		return choleskyAsm(a, n, ld)
	}
	return choleskyRows(a, 0, n, ld)
}

// checkSquare checks a matrix whose last row may end at its n-th entry.
func checkSquare(length, n, ld int, msg string) {
	if n < 0 || ld < n {
		panic("simd: negative n or stride below n")
	}
	if n > 0 {
		need(length, n, msg)
		needMatrix(length-n, n-1, ld, msg)
	}
}

// choleskyRows computes, row by row, the entries from row and column from on. The columns before
// are done. Each entry is reduced by the product of two finished parts of rows, both contiguous.
func choleskyRows(a []float64, from, n, ld int) bool {
	for i := from; i < n; i++ {
		ri := a[i*ld : i*ld+i+1]
		for j := from; j < i; j++ {
			rj := a[j*ld : j*ld+j+1]
			ri[j] = (ri[j] - rowDot(rj[:j], ri)) / rj[j]
		}
		d := ri[i] - rowDot(ri[:i], ri)
		if !isPivot(d) {
			return false
		}
		ri[i] = math.Sqrt(d)
	}
	return true
}

// isPivot reports whether d can be a pivot; a NaN fails the first comparison.
func isPivot(d float64) bool { return d > 0 && d <= math.MaxFloat64 }

// rowDot is Dot, except for the short rows of small matrices, where a loop is done before the
// assembly would have begun.
func rowDot(x, y []float64) float64 {
	if len(x) >= 16 {
		return Dot(x, y)
	}
	s := 0.0
	for i, v := range x {
		s += v * y[i]
	}
	return s
}
