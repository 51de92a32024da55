package simd

// panel8Asm and panel12Asm set dst = a·b, or with sub ≠ 0 dst −= a·b, where dst
// is rows×8 or rows×12, a rows×k and b k×8 or k×12, with strides ldd, lda and
// ldb. k must be positive.
//
//go:noescape
func panel8Asm(dst, a, b *float64, rows, k, ldd, lda, ldb, sub int)

//go:noescape
func panel12Asm(dst, a, b *float64, rows, k, ldd, lda, ldb, sub int)

// panels returns how many panels of 8 columns stand beside those of 12 for n
// columns in all, a multiple of 4 above 4: a panel of 4, with its four sums,
// would wait for itself.
func panels(n int) (eights int) {
	switch n % 12 {
	case 4:
		return 2
	case 8:
		return 1
	}
	return 0
}

// mulUpperAsm goes over column panels [c, c+w), for which b has rows 0…c+w−1
// only. The panels of 8 come first, where the columns are shortest.
func mulUpperAsm(dst, a, b []float64, rows, n int) {
	if rows == 0 || n <= lanes {
		mulUpperGo(dst, a, b, rows, n)
		return
	}
	c := 0
	for end := 8 * panels(n); c < end; c += 8 {
		panel8Asm(&dst[c], &a[0], &b[c], rows, c+8, n, n, n, 0)
	}
	for ; c < n; c += 12 {
		panel12Asm(&dst[c], &a[0], &b[c], rows, c+12, n, n, n, 0)
	}
}

// mulLowerAsm is mulUpperAsm the other way round: b has rows c…n−1, and the
// panels of 8 come last.
func mulLowerAsm(dst, a, b []float64, rows, n int) {
	if rows == 0 || n <= lanes {
		mulLowerGo(dst, a, b, rows, n)
		return
	}
	c := 0
	for end := n - 8*panels(n); c < end; c += 12 {
		panel12Asm(&dst[c], &a[c], &b[c*n+c], rows, n-c, n, n, n, 0)
	}
	for ; c < n; c += 8 {
		panel8Asm(&dst[c], &a[c], &b[c*n+c], rows, n-c, n, n, n, 0)
	}
}
