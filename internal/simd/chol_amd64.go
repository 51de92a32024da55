package simd

// cholDepth is how many columns of the finished factor are packed at once:
// 8 KiB, which stay in the first-level cache while the rows below pass by.
const cholDepth = 128

// choleskyAsm goes by panels of eight columns. For the panel J at column j,
// with everything to its left finished,
//
//	A[J:,J] −= L[J:,:j]·L[J,:j]ᵀ
//	A[J,J] = L[J,J]·L[J,J]ᵀ
//	L[i,J]·L[J,J]ᵀ = A[i,J] for the rows i below.
//
// The first line has nearly all the work; L[J,:j] is transposed into a small
// buffer, so that the product is one of panel8Asm. The second and third solve
// by substitution and not with an inverse of L[J,J], which would lose digits
// on the nearly singular matrices of close points. Up to seven rows are left
// over at the end, done up to their last few entries, which choleskyRows adds.
func choleskyAsm(a []float64, n, ld int) bool {
	var pack [8 * cholDepth]float64
	var t tri8
	j := 0
	for ; j+8 <= n; j += 8 {
		below := n - j - 8
		t.load(a[j*ld+j:], ld)
		for p := 0; p < j; p += cholDepth {
			depth := min(cholDepth, j-p)
			pack8Asm(&pack[0], &a[j*ld+p], depth/2, ld)
			panel8Asm(&t[0][0], &a[j*ld+p], &pack[0], 8, depth, 8, ld, 8, 1)
			if below > 0 {
				panel8Asm(&a[(j+8)*ld+j], &a[(j+8)*ld+p], &pack[0], below, depth, ld, ld, 8, 1)
			}
		}
		diag, ok := t.factor()
		if !ok {
			return false
		}
		storeFactor(a[j*ld+j:], &t, &diag, ld)
		if below > 0 {
			solveRight(a[(j+8)*ld+j:], &t, below, ld)
		}
	}
	return choleskyRows(a, j, n, ld)
}

// factor replaces the symmetric t by its factor, with the reciprocals of the
// diagonal, and returns the diagonal; false when there is no factor.
func (t *tri8) factor() (diag [8]float64, ok bool) {
	factor8Asm(t, &diag)
	for _, d := range diag {
		if !isPivot(d) {
			return diag, false
		}
	}
	return diag, true
}

// storeFactor copies the factor t, with its diagonal, to the lower triangle of
// a.
func storeFactor(a []float64, t *tri8, diag *[8]float64, ld int) {
	for q := range 8 {
		row := a[q*ld : q*ld+q+1]
		for p := range q {
			row[p] = t[q][p]
		}
		row[q] = diag[q]
	}
}

// solveRight is solveRight8Asm for any positive number of rows: up to three
// are left over and solved aside.
func solveRight(c []float64, t *tri8, rows, ld int) {
	quads := rows / 4
	if quads > 0 {
		solveRight8Asm(&c[0], t, quads, ld)
	}
	left := rows - 4*quads
	if left == 0 {
		return
	}
	var aside [4 * 8]float64
	for r := range left {
		copy(aside[r*8:r*8+8], c[(4*quads+r)*ld:])
	}
	solveRight8Asm(&aside[0], t, 1, 8)
	for r := range left {
		copy(c[(4*quads+r)*ld:], aside[r*8:r*8+8])
	}
}
