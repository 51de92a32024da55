package lbfgsb

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// polynomialSample samples a + bt + ct² + et³.
func polynomialSample(a, b, c, e, t float64) sample {
	return sample{t, a + t*(b+t*(c+t*e)), b + t*(2*c+t*3*e)}
}

func TestInterpolationIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minimum := rapid.Float64Range(-3, 3).Draw(t, "minimum")
		curvature := rapid.Float64Range(0.5, 4).Draw(t, "curvature")
		cubic := rapid.Float64Range(-0.2, 0.2).Draw(t, "cubic")
		p := rapid.Float64Range(-3, 3).Draw(t, "p")
		q := p + rapid.Float64Range(0.2, 2).Draw(t, "distance")*rapid.SampledFrom([]float64{-1, 1}).Draw(t, "sign")

		// φ = ½k(t − t*)² + e(t − t*)³ has its minimum at t*.
		at := func(e, step float64) sample {
			s := polynomialSample(0, 0, curvature/2, e, step-minimum)
			s.step = step
			return s
		}
		check := func(name string, got float64) {
			if math.Abs(got-minimum) > 1e-6 {
				t.Fatalf("%s gives %v, want %v", name, got, minimum)
			}
		}
		check("cubic", cubicMinimiser(at(cubic, p), at(cubic, q)))
		check("quadratic", quadraticMinimiser(at(0, p), at(0, q)))
		check("secant", secantMinimiser(at(0, p), at(0, q)))
	})
}

func TestCubicOfConstantIsFinite(t *testing.T) {
	if got := cubicMinimiser(sample{0, 1, 0}, sample{2, 1, 0}); got != 2 {
		t.Errorf("got %v", got)
	}
}
