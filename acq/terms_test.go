package acq_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/gradcheck"
)

func integral(f func(float64) float64, from, to float64) float64 {
	return quad.Fixed(f, from, to, 400, quad.Legendre{}, 0)
}

const halfLn2Pi = 0.9189385332046727

// EI = E[max(Y − best, 0)]. With t = (μ−best)/σ and Y = best + σv, the density's factor φ(t) is taken out of the
// integral, so that tails can be integrated too: EI = σφ(t) ∫₀^∞ v·exp(tv − v²/2) dv.
func TestLogEIEqualsQuadrature(t *testing.T) {
	worst := 0.0
	for _, sd := range []float64{1e-3, 1, 40} {
		for _, dev := range []float64{-1000, -45, -10, -3, -1, -0.1, 0, 0.5, 2, 6} {
			const best = 3
			got, _, _ := acq.LogEI(best+dev*sd, sd, best)
			at := (best + dev*sd - best) / sd // dev after rounding
			end := 12 + math.Max(at, 0)
			if at < -1 {
				end = math.Min(end, 45/-at)
			}
			i := integral(func(v float64) float64 { return v * math.Exp(at*v-v*v/2) }, 0, end)
			want := math.Log(sd) - at*at/2 - halfLn2Pi + math.Log(i)
			worst = math.Max(worst, math.Abs(got-want)/math.Max(1, math.Abs(want)))
		}
	}
	t.Logf("worst deviation %.2g", worst)
	if !(worst < 1e-12) {
		t.Errorf("off by %v", worst)
	}
}

// P(c ≤ money) = P(N(0,1) ≤ ζ), likewise with φ(ζ) taken out: φ(ζ) ∫₀^∞ exp(ζv − v²/2) dv.
func TestLogFitsEqualsQuadrature(t *testing.T) {
	worst := 0.0
	for _, sd := range []float64{0.01, 1, 5} {
		for _, zeta := range []float64{-1000, -45, -10, -3, -1, 0, 0.5, 2, 6} {
			const lnMoney = 0.7
			got, _, _, _ := acq.LogFits(lnMoney-zeta*sd, sd, lnMoney)
			at := (lnMoney - (lnMoney - zeta*sd)) / sd
			end := 12 + math.Max(at, 0)
			if at < -1 {
				end = math.Min(end, 45/-at)
			}
			i := integral(func(v float64) float64 { return math.Exp(at*v - v*v/2) }, 0, end)
			want := -at*at/2 - halfLn2Pi + math.Log(i)
			worst = math.Max(worst, math.Abs(got-want)/math.Max(1, math.Abs(want)))
		}
	}
	t.Logf("worst deviation %.2g", worst)
	if !(worst < 1e-12) {
		t.Errorf("off by %v", worst)
	}
}

// E[c^−ν] of a log-normal cost.
func TestLogPerCostEqualsQuadrature(t *testing.T) {
	worst := 0.0
	for _, mean := range []float64{-3, 0, 5} {
		for _, sd := range []float64{0.01, 0.5, 2} {
			for _, nu := range []float64{0, 0.3, 1} {
				got, _, _ := acq.LogPerCost(mean, sd, nu)
				i := integral(func(u float64) float64 {
					return math.Exp(-nu*(mean+sd*u) - u*u/2 - halfLn2Pi)
				}, -12-nu*sd, 12)
				worst = math.Max(worst, math.Abs(got-math.Log(i)))
			}
		}
	}
	t.Logf("worst deviation %.2g", worst)
	if !(worst < 1e-12) {
		t.Errorf("off by %v", worst)
	}
}

// The partial derivatives of all three, in every argument, including the tails.
func TestTermDerivatives(t *testing.T) {
	ei := func(grad, a []float64) float64 {
		v, dMean, dSD := acq.LogEI(a[0], a[1], a[2])
		if grad != nil {
			grad[0], grad[1], grad[2] = dMean, dSD, -dMean
		}
		return v
	}
	fits := func(grad, a []float64) float64 {
		v, dMean, dSD, dLnMoney := acq.LogFits(a[0], a[1], a[2])
		if grad != nil {
			grad[0], grad[1], grad[2] = dMean, dSD, dLnMoney
		}
		return v
	}
	perCost := func(grad, a []float64) float64 {
		v, dMean, dSD := acq.LogPerCost(a[0], a[1], 0.7)
		if grad != nil {
			grad[0], grad[1] = dMean, dSD
		}
		return v
	}
	for _, a := range [][]float64{{1, 0.5, 0.3}, {0, 1, 0}, {-40, 1, 0}, {0.2, 0.3, 12}, {5, 0.5, -1}, {0, 1, 1e4}} {
		gradcheck.Check(t, ei, a, gradcheck.Settings{Step: 1e-4})
		gradcheck.Check(t, fits, a, gradcheck.Settings{Step: 1e-4})
		gradcheck.Check(t, perCost, a[:2], gradcheck.Settings{Step: 1e-4})
	}
}

// Unlimited money fits every cost, and the sensitivity is 0, not 0·∞.
func TestLogFitsWithoutABound(t *testing.T) {
	for _, lnMoney := range []float64{math.Inf(1), 1e300} {
		if v, dMean, dSD, dLnMoney := acq.LogFits(1, 0.5, lnMoney); v != 0 || dMean != 0 || dSD != 0 || dLnMoney != 0 {
			t.Errorf("%v: %v, derivatives %v, %v, %v", lnMoney, v, dMean, dSD, dLnMoney)
		}
	}
}

func TestLogTold(t *testing.T) {
	for _, noise := range []float64{1e-3, 1, 50} {
		for _, ratio := range []float64{1e-2, 0.5, 1, 30, 1e3} {
			sd := ratio * noise
			got, _ := acq.LogTold(sd, noise)
			if want := math.Log(1 - noise/math.Hypot(sd, noise)); math.Abs(got-want) > 1e-8*math.Max(1, math.Abs(want)) {
				t.Errorf("σ/τ = %v: %v, want %v", ratio, got, want)
			}
			gradcheck.Check(t, func(grad, x []float64) float64 { // in ln σ, so that its steps suit all sizes
				v, d := acq.LogTold(math.Exp(x[0]), noise)
				if grad != nil {
					grad[0] = d * math.Exp(x[0])
				}
				return v
			}, []float64{math.Log(sd)}, gradcheck.Settings{})
		}
	}
}
