package simd

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
