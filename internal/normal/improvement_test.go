package normal

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// H is the plain form of LogH. It returns v = h(t) = φ(t) + tΦ(t), the expected improvement of a standard
// normal over −t (Jones, Schonlau and Welch 1998), and its derivative
// d = Φ(t).
//
// With x = |t| and D from [tailRatio], h(−x) = φ(x)/(1 + xD) and
// Φ(−x) = φ(x)/(x + 1/D); for t > 0, h(t) = t + h(−t).
func H(t float64) (v, d float64) {
	x := math.Abs(t)
	ratio := tailRatio(x)
	density := PDF(x)
	lower := density / (1 + x*ratio)
	tail := density / (x + 1/ratio)
	if t <= 0 {
		return lower, tail
	}
	return t + lower, 1 - tail
}

func TestH(t *testing.T) {
	var value, slope worst
	for at, want := range overGrid() {
		v, d := H(at)
		value.see(relativeError(v, want.h, smallestNormal), at)
		slope.see(relativeError(d, want.cdf, smallestNormal), at)
		if v < 0 || d < 0 {
			t.Errorf("H(%v) = %v, %v is negative", at, v, d)
		}
	}
	value.check(t, "h", 2e-15)
	slope.check(t, "h′", 2e-15)
}

func TestLogH(t *testing.T) {
	var value, slope worst
	for at, want := range overGrid() {
		v, d := LogH(at)
		// ln h is 0 at t ≈ 0.9, where only an absolute error makes sense.
		value.see(relativeError(v, want.logH, 0.1), at)
		slope.see(relativeError(d, want.slopeH, smallestNormal), at)
	}
	value.check(t, "ln h", 2e-15)
	slope.check(t, "(ln h)′", 2e-15)
}

func TestHAtTheEnds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ at, h, slope, logH, slopeLog float64 }{
		{-inf, 0, 0, -inf, inf},
		{inf, inf, 1, inf, 0},
		{nan, nan, nan, nan, nan},
		{0, invSqrt2Pi, 0.5, -halfLog2Pi, math.Sqrt(math.Pi / 2)},
	} {
		v, d := H(c.at)
		if !alike(v, c.h) || !alike(d, c.slope) {
			t.Errorf("H(%v) = %v, %v", c.at, v, d)
		}
		v, d = LogH(c.at)
		if !alike(v, c.logH) || !alike(d, c.slopeLog) {
			t.Errorf("LogH(%v) = %v, %v", c.at, v, d)
		}
	}
}

// At t = 0 the tail formulas meet their reflections, and at 9 ln h becomes ln t.
func TestNoStepAcrossSeams(t *testing.T) {
	for name, f := range map[string]func(float64) (float64, float64){"LogCDF": LogCDF, "H": H, "LogH": LogH} {
		for _, seam := range []float64{0, improvementIsLinear} {
			step := 2e-15 * max(1, seam)
			vLeft, dLeft := f(seam - step)
			vRight, dRight := f(seam + step)
			if math.Abs(vRight/vLeft-1) > 1e-12 || math.Abs(dRight/dLeft-1) > 1e-12 {
				t.Errorf("%s at %v steps from %v, %v to %v, %v", name, seam, vLeft, dLeft, vRight, dRight)
			}
		}
	}
}

func TestLogHRisesAndIsConcave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Float64Range(-1e8, 1e8).Draw(t, "t")
		step := rapid.Float64Range(1e-3, 1).Draw(t, "step") * max(1, math.Abs(at)*1e-3)
		low, slopeLow := LogH(at)
		high, slopeHigh := LogH(at + step)
		if low >= high || slopeLow <= slopeHigh || slopeHigh <= 0 {
			t.Fatalf("ln h from %v to %v, slope from %v to %v", low, high, slopeLow, slopeHigh)
		}
	})
}

func TestLogHAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { LogH(-3); LogH(3); H(-3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

var sink float64

// benchmarkPair runs f over arguments of both signs: near zero and far out in
// the left tail.
func benchmarkPair(b *testing.B, f func(float64) (float64, float64)) {
	for _, c := range []struct {
		name      string
		low, high float64
	}{{"left", -12, 0}, {"far", -1e6, -1e2}, {"right", 0, 6}, {"mixed", -6, 6}} {
		var at [256]float64
		for i := range at {
			at[i] = c.low + (c.high-c.low)*float64(i*89%256)/256
		}
		b.Run(c.name, func(b *testing.B) {
			var total float64
			for i := range b.N {
				v, d := f(at[i&255])
				total += v + d
			}
			sink = total
		})
	}
}

func BenchmarkH(b *testing.B)    { benchmarkPair(b, H) }
func BenchmarkLogH(b *testing.B) { benchmarkPair(b, LogH) }
