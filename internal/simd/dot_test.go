package simd

import (
	"math"
	"testing"
)

func TestDot(t *testing.T) {
	rng := newRand(2)
	bothWays(t, func(t *testing.T) {
		for _, n := range lengths() {
			for off := range 4 {
				x, y := randVec(rng, n, off), randVec(rng, n+off, 3-off)
				var dot, wd, dotAbs, wdAbs float64
				const z = 0.7
				for i, v := range x {
					dot += v * y[i]
					wd += v * (y[i] - z)
					dotAbs += math.Abs(v * y[i])
					wdAbs += math.Abs(v * (y[i] - z))
				}
				if d := relDiff(Dot(x, y), dot, dotAbs); d > tol {
					t.Fatalf("Dot, length %d: difference %.2g", n, d)
				}
				if d := relDiff(WeightedDiff(x, z, y), wd, wdAbs); d > tol {
					t.Fatalf("WeightedDiff, length %d: difference %.2g", n, d)
				}
			}
		}
	})
}

// A value beyond the end must not enter the sum, even as NaN·0.
func TestDotIgnoresBeyond(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		for n := range 40 {
			x, y := make([]float64, n+8), make([]float64, n+8)
			for i := range x {
				x[i], y[i] = 1, 2
				if i >= n {
					x[i], y[i] = math.NaN(), math.Inf(1)
				}
			}
			if got := Dot(x[:n], y); got != 2*float64(n) {
				t.Errorf("Dot of %d products 1·2 = %v", n, got)
			}
			if got := WeightedDiff(x[:n], -1, y); got != 3*float64(n) {
				t.Errorf("WeightedDiff of %d products 1·(2+1) = %v", n, got)
			}
		}
	})
}

func TestDotNaN(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		for n := 1; n < 40; n++ {
			x, y := make([]float64, n), make([]float64, n)
			x[n-1] = math.NaN()
			if !math.IsNaN(Dot(x, y)) || !math.IsNaN(WeightedDiff(y, 0, x)) {
				t.Errorf("length %d: the NaN at the end is lost", n)
			}
		}
	})
}

func TestDotShort(t *testing.T) {
	x := make([]float64, 5)
	mustPanic(t, "Dot", func() { Dot(x, x[:4]) })
	mustPanic(t, "WeightedDiff", func() { WeightedDiff(x, 1, x[:4]) })
}

func FuzzDot(f *testing.F) {
	f.Add(uint64(1), 17, 1)
	f.Fuzz(func(t *testing.T, seed uint64, n, off int) {
		withAsm(t)
		n, off = n&1023, off&7
		rng := newRand(seed)
		x, y := randVec(rng, n, off), randVec(rng, n, off)
		if d := relDiff(Dot(x, y), dotGo(x, y), float64(n)); d > tol {
			t.Errorf("Dot, length %d: difference %.2g", n, d)
		}
		z := rng.NormFloat64()
		if d := relDiff(WeightedDiff(x, z, y), weightedDiffGo(x, z, y), float64(n)); d > tol {
			t.Errorf("WeightedDiff, length %d: difference %.2g", n, d)
		}
	})
}

func BenchmarkDot(b *testing.B) {
	benchWays(b, func(b *testing.B, n int) float64 {
		x, y := randVec(newRand(1), n, 0), randVec(newRand(2), n, 0)
		var s float64
		for b.Loop() {
			s += Dot(x, y)
		}
		sink = s
		return 2 * float64(n)
	})
}

func BenchmarkWeightedDiff(b *testing.B) {
	benchWays(b, func(b *testing.B, n int) float64 {
		x, y := randVec(newRand(1), n, 0), randVec(newRand(2), n, 0)
		var s float64
		for b.Loop() {
			s += WeightedDiff(x, 0.5, y)
		}
		sink = s
		return 3 * float64(n)
	})
}

var sink float64
