package simd

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
