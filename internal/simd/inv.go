package simd

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
