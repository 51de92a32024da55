package simd

import (
	"math"
	"testing"
)

// order is a kernel with its twin and its gradient factor at zero.
type order struct {
	name   string
	rows   func(k, g, r2 []float64, scale float64)
	matern *matern
	twin   func(r2, scale float64) (k, g float64)
	atZero float64
}

var orders = []order{
	{"5-2", Matern52, &order52, twin52, 5. / 3},
	{"3-2", Matern32, &order32, twin32, 3},
	{"Gaussian", Gaussian, nil, twinGaussian, 1},
}

func twin52(r2, scale float64) (k, g float64) {
	if 5*r2 > maternFlush {
		return 0, 0
	}
	s := math.Sqrt(5 * r2)
	e := math.Exp(-s)
	return scale * (1 + s + 5*r2/3) * e, scale * 5 / 3 * (1 + s) * e
}

func twin32(r2, scale float64) (k, g float64) {
	if 3*r2 > maternFlush {
		return 0, 0
	}
	s := math.Sqrt(3 * r2)
	e := math.Exp(-s)
	return scale * (1 + s) * e, scale * 3 * e
}

func twinGaussian(r2, scale float64) (k, g float64) {
	e := math.Exp(-r2 / 2)
	if e < gaussianFlush {
		return 0, 0
	}
	return scale * e, scale * e
}

// eachOrder runs a test for every kernel, with and without assembly.
func eachOrder(t *testing.T, test func(t *testing.T, o order)) {
	for _, o := range orders {
		t.Run(o.name, func(t *testing.T) { bothWays(t, func(t *testing.T) { test(t, o) }) })
	}
}

func TestMatern(t *testing.T) {
	rng := newRand(5)
	const scale = 1.7
	eachOrder(t, func(t *testing.T, o order) {
		worst := 0.0
		for _, n := range lengths() {
			for off := range 4 {
				r2 := randVec(rng, n, off)
				wantK, wantG := make([]float64, n), make([]float64, n)
				for i, v := range r2 {
					r2[i] = v * v * math.Exp2(float64(rng.IntN(30)-20))
					wantK[i], wantG[i] = o.twin(r2[i], scale)
				}
				k, checkK := guarded(t, wantK)
				g, checkG := guarded(t, wantG)
				clear(k)
				clear(g)
				o.rows(k, g, r2, scale)
				closeAll(t, "k", k, wantK, 1e-300, 2e-15)
				closeAll(t, "g", g, wantG, 1e-300, 2e-15)
				checkK()
				checkG()
				for i := range k {
					worst = max(worst, relDiff(k[i], wantK[i], 1e-300), relDiff(g[i], wantG[i], 1e-300))
				}

				alone, check := guarded(t, wantK)
				o.rows(alone, nil, r2, scale)
				closeAll(t, "k without g", alone, k, 0, 0)
				check()

				in, check := guarded(t, r2)
				clear(g)
				o.rows(in, g, in, scale)
				closeAll(t, "k in place", in, k, 0, 0)
				closeAll(t, "g beside k in place", g, wantG, 1e-300, 2e-15)
				check()
				checkG()

				in, check = guarded(t, r2)
				o.rows(in, nil, in, scale)
				closeAll(t, "k in place without g", in, k, 0, 0)
				check()
			}
		}
		t.Logf("worst relative difference: %.2g", worst)
	})
}

func TestMaternSpecial(t *testing.T) {
	const scale = 0.37
	eachOrder(t, func(t *testing.T, o order) {
		for n := 1; n < 14; n++ {
			for i := range n {
				at := func(r2 float64) (float64, float64) {
					x, k, g := make([]float64, n), make([]float64, n), make([]float64, n)
					x[i] = r2
					o.rows(k, g, x, scale)
					for j := range n {
						if j != i && (k[j] != scale || g[j] != scale*o.atZero) {
							t.Fatalf("neighbour of %v: %v, %v", r2, k[j], g[j])
						}
					}
					return k[i], g[i]
				}
				if k, g := at(0); k != scale || g != scale*o.atZero {
					t.Errorf("at 0: %v, %v", k, g)
				}
				for _, far := range []float64{800 * 800, 1e30, math.MaxFloat64, math.Inf(1)} {
					if k, g := at(far); k != 0 || g != 0 {
						t.Errorf("at %v: %v, %v", far, k, g)
					}
				}
				if k, g := at(math.NaN()); !math.IsNaN(k) || !math.IsNaN(g) {
					t.Errorf("at NaN: %v, %v", k, g)
				}
			}
		}
	})
}

// The gradient factor must be the derivative of the value: with
// r² = (z−z')², dk/dz = −g·(z−z').
func TestMaternGradient(t *testing.T) {
	eachOrder(t, func(t *testing.T, o order) {
		const h = 1e-5
		for _, z := range []float64{0.01, 0.3, 1, 2.5, 6} {
			r2 := []float64{z * z, (z + h) * (z + h), (z - h) * (z - h)}
			k, g := make([]float64, 3), make([]float64, 3)
			o.rows(k, g, r2, 2)
			if d := relDiff((k[1]-k[2])/(2*h), -g[0]*z, 1e-3); d > 1e-7 {
				t.Errorf("at z=%v: slope %v, −g·z %v", z, (k[1]-k[2])/(2*h), -g[0]*z)
			}
		}
	})
}

func TestMaternShort(t *testing.T) {
	x := make([]float64, 5)
	mustPanic(t, "short k", func() { Matern52(x[:4], nil, x, 1) })
	mustPanic(t, "short g", func() { Matern52(x, make([]float64, 4), x, 1) })
	mustPanic(t, "empty g", func() { Matern52(x, x[:0], x, 1) })
	Matern52(nil, nil, nil, 1)
}

func FuzzMatern(f *testing.F) {
	f.Add(uint64(1), 9, 1)
	f.Fuzz(func(t *testing.T, seed uint64, n, off int) {
		withAsm(t)
		n, off = n&1023, off&7
		r2 := randVec(newRand(seed), n, off)
		for i, v := range r2 {
			r2[i] = v * v
		}
		k, g := make([]float64, n), make([]float64, n)
		wantK, wantG := make([]float64, n), make([]float64, n)
		for _, o := range orders {
			if o.matern == nil {
				continue
			}
			o.rows(k, g, r2, 1.5)
			maternGo(o.matern, wantK, wantG, r2, 1.5, 1.5*o.matern.slope)
			closeAll(t, "k "+o.name, k, wantK, 0, tol)
			closeAll(t, "g "+o.name, g, wantG, 0, tol)
		}
	})
}

func BenchmarkMatern52(b *testing.B) {
	benchWays(b, func(b *testing.B, n int) float64 {
		x, k, g := randVec(newRand(1), n, 0), make([]float64, n), make([]float64, n)
		Mul(x, x, x)
		for b.Loop() {
			Matern52(k, g, x, 1.5)
		}
		return 0
	})
}

func BenchmarkMatern52Value(b *testing.B) {
	benchWays(b, func(b *testing.B, n int) float64 {
		x, k := randVec(newRand(1), n, 0), make([]float64, n)
		Mul(x, x, x)
		for b.Loop() {
			Matern52(k, nil, x, 1.5)
		}
		return 0
	})
}
