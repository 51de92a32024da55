package acq_test

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/gradcheck"
)

// mayFail is a belief about a square whose right edge is likely to fail.
func mayFail(shift, slope float64) acq.Belief {
	x := [][]float64{{0.1, 0.2}, {0.4, 0.9}, {0.5, 0.4}, {0.9, 0.5}, {0.7, 0.1}}
	hyper := func(length float64) gp.Hyper {
		return gp.Hyper{Lengthscales: []float64{length, length}, Outputscale: 1, Noise: 1e-3}
	}
	labels, _ := gp.NewSigns(x, []float64{1, 1, 1, -1, -1}).Fit(gp.Hyper{Lengthscales: []float64{0.4, 0.4}, Outputscale: 9, Mean: 3})
	return acq.Belief{
		Objective: gp.New(x, []float64{0, 0.3, 0.8, 1.1, 0.2}, gp.Standard{Shift: 0.4, Scale: 0.5}, hyper(0.5)),
		LnCost:    gp.New(x, []float64{0, 0.2, 0.5, 1, 0.7}, gp.Standard{Scale: 0.4}, hyper(0.6)), Best: 0.8, Remaining: 10,
		Fails: &acq.Fails{Value: acq.Limit{Model: labels}, Shift: shift, Slope: slope},
	}
}

var corners = [][]float64{{0.3, 0.3}, {0.62, 0.5}, {0.85, 0.45}, {0.95, 0.9}}

// With the chance P of a value, opening the box at the index is just worth what is to be expected of its price:
// P·E[max(Y − g, 0)] = λ·(P·c + (1 − P)·c_fail). The expectation is a sum over fine steps here.
func TestIndexWithFailures(t *testing.T) {
	const lambda = 0.05
	for _, fails := range [][2]float64{{0, 1}, {-3, 1}, {0.4, 0.2}} {
		b := mayFail(fails[0], fails[1])
		for _, x := range corners {
			scale := b.Objective.Standard().Scale
			g := b.Best + scale*acq.Gittins(b, lambda).WithinLimits().Eval(nil, x)
			mean, sd := b.Objective.PosteriorSD(x)
			gain, steps := 0.0, 200000
			for i := range steps {
				z := -9 + 18*(float64(i)+0.5)/float64(steps)
				gain += math.Max(mean+sd*z-g, 0) / scale * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * 18 / float64(steps)
			}
			works := b.Works()(x)
			lnMean, lnSD := b.LnCost.PosteriorSD(x)
			cost := math.Exp(lnMean + lnSD*lnSD/2)
			price := works*cost + (1-works)*math.Exp(fails[0]+fails[1]*math.Log(cost))
			if math.Abs(works*gain/(lambda*price)-1) > 1e-4 {
				t.Errorf("at %v, with a chance of %.3f, the index %v gains %v for %v", x, works, g, works*gain, lambda*price)
			}
			if math.Abs(b.PriceOf(x, lnMean, lnSD)/price-1) > 1e-9 {
				t.Errorf("the price at %v is %v, not %v", x, b.PriceOf(x, lnMean, lnSD), price)
			}
		}
	}
}

// Failures that cost nothing make a doubtful point no dearer, and those at full price do.
func TestCheapFailuresAreWorthARisk(t *testing.T) {
	x := []float64{0.62, 0.5}
	full, cheap := mayFail(0, 1), mayFail(-3, 1)
	if a, b := acq.Gittins(full, 0.05).WithinLimits().Eval(nil, x), acq.Gittins(cheap, 0.05).WithinLimits().Eval(nil, x); !(b > a) {
		t.Errorf("the index is %v where failures cost everything, %v where they cost little", a, b)
	}
}

func TestGradientsWithFailures(t *testing.T) {
	b := mayFail(-1, 0.7)
	for _, x := range corners {
		for _, f := range []*acq.Function{acq.Gittins(b, 0.05), acq.Gittins(b, 30).Log(), acq.PerMedianCost(b, 1).Log(), acq.PerMedianCost(b, 0.4).WithinBudget().Log(), acq.PerCost(b, 1), acq.EI(b), acq.Budgeted(b).Log()} {
			gradcheck.Check(t, f.WithinLimits().Eval, x, gradcheck.Settings{})
			gradcheck.Check(t, f.Safely(0.7).Log().Eval, x, gradcheck.Settings{})
		}
	}
}
