package acq_test

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/gradcheck"
)

func TestAddSetup(t *testing.T) {
	if mean, sd := acq.AddSetup(1.5, 0.3, 0, 0); mean != 1.5 || sd != 0.3 {
		t.Errorf("nothing to get ready: %v ± %v", mean, sd)
	}
	// c is 10 give or take 10 %, and getting ready costs 30 ± 2: 40 give or take (1² + 2²)^½.
	mean, sd := acq.AddSetup(math.Log(10), 0.1, 30, 2)
	if math.Abs(math.Exp(mean)-40) > 1e-12 || math.Abs(sd-math.Sqrt(5)/40) > 1e-12 {
		t.Errorf("%v ± %v", math.Exp(mean), sd)
	}
}

// LogPriceWith at a price of 0 is LogPrice; and what is paid whatever comes is not saved by failing.
func TestLogPriceWith(t *testing.T) {
	f := &acq.Fails{Shift: -2, Slope: 1}
	const own, setup = 3.0, 20.0
	for _, chance := range []float64{0.2, 0.9} {
		v, _, _, _ := f.LogPriceWith(setup, math.Log(chance), math.Log(own+setup))
		want := setup + chance*own + (1-chance)*own*math.Exp(-2)
		if math.Abs(math.Exp(v)-want) > 1e-9 {
			t.Errorf("chance %v: %v, want %v", chance, math.Exp(v), want)
		}
		g := func(grad, x []float64) float64 {
			v, dChance, dCost, dSetup := f.LogPriceWith(x[0], x[1], x[2])
			if grad != nil {
				grad[0], grad[1], grad[2] = dSetup, dChance, dCost
			}
			return v
		}
		gradcheck.Check(t, g, []float64{setup, math.Log(chance), math.Log(own + setup)}, gradcheck.Settings{})
	}
}

// byDistance is a price that grows with the distance from a point along the first coordinate, and is unsure.
func byDistance(grad, x []float64) (amount, sd float64) {
	if grad != nil {
		grad[0] += 4
	}
	return 1 + 4*(x[0]-0.1), 0.4
}

func TestSetupDerivatives(t *testing.T) {
	for name, b := range map[string]acq.Belief{"values": someBelief(newRand(3), 9, 2), "failures": mayFail(-1, 0.7)} {
		b.Remaining = 6
		ready := b
		b.Setup = byDistance
		for _, x := range corners {
			if with, without := acq.Gittins(b, 0.05).WithinLimits().Eval(nil, x), acq.Gittins(ready, 0.05).WithinLimits().Eval(nil, x); !(with < without) {
				t.Errorf("%s at %v: the index is %v with a price of getting ready, and %v without", name, x, with, without)
			}
			for _, f := range []*acq.Function{acq.Gittins(b, 0.05), acq.PerCost(b, 0.7).Log(), acq.PerMedianCost(b, 1).Log(), acq.PerMedianCost(b, 0.4).WithinBudget().Log(), acq.Budgeted(b).Log()} {
				f = f.WithinLimits()
				gradcheck.Check(t, f.Eval, x, gradcheck.Settings{})
				if got, want := f.Values([][]float64{x})[0], f.Eval(nil, x); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
					t.Errorf("%s at %v: %v among many, %v alone", name, x, got, want)
				}
			}
		}
	}
}
