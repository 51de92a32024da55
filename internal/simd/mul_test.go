package simd

import (
	"fmt"
	"testing"
)

// randTri returns a random n×n triangular matrix with zeros on the other side,
// off elements into its array.
func randTri(seed uint64, n, off int, upper bool) []float64 {
	b := randVec(newRand(seed), n*n, off)
	for p := range n {
		for i := range n {
			if upper && i < p || !upper && i > p {
				b[p*n+i] = 0
			}
		}
	}
	return b
}

// checkMulTri compares the product with the naive sum. Its rounding is bounded
// relative to the sum of absolute values, which for normal numbers is about n.
func checkMulTri(t *testing.T, seed uint64, rows, n int) {
	t.Helper()
	a := randVec(newRand(seed), rows*n, 3)
	for _, upper := range []bool{true, false} {
		b := randTri(seed+1, n, 1, upper)
		want := make([]float64, rows*n)
		for r := range rows {
			for i := range n {
				for p := range n {
					want[r*n+i] += a[r*n+p] * b[p*n+i]
				}
			}
		}
		got, check := guarded(t, randVec(newRand(seed), rows*n, 0))
		if upper {
			MulUpper(got, a, b, rows, n)
		} else {
			MulLower(got, a, b, rows, n)
		}
		closeAll(t, fmt.Sprintf("rows=%d n=%d upper=%v", rows, n, upper), got, want, float64(n), tol)
		check()
	}
}

func TestMulTri(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		for n := 0; n <= 72; n += 4 {
			for rows := range 14 {
				checkMulTri(t, uint64(n), rows, n)
			}
		}
		checkMulTri(t, 1, 53, 100)
		checkMulTri(t, 2, 1, 128)
		checkMulTri(t, 3, 6, 300)
	})
}

func TestMulTriShort(t *testing.T) {
	a, b := make([]float64, 16), make([]float64, 64)
	for _, mul := range []func(dst, a, b []float64, rows, n int){MulUpper, MulLower} {
		mustPanic(t, "dst", func() { mul(a[:15], a, b, 2, 8) })
		mustPanic(t, "a", func() { mul(a, a[:15], b, 2, 8) })
		mustPanic(t, "b", func() { mul(a, a, b[:63], 2, 8) })
		mustPanic(t, "n=6", func() { mul(a, a, b, 2, 6) })
		mustPanic(t, "rows<0", func() { mul(a, a, b, -1, 8) })
		mustPanic(t, "n<0", func() { mul(a, a, b, 1, -8) })
		mustPanic(t, "wrap", func() { mul(a, a, b, 1<<61, 8) })
		mul(nil, nil, b, 0, 8)
		mul(nil, nil, nil, 3, 0)
	}
}

func FuzzMulTri(f *testing.F) {
	f.Add(uint64(1), 5, 24)
	f.Fuzz(func(t *testing.T, seed uint64, rows, n int) {
		checkMulTri(t, seed, rows&31, n&124)
	})
}

func benchMul(b *testing.B, upper bool, rows int) {
	f := func(b *testing.B, n int) float64 {
		n = Pad(n)
		x, tri := randVec(newRand(1), rows*n, 0), randTri(2, n, 0, upper)
		d := make([]float64, rows*n)
		if upper {
			for b.Loop() {
				MulUpper(d, x, tri, rows, n)
			}
		} else {
			for b.Loop() {
				MulLower(d, x, tri, rows, n)
			}
		}
		// The flops that the triangle asks for; those spent on zeros in the
		// diagonal blocks do not count.
		return float64(rows * n * (n + 1))
	}
	benchWays(b, f)
	benchAt(b, 1000, f)
}

func BenchmarkMulUpper53(b *testing.B) { benchMul(b, true, 53) }
func BenchmarkMulLower53(b *testing.B) { benchMul(b, false, 53) }
func BenchmarkMulUpper1(b *testing.B)  { benchMul(b, true, 1) }
func BenchmarkMulLower1(b *testing.B)  { benchMul(b, false, 1) }

// SubOuter equals the naive sum in the lower triangle, and writes nowhere else but above the diagonal of its panels.
func TestSubOuter(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 3, 7, 8, 9, 16, 21, 40} {
			for _, k := range []int{0, 1, 5, 8, 13} {
				ld, lda := (n+7)&^7, k+2
				a, b := randVec(newRand(1), n*lda, 1), randVec(newRand(2), k*ld, 3)
				start := randVec(newRand(3), n*ld, 0)
				got, check := guarded(t, append([]float64(nil), start...))
				SubOuter(got, a, b, n, k, ld, lda)
				for i := range n {
					want := append([]float64(nil), start[i*ld:i*ld+i+1]...)
					for j := range want {
						for p := range k {
							want[j] -= a[i*lda+p] * b[p*ld+j]
						}
					}
					closeAll(t, fmt.Sprintf("n=%d k=%d row %d", n, k, i), got[i*ld:i*ld+i+1], want, float64(k+1), tol)
				}
				check()
			}
		}
	})
}
