package simd

import "golang.org/x/sys/cpu"

// haveAsm reports whether the CPU has the instructions that the assembly uses, and the operating
// system saves the wide registers (x/sys/cpu checks OSXSAVE for both flags).
func haveAsm() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }

// The functions below are in the .s files of the same names. Their callers have checked the
// lengths. The length of the first input counts.

//go:noescape
func dotAsm(x, y []float64) float64

//go:noescape
func weightedDiffAsm(w []float64, z float64, col []float64) float64

//go:noescape
func axpyAsm(alpha float64, x, y []float64)

//go:noescape
func addSqDistAsm(dst []float64, z float64, col []float64)

//go:noescape
func mulAsm(dst, x, y []float64)

//go:noescape
func expAsm(dst, x []float64)

// maternAsm skips g when its base is nil; gscale is the factor of g.
//
//go:noescape
func maternAsm(m *matern, k, g, r2 []float64, scale, gscale float64)

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

// invBlock is how many rows of the inverse are computed together: enough for
// each panel of the rows above to be used often once it is in the cache.
const invBlock = 48

// invLowerAsm solves L·X = I by blocks of rows. The contribution of the finished rows above to a
// block is one product. Inside the block it works on eight rows at a time, which are solved in
// registers.
func invLowerAsm(dst, l []float64, n, ld int) {
	for top := 0; top < n; top += invBlock {
		end := min(top+invBlock, n)
		for i := top; i < end; i++ {
			clear(dst[i*ld : i*ld+n])
			dst[i*ld+i] = 1
		}
		subLower(dst, l, top, end-top, 0, top, ld)
		for i := top; i < end; i += 8 {
			rows := min(8, end-i)
			subLower(dst, l, i, rows, top, i, ld)
			if rows == 8 {
				solveLeft(dst[i*ld:], l[i*ld+i:], i+8, ld)
			} else {
				solveLeftRows(dst[i*ld:], l[i*ld:], i, rows, ld)
			}
		}
	}
}

// subLower subtracts from rows i…i+rows−1 of x the product L[i…,from:to]·
// X[from:to,:], for all columns where X[from:to,:] is not zero. from must be a
// multiple of 12, and to−from of 4, but not 4.
func subLower(x, l []float64, i, rows, from, to, ld int) {
	if from == to {
		return
	}
	c := 0
	for ; c < from; c += 12 {
		panel12Asm(&x[i*ld+c], &l[i*ld+from], &x[from*ld+c], rows, to-from, ld, ld, ld, 1)
	}
	for end := to - 8*panels(to-from); c < end; c += 12 {
		panel12Asm(&x[i*ld+c], &l[i*ld+c], &x[c*ld+c], rows, to-c, ld, ld, ld, 1)
	}
	for ; c < to; c += 8 {
		panel8Asm(&x[i*ld+c], &l[i*ld+c], &x[c*ld+c], rows, to-c, ld, ld, ld, 1)
	}
}

// solveLeft solves with the eight rows of l that begin on its diagonal, for
// cols columns, a multiple of 4.
func solveLeft(x, l []float64, cols, ld int) {
	var t tri8
	t.load(l, ld)
	for q := range 8 {
		t[q][q] = 1 / t[q][q]
	}
	solveLeft8Asm(&x[0], &t, cols/4, ld)
}

// solveLeftRows is solveLeft for the fewer than eight rows at the end, with
// the diagonal of l at column i.
func solveLeftRows(x, l []float64, i, rows, ld int) {
	for r := range rows {
		row := x[r*ld : r*ld+i+r+1]
		for q := range r {
			axpyAsm(-l[r*ld+i+q], x[q*ld:q*ld+i+q+1], row)
		}
		inv := 1 / l[r*ld+i+r]
		for c := range row {
			row[c] *= inv
		}
	}
}

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

// subOuterAsm goes over panels of 8 columns, from the diagonal down.
func subOuterAsm(dst, a, b []float64, n, k, ld, lda int) {
	for c := 0; c < n; c += 8 {
		panel8Asm(&dst[c*ld+c], &a[c*lda], &b[c], n-c, k, ld, lda, ld, 1)
	}
}

// tri8 is an 8×8 lower triangle, row-major, with the reciprocals of the
// diagonal in its place: the form that the solvers take. Entries above the diagonal do not matter.
type tri8 [8][8]float64

// load copies eight whole rows of a, which is faster than stopping at the diagonal.
func (t *tri8) load(a []float64, ld int) {
	for q := range 8 {
		t[q] = [8]float64(a[q*ld:])
	}
}

// solveRight8Asm solves X·Lᵀ = C in place for 4·quads > 0 rows of eight.
//
//go:noescape
func solveRight8Asm(c *float64, u *tri8, quads, ld int)

// solveLeft8Asm solves L·X = B in place for eight rows of 4·quads > 0.
//
//go:noescape
func solveLeft8Asm(x *float64, u *tri8, quads, ld int)

// pack8Asm transposes eight rows of 2·pairs > 0 entries into dst.
//
//go:noescape
func pack8Asm(dst, src *float64, pairs, ld int)

// factor8Asm replaces the symmetric t by its Cholesky factor, and sets diag to the diagonal of the
// factor. Only the lower triangle of t counts. If t has no factor, an entry of diag is not a
// positive number.
//
//go:noescape
func factor8Asm(t *tri8, diag *[8]float64)
