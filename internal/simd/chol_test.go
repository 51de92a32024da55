package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// randSPD returns a symmetric positive-definite n×n matrix of stride ld, whose
// eigenvalues lie around 1.
func randSPD(rng *rand.Rand, n, ld int) []float64 {
	x := randVec(rng, n*n, 0)
	a := make([]float64, n*ld)
	for i := range n {
		for j := range i + 1 {
			s := dotGo(x[i*n:(i+1)*n], x[j*n:(j+1)*n]) / float64(n)
			if i == j {
				s++
			}
			a[i*ld+j], a[j*ld+i] = s, s
		}
	}
	return a
}

// materns is the kind of ill-conditioned matrix that occurs in practice: n close points on a line,
// and a little noise.
func materns(rng *rand.Rand, n, ld int, noise float64) []float64 {
	a := make([]float64, n*ld)
	x := randVec(rng, n, 0)
	for i := range n {
		for j := range n {
			d := x[i] - x[j]
			a[i*ld+j], _ = twin52(d*d, 1)
		}
		a[i*ld+i] += noise
	}
	return a
}

// checkCholesky checks that L·Lᵀ equals a, relative to its diagonal, and that nothing is written
// above the diagonal or beyond the rows.
func checkCholesky(t *testing.T, a []float64, n, ld int) {
	t.Helper()
	mark := make([]float64, len(a))
	for i := range mark {
		mark[i] = guard
		if r, c := i/max(ld, 1), i%max(ld, 1); c <= r {
			mark[i] = a[i]
		}
	}
	if n > 0 { // the last row may end early
		mark = mark[:(n-1)*ld+n]
	}
	l, check := guarded(t, mark)
	if !Cholesky(l, n, ld) {
		t.Fatalf("n=%d ld=%d: not positive definite", n, ld)
	}
	check()
	for i := range n {
		for j := range i + 1 {
			s := 0.0
			for p := range j + 1 {
				s += l[i*ld+p] * l[j*ld+p]
			}
			scale := math.Sqrt(a[i*ld+i] * a[j*ld+j])
			if d := math.Abs(s-a[i*ld+j]) / scale; !(d < 1e-14*math.Sqrt(float64(n+1))) {
				t.Fatalf("n=%d ld=%d: (L·Lᵀ)[%d,%d] is off by %.2g", n, ld, i, j, d)
			}
		}
		for j := i + 1; j < ld && i*ld+j < len(l); j++ {
			if l[i*ld+j] != guard {
				t.Fatalf("n=%d ld=%d: wrote at row %d, column %d", n, ld, i, j)
			}
		}
	}
}

func TestCholesky(t *testing.T) {
	rng := newRand(6)
	bothWays(t, func(t *testing.T) {
		for n := range 71 {
			for _, ld := range []int{n, n + 1, Pad(n) + 4} {
				checkCholesky(t, randSPD(rng, n, ld), n, ld)
				checkCholesky(t, materns(rng, n, ld, 1e-8), n, ld)
			}
		}
		for _, n := range []int{130, 199, 301} {
			checkCholesky(t, randSPD(rng, n, n), n, n)
			checkCholesky(t, materns(rng, n, n+3, 1e-10), n, n+3)
		}
	})
}

// The assembly and the fallback must agree, entry by entry: factor and inverse
// of a well-conditioned matrix have few digits to lose.
func TestCholeskyAgrees(t *testing.T) {
	withAsm(t)
	rng := newRand(9)
	worst := 0.0
	for _, n := range []int{1, 7, 8, 9, 16, 31, 50, 100, 143, 200} {
		spd := randSPD(rng, n, n)
		var l, x [2][]float64
		for i, on := range []bool{false, true} {
			SetEnabled(on)
			l[i], x[i] = append([]float64(nil), spd...), make([]float64, n*n)
			Cholesky(l[i], n, n)
			InvLower(x[i], l[0], n, n)
		}
		closeAll(t, "Cholesky", l[1], l[0], 1, tol)
		closeAll(t, "InvLower", x[1], x[0], 1, tol)
		for i := range spd {
			worst = max(worst, relDiff(l[0][i], l[1][i], 1), relDiff(x[0][i], x[1][i], 1))
		}
	}
	t.Logf("worst difference: %.2g", worst)
}

func TestCholeskyNotPD(t *testing.T) {
	rng := newRand(7)
	bothWays(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 7, 8, 9, 20, 33, 50, 150} {
			for _, at := range []int{0, n / 2, n - 1} {
				for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
					a := randSPD(rng, n, n)
					a[at*n+at] = bad
					if Cholesky(a, n, n) {
						t.Errorf("n=%d: took %v at %d", n, bad, at)
					}
				}
				a := randSPD(rng, n, n)
				a[at*n] = math.NaN()
				if Cholesky(a, n, n) {
					t.Errorf("n=%d: took NaN in column 0, row %d", n, at)
				}
			}
		}
	})
}

func TestCholeskyShort(t *testing.T) {
	a := make([]float64, 20)
	mustPanic(t, "short", func() { Cholesky(a[:18], 4, 5) })
	mustPanic(t, "ld", func() { Cholesky(a, 4, 3) })
	mustPanic(t, "n<0", func() { Cholesky(a, -1, 3) })
	mustPanic(t, "wrap", func() { Cholesky(a, 1<<32+1, 1<<32+1) })
}

func FuzzCholesky(f *testing.F) {
	f.Add(uint64(1), 20, 1)
	f.Fuzz(func(t *testing.T, seed uint64, n, pad int) {
		n, pad = n&127, pad&7
		rng := newRand(seed)
		checkCholesky(t, randSPD(rng, n, n+pad), n, n+pad)
		checkInvLower(t, rng, n, n+pad)
	})
}

func BenchmarkCholesky(b *testing.B) {
	f := func(b *testing.B, n int) float64 {
		a, l := randSPD(newRand(1), n, n), make([]float64, n*n)
		for b.Loop() {
			copy(l, a)
			if !Cholesky(l, n, n) {
				b.Fatal("not positive definite")
			}
		}
		return float64(n) * float64(n) * float64(n) / 3
	}
	for _, n := range []int{10, 15, 20, 50, 100, 200, 1000} {
		benchAt(b, n, f)
		b.Run(fmt.Sprintf("n=%d/gonum", n), func(b *testing.B) {
			a, l := randSPD(newRand(1), n, n), make([]float64, n*n)
			for b.Loop() {
				copy(l, a)
				sym := blas64.Symmetric{N: n, Stride: n, Data: l, Uplo: blas.Lower}
				if _, ok := lapack64.Potrf(sym); !ok {
					b.Fatal("not positive definite")
				}
			}
			b.ReportMetric(float64(n)*float64(n)*float64(n)/3*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
		})
	}
}
