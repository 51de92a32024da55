package student

import (
	"math"
	"testing"
)

// The density integrates to the distribution.
func TestIntegral(t *testing.T) {
	const step = 1e-3
	cdf := CDF(-200)
	for i := range int(210 / step) {
		z := -200 + step*float64(i)
		mid := z + step/2
		cdf += step * PDF(mid)
		if i%5000 == 4999 {
			if got := CDF(z + step); math.Abs(got-cdf) > 1e-7*cdf+1e-12 {
				t.Fatalf("CDF(%v) is %v, the integral %v", z+step, got, cdf)
			}
		}
	}
}

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

// The branch for far tails continues the formula.
func TestBranchesMeet(t *testing.T) {
	for _, z := range []float64{root3 / 1e-2} {
		before, after := CDF(-z*(1-1e-9)), CDF(-z*(1+1e-9))
		if math.Abs(before/after-1) > 1e-7 {
			t.Errorf("CDF jumps from %v to %v at %v", before, after, -z)
		}
	}
}
