package student

import (
	"math"
	"testing"
)

// The density integrates to the distribution, and the distribution to h.
func TestIntegrals(t *testing.T) {
	const step = 1e-3
	cdf, h := CDF(-200), math.Exp(first(LogH(-200)))
	for i := range int(210 / step) {
		z := -200 + step*float64(i)
		mid := z + step/2
		h += step * CDF(mid)
		cdf += step * PDF(mid)
		if i%5000 == 4999 {
			if got := CDF(z + step); math.Abs(got-cdf) > 1e-7*cdf+1e-12 {
				t.Fatalf("CDF(%v) is %v, the integral %v", z+step, got, cdf)
			}
			if got := math.Exp(first(LogH(z + step))); math.Abs(got-h) > 1e-6*h {
				t.Fatalf("h(%v) is %v, the integral %v", z+step, got, h)
			}
		}
	}
}

func first(a, _ float64) float64 { return a }

func TestQuantilesOfTables(t *testing.T) {
	for p, want := range map[float64]float64{0.5: 0, 0.75: 0.764892, 0.9: 1.637744, 0.975: 3.182446, 0.995: 5.840909, 0.025: -3.182446} {
		if got := Quantile(p); math.Abs(got-want) > 1e-6 {
			t.Errorf("the quantile of %v is %v, not %v", p, got, want)
		}
		if got := CDF(Quantile(p)); math.Abs(got-p) > 1e-12 {
			t.Errorf("%v came back as %v", p, got)
		}
	}
}

// The branches for far tails continue the formulas.
func TestBranchesMeet(t *testing.T) {
	for _, z := range []float64{root3 / 1e-2, 1e4} {
		before, after := CDF(-z*(1-1e-9)), CDF(-z*(1+1e-9))
		if math.Abs(before/after-1) > 1e-7 {
			t.Errorf("CDF jumps from %v to %v at %v", before, after, -z)
		}
		a, slopeA := LogH(-z * (1 - 1e-9))
		b, slopeB := LogH(-z * (1 + 1e-9))
		if math.Abs(a-b) > 1e-6 || math.Abs(slopeA/slopeB-1) > 1e-6 {
			t.Errorf("ln h jumps from %v to %v at %v, its slope from %v to %v", a, b, -z, slopeA, slopeB)
		}
	}
}

// The slope of ln h is that of differences, and nothing overflows.
func TestSlope(t *testing.T) {
	for _, z := range []float64{-1e100, -1e6, -2e4, -300, -10, -1, -0.1, 0, 0.3, 5, 1e3, 1e80} {
		v, slope := LogH(z)
		if math.IsNaN(v) || math.IsInf(v, 0) || math.IsNaN(slope) || slope < 0 {
			t.Errorf("ln h(%v) is %v with slope %v", z, v, slope)
		}
		step := 1e-5 * math.Max(1, math.Abs(z))
		up, _ := LogH(z + step)
		down, _ := LogH(z - step)
		if want := (up - down) / (2 * step); math.Abs(slope-want) > 1e-4*math.Abs(want)+1e-12 {
			t.Errorf("the slope at %v is %v, differences say %v", z, slope, want)
		}
	}
}
