package simd

import (
	"math"
	"testing"
)

// expTol allows the assembly and math.Exp about an ulp each.
const expTol = 5e-16

// expRef is math.Exp, except for arguments just below the overflow, where math.Exp of Go 1.26 on
// amd64 already gives +Inf (from 709.44 on, instead of 709.78).
func expRef(x float64) float64 {
	if x > 709 && x < 709.782 {
		return math.Exp(x-1) * math.E
	}
	return math.Exp(x)
}

// checkExp allows an error of one unit below the normal numbers. No more precision is possible
// there.
func checkExp(t *testing.T, x, got float64) {
	t.Helper()
	want := expRef(x)
	if relDiff(got, want, 0) > expTol && math.Abs(got-want) > math.SmallestNonzeroFloat64 {
		t.Errorf("exp(%v) = %v, want %v", x, got, want)
	}
}

func TestExp(t *testing.T) {
	rng := newRand(3)
	bothWays(t, func(t *testing.T) {
		worst := 0.0
		for _, n := range lengths() {
			for off := range 4 {
				x := randVec(rng, n, off)
				want := make([]float64, n)
				for i := range x {
					x[i] *= math.Exp2(float64(rng.IntN(20) - 12))
					want[i] = math.Exp(x[i])
				}
				got, check := guarded(t, want)
				clear(got)
				Exp(got, x)
				closeAll(t, "Exp", got, want, 1e-307, expTol)
				for i := range got {
					worst = max(worst, relDiff(got[i], want[i], 1e-307))
				}
				check()
				in, check := guarded(t, x)
				Exp(in, in)
				closeAll(t, "Exp in place", in, got, 0, 0)
				check()
			}
		}
		t.Logf("worst relative difference from math.Exp: %.2g", worst)
	})
}

func TestExpSpecial(t *testing.T) {
	inf := math.Inf(1)
	x := []float64{0, math.Copysign(0, -1), inf, -inf, math.NaN(), 5e-324, -5e-324, 1e-30,
		-708, -708.4, -709, -720, -740, -745, -745.13, -745.14, -746, -800, -1e9, -math.MaxFloat64,
		700, 709.4, 709.79, 710, 720, 1024, 1e9, math.MaxFloat64,
		math.Ln2 / 2, -math.Ln2 / 2, math.Ln2, 1, -1}
	bothWays(t, func(t *testing.T) {
		for n := 1; n < 10; n++ { // both whole vectors and tails
			for i := 0; i+n <= len(x); i++ {
				got := make([]float64, n)
				Exp(got, x[i:i+n])
				for j, g := range got {
					checkExp(t, x[i+j], g)
				}
			}
		}
	})
}

// The place of a number in the slice must not change its exponential.
func TestExpPosition(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		x := randVec(newRand(4), 61, 0)
		whole := make([]float64, len(x))
		Exp(whole, x)
		for i := range x {
			var one [1]float64
			Exp(one[:], x[i:i+1])
			if one[0] != whole[i] {
				t.Errorf("exp(%v) is %v alone and %v among others", x[i], one[0], whole[i])
			}
		}
	})
}

func TestExpShort(t *testing.T) {
	mustPanic(t, "Exp", func() { Exp(make([]float64, 4), make([]float64, 5)) })
}

func FuzzExp(f *testing.F) {
	f.Add(1.5)
	f.Add(-745.1)
	f.Fuzz(func(t *testing.T, x float64) {
		withAsm(t)
		var got [1]float64
		Exp(got[:], []float64{x})
		checkExp(t, x, got[0])
	})
}

func BenchmarkExp(b *testing.B) {
	benchWays(b, func(b *testing.B, n int) float64 {
		x, y := randVec(newRand(1), n, 0), make([]float64, n)
		for b.Loop() {
			Exp(y, x)
		}
		return 0
	})
}
