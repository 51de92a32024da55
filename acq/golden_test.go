package acq_test

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/golden"
)

func TestGolden(t *testing.T) {
	all, err := golden.AllStates(golden.Dir("../testdata/golden"))
	if err != nil {
		t.Fatal(err)
	}
	// The floors of the reference: on the variance 1e-9 in BoTorch's EI and 1e-6 in the
	// authors' EI-PUC, on the standard deviation 1e-6 in their budgeted EI.
	ei, puc, budgeted := [2]float64{math.Sqrt(1e-9), 0}, [2]float64{1e-3, 1e-3}, [2]float64{1e-6, 1e-6}
	for _, s := range all {
		with := func(floor [2]float64) acq.Belief {
			b := s.Belief(s.BudgetedEI.RemainingBudget)
			b.MinSD = floor
			return b
		}
		for name, c := range map[string]struct {
			want golden.Curve
			make func() *acq.Function
		}{
			"EI":          {s.EI, func() *acq.Function { return acq.EI(with(ei)) }},
			"EI-PUC":      {s.EIPUC, func() *acq.Function { return acq.PerCost(with(puc), 1) }},
			"EI-PUC-CC":   {s.EIPUCCC, func() *acq.Function { return acq.PerCost(with(puc), s.EIPUCCC.Nu) }},
			"budgeted EI": {s.BudgetedEI, func() *acq.Function { return acq.Budgeted(with(budgeted)) }},
		} {
			plain, log := c.make(), c.make().Log()
			grad := make([]float64, len(s.X[0]))
			for i, x := range s.TestPoints {
				got := plain.Eval(grad, x)
				if want := c.want.Value[i]; !golden.Near(got, want, 1e-7, s.Scale(0)) {
					t.Errorf("%s %s point %d: %v, want %v", s.Name, name, i, got, want)
				}
				if want := c.want.Grad[i]; !golden.NearVector(grad, want, 1e-5, s.Scale(0)) {
					t.Errorf("%s %s point %d: gradient %v, want %v", s.Name, name, i, grad, want)
				}
				if l := log.Eval(nil, x); got > 0 && math.Abs(l-math.Log(got)) > 1e-9 {
					t.Errorf("%s %s point %d: log %v, want %v", s.Name, name, i, l, math.Log(got))
				}
			}
		}
	}
}
