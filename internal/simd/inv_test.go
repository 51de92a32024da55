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

// checkInvLower asks that L·X = I, that X is zero above the diagonal, that
// what stands above the diagonal of L is not read and what stands beyond the
// rows of X not written.
func checkInvLower(t *testing.T, rng *rand.Rand, n, ld int) {
	t.Helper()
	l := randSPD(rng, n, ld)
	if !choleskyRows(l, 0, n, ld) {
		t.Fatal("no factor")
	}
	if n > 0 {
		l = l[:(n-1)*ld+n]
	}
	init := make([]float64, len(l))
	for i := range l {
		init[i] = guard
		if r, c := i/max(ld, 1), i%max(ld, 1); c > r {
			l[i] = math.NaN()
		}
	}
	x, check := guarded(t, init)
	InvLower(x, l, n, ld)
	check()
	for i := range n {
		for j := range n {
			s, want := 0.0, 0.0
			if j > i {
				s = x[i*ld+j]
			} else {
				for p := j; p <= i; p++ {
					s += l[i*ld+p] * x[p*ld+j]
				}
			}
			if i == j {
				want = 1
			}
			if d := math.Abs(s - want); !(d < 1e-14*math.Sqrt(float64(n+1))) {
				t.Fatalf("n=%d ld=%d: (L·X)[%d,%d] is off by %.2g", n, ld, i, j, d)
			}
		}
		for j := n; j < ld && i*ld+j < len(x); j++ {
			if x[i*ld+j] != guard {
				t.Fatalf("n=%d ld=%d: wrote at row %d, column %d", n, ld, i, j)
			}
		}
	}
}

func TestInvLower(t *testing.T) {
	rng := newRand(8)
	bothWays(t, func(t *testing.T) {
		for n := range 71 {
			for _, ld := range []int{n, n + 1, Pad(n) + 4} {
				checkInvLower(t, rng, n, ld)
			}
		}
		for _, n := range []int{130, 199, 301} {
			checkInvLower(t, rng, n, n)
		}
	})
}

func TestInvLowerShort(t *testing.T) {
	a, b := make([]float64, 20), make([]float64, 20)
	mustPanic(t, "dst", func() { InvLower(a[:18], b, 4, 5) })
	mustPanic(t, "l", func() { InvLower(a, b[:18], 4, 5) })
	mustPanic(t, "ld", func() { InvLower(a, b, 4, 3) })
}

func BenchmarkInvLower(b *testing.B) {
	f := func(b *testing.B, n int) float64 {
		l, x := randSPD(newRand(1), n, n), make([]float64, n*n)
		choleskyRows(l, 0, n, n)
		for b.Loop() {
			InvLower(x, l, n, n)
		}
		return float64(n) * float64(n) * float64(n) / 3
	}
	for _, n := range []int{10, 20, 50, 100, 200, 1000} {
		benchAt(b, n, f)
		b.Run(fmt.Sprintf("n=%d/gonum", n), func(b *testing.B) {
			l, x := randSPD(newRand(1), n, n), make([]float64, n*n)
			choleskyRows(l, 0, n, n)
			for b.Loop() {
				copy(x, l)
				tri := blas64.Triangular{N: n, Stride: n, Data: x, Uplo: blas.Lower, Diag: blas.NonUnit}
				lapack64.Trtri(tri)
			}
			b.ReportMetric(float64(n)*float64(n)*float64(n)/3*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
		})
	}
}
