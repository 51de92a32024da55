package simd

import (
	"math"
	"testing"
)

// elementwise lists the kernels of axpy.go with what each does to one entry d
// of the destination, given x and y at the same place and the number z.
var elementwise = []struct {
	name string
	run  func(d, x, y []float64, z float64)
	one  func(d, x, y, z float64) float64
}{
	{"Axpy", func(d, x, _ []float64, z float64) { Axpy(z, x, d) },
		func(d, x, _, z float64) float64 { return d + z*x }},
	{"AddSqDist", func(d, x, _ []float64, z float64) { AddSqDist(d, z, x) },
		func(d, x, _, z float64) float64 { return d + (x-z)*(x-z) }},
	{"Mul", func(d, x, y []float64, _ float64) { Mul(d, x, y) },
		func(_, x, y, _ float64) float64 { return x * y }},
}

func checkElementwise(t *testing.T, seed uint64, n, off int) {
	t.Helper()
	for _, k := range elementwise {
		rng := newRand(seed)
		x, y, d := randVec(rng, n, off), randVec(rng, n, 3), randVec(rng, n, 0)
		z := rng.NormFloat64()
		want := make([]float64, n)
		for i := range want {
			want[i] = k.one(d[i], x[i], y[i], z)
		}
		got, check := guarded(t, d)
		k.run(got, x, y, z)
		closeAll(t, k.name, got, want, 1, tol)
		check()
	}
}

func TestElementwise(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		for _, n := range lengths() {
			for off := range 4 {
				checkElementwise(t, uint64(n), n, off)
			}
		}
	})
}

func FuzzElementwise(f *testing.F) {
	f.Add(uint64(1), 17, 1)
	f.Fuzz(func(t *testing.T, seed uint64, n, off int) {
		checkElementwise(t, seed, n&1023, off&7)
	})
}

func TestElementwiseAlias(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		for n := range 40 {
			x := randVec(newRand(uint64(n)), n, 0)
			want := make([]float64, n)
			for i, v := range x {
				want[i] = v * v
			}
			got, check := guarded(t, x)
			Mul(got, got, got)
			closeAll(t, "Mul in place", got, want, 0, 0)
			check()
		}
	})
}

func TestElementwiseNaN(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		for n := 1; n < 30; n++ {
			for _, k := range elementwise {
				x, y, d := make([]float64, n), make([]float64, n), make([]float64, n)
				x[n/2] = math.NaN()
				k.run(d, x, y, 1)
				for i, v := range d {
					if math.IsNaN(v) != (i == n/2) {
						t.Errorf("%s, length %d: entry %d is %v", k.name, n, i, v)
					}
				}
			}
		}
	})
}

func TestElementwiseShort(t *testing.T) {
	x := make([]float64, 5)
	mustPanic(t, "Axpy", func() { Axpy(1, x, x[:4]) })
	mustPanic(t, "AddSqDist", func() { AddSqDist(x, 1, x[:4]) })
	mustPanic(t, "Mul", func() { Mul(x[:4], x, x) })
	mustPanic(t, "Mul", func() { Mul(x, x, x[:4]) })
}

func BenchmarkAxpy(b *testing.B) {
	benchWays(b, func(b *testing.B, n int) float64 {
		x, y := randVec(newRand(1), n, 0), randVec(newRand(2), n, 0)
		for b.Loop() {
			Axpy(1e-9, x, y)
		}
		return 2 * float64(n)
	})
}

func BenchmarkAddSqDist(b *testing.B) {
	benchWays(b, func(b *testing.B, n int) float64 {
		x, y := randVec(newRand(1), n, 0), randVec(newRand(2), n, 0)
		for b.Loop() {
			AddSqDist(y, 0.5, x)
		}
		return 3 * float64(n)
	})
}

func BenchmarkMul(b *testing.B) {
	benchWays(b, func(b *testing.B, n int) float64 {
		x, y := randVec(newRand(1), n, 0), randVec(newRand(2), n, 0)
		d := make([]float64, n)
		for b.Loop() {
			Mul(d, x, y)
		}
		return float64(n)
	})
}
