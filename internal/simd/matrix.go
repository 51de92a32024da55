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

// InvLower writes the inverse of the lower triangular l (n×n, row-major,
// stride ld ≥ n) to dst, of the same layout, and zeros above its diagonal.
// Entries of l above the diagonal do not matter. dst may not overlap l. When l
// is singular or not finite, neither is dst.
func InvLower(dst, l []float64, n, ld int) {
	checkSquare(len(dst), n, ld, "simd: InvLower: dst is shorter than n×n")
	checkSquare(len(l), n, ld, "simd: InvLower: l is shorter than n×n")
	if useAsm {
		invLowerAsm(dst, l, n, ld)
		return
	}
	invLowerGo(dst, l, n, ld)
}

// invLowerGo solves L·X = I row by row:
//
//	X[i,:] = (e_i − Σ_{p<i} L[i,p]·X[p,:]) / L[i,i].
func invLowerGo(dst, l []float64, n, ld int) {
	for i := range n {
		row := dst[i*ld : i*ld+n]
		clear(row)
		li := l[i*ld : i*ld+i+1]
		p := 0
		for ; p+4 <= i; p += 4 {
			axpy4Go(row[:p+4], li[p:], dst[p*ld:], ld)
		}
		for ; p < i; p++ {
			axpyGo(li[p], dst[p*ld:p*ld+p+1], row)
		}
		inv := 1 / li[i]
		for q := range row[:i] {
			row[q] *= -inv
		}
		row[i] = inv
	}
}

// MulUpper sets dst = a·b, where a and dst are rows×n and b is n×n upper
// triangular, all row-major with stride n, a multiple of 4 (see Pad). The
// entries of b below its diagonal must be stored as zeros, since those near it
// are read, and a must be finite. dst may not overlap a or b.
//
// If b begins at a multiple of 32 bytes, like any large slice from make, it is read up to twice as
// fast. That matters if there are few rows.
func MulUpper(dst, a, b []float64, rows, n int) {
	checkMul(dst, a, b, rows, n)
	if useAsm {
		mulUpperAsm(dst, a, b, rows, n)
		return
	}
	mulUpperGo(dst, a, b, rows, n)
}

// MulLower is MulUpper for a lower triangular b.
func MulLower(dst, a, b []float64, rows, n int) {
	checkMul(dst, a, b, rows, n)
	if useAsm {
		mulLowerAsm(dst, a, b, rows, n)
		return
	}
	mulLowerGo(dst, a, b, rows, n)
}

// SubOuter subtracts a·b from the lower triangle of dst. dst is n×n with stride ld, a is n×k with stride lda, and b is k×n with stride ld. ld
// must be a multiple of 8, so that whole panels can be written. What is above the diagonal, and beyond n, has no meaning afterwards.
func SubOuter(dst, a, b []float64, n, k, ld, lda int) {
	if n < 0 || k < 0 || ld%8 != 0 || ld < n || lda < k {
		panic("simd: SubOuter: n or k is negative, or a stride too small, or no multiple of 8")
	}
	needMatrix(len(dst), n, ld, "simd: SubOuter: dst is shorter than n×ld")
	needMatrix(len(a), n, lda, "simd: SubOuter: a is shorter than n×lda")
	needMatrix(len(b), k, ld, "simd: SubOuter: b is shorter than k×ld")
	switch {
	case n == 0 || k == 0:
	case useAsm:
		subOuterAsm(dst, a, b, n, k, ld, lda)
	default:
		subOuterGo(dst, a, b, n, k, ld, lda)
	}
}

func subOuterGo(dst, a, b []float64, n, k, ld, lda int) {
	for i := range n {
		for p, v := range a[i*lda : i*lda+k] {
			axpyGo(-v, b[p*ld:p*ld+i+1], dst[i*ld:i*ld+i+1])
		}
	}
}

func checkMul(dst, a, b []float64, rows, n int) {
	if rows < 0 || n < 0 || n%lanes != 0 {
		panic("simd: Mul: rows or n is negative, or n no multiple of 4")
	}
	needMatrix(len(dst), rows, n, "simd: Mul: dst is shorter than rows×n")
	needMatrix(len(a), rows, n, "simd: Mul: a is shorter than rows×n")
	needMatrix(len(b), n, n, "simd: Mul: b is shorter than n×n")
}

func mulUpperGo(dst, a, b []float64, rows, n int) {
	for r := range rows {
		d, x := dst[r*n:(r+1)*n], a[r*n:(r+1)*n]
		clear(d)
		for p := 0; p < n; p += 4 {
			axpy4Go(d[p:], x[p:], b[p*n+p:], n)
		}
	}
}

func mulLowerGo(dst, a, b []float64, rows, n int) {
	for r := range rows {
		d, x := dst[r*n:(r+1)*n], a[r*n:(r+1)*n]
		clear(d)
		for p := 0; p < n; p += 4 {
			axpy4Go(d[:p+4], x[p:], b[p*n:], n)
		}
	}
}

// axpy4Go adds to d the four rows b, b+ld, … weighted by x[0..3]. Four rows at
// a time load and store d once for eight flops instead of two.
func axpy4Go(d, x, b []float64, ld int) {
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	b0, b1 := b[:len(d)], b[ld:ld+len(d)]
	b2, b3 := b[2*ld:2*ld+len(d)], b[3*ld:3*ld+len(d)]
	for i := range d {
		d[i] += (x0*b0[i] + x1*b1[i]) + (x2*b2[i] + x3*b3[i])
	}
}
