package simd

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
