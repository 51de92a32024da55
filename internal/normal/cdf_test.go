package normal

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestCDF(t *testing.T) {
	var w worst
	for at, want := range overGrid() {
		w.see(relativeError(CDF(at), want.cdf, smallestNormal), at)
	}
	w.check(t, "Φ", 2e-15)
}

func TestLogCDF(t *testing.T) {
	var value, slope worst
	for at, want := range overGrid() {
		v, d := LogCDF(at)
		value.see(relativeError(v, want.logCDF, smallestNormal), at)
		slope.see(relativeError(d, want.slopeCDF, smallestNormal), at)
	}
	value.check(t, "ln Φ", 2e-15)
	slope.check(t, "(ln Φ)′", 2e-15)
}

func TestCDFAtTheEnds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ at, cdf, log, slope float64 }{
		{-inf, 0, -inf, inf},
		{inf, 1, 0, 0},
		{nan, nan, nan, nan},
		{0, 0.5, -math.Ln2, math.Sqrt(2 / math.Pi)},
	} {
		v, d := LogCDF(c.at)
		if !alike(CDF(c.at), c.cdf) || !alike(v, c.log) || !alike(d, c.slope) {
			t.Errorf("at %v: Φ = %v, ln Φ = %v, slope %v", c.at, CDF(c.at), v, d)
		}
	}
}

// alike reports equality up to a few units in the last place. NaN equals NaN.
func alike(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 4e-16*math.Abs(b)
}

func TestCDFHalvesAddToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Float64Range(-50, 50).Draw(t, "t")
		if sum := CDF(at) + CDF(-at); math.Abs(sum-1) > 3e-16 {
			t.Fatalf("Φ(t) + Φ(−t) = 1 + %g", sum-1)
		}
	})
}

func TestLogCDFRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Float64Range(-1e8, 35).Draw(t, "t")
		step := rapid.Float64Range(1e-3, 1).Draw(t, "step") * max(1, math.Abs(at)*1e-3)
		low, slopeLow := LogCDF(at)
		high, slopeHigh := LogCDF(at + step)
		if low > high || slopeLow < slopeHigh { // ln Φ is concave
			t.Fatalf("ln Φ from %v to %v, slope from %v to %v", low, high, slopeLow, slopeHigh)
		}
	})
}

func TestLogCDFAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { LogCDF(-3); LogCDF(3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkLogCDF(b *testing.B) { benchmarkPair(b, LogCDF) }

func BenchmarkCDF(b *testing.B) {
	benchmarkPair(b, func(t float64) (float64, float64) { return CDF(t), 0 })
}
