package model_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/model"
)

// depot is what a depot earns, by its sorters and trucks: with too few of them queues grow, and the others differ by little.
func depot(x []float64) float64 {
	sorters, trucks := 3+13*x[0], 1+11*x[1]
	return -200*sorters - 70*trucks - 3000/(1+math.Exp(2*(sorters-8))) - 40000/(1+math.Exp(3*(sorters-6))) - 20000/(1+math.Exp(2*(trucks-3)))
}

// Values of which some are worse by far are modelled in logarithms of their distance from the best, and those of a hill are not.
func TestSteepValuesInLogarithms(t *testing.T) {
	for _, c := range []struct {
		name    string
		earns   func(x []float64) float64
		steep   bool
		typical float64 // the largest median error of forecasts
	}{
		{"depot", depot, true, 100},
		{"hill", func(x []float64) float64 { return -(x[0]-0.3)*(x[0]-0.3) - 2*(x[1]-0.6)*(x[1]-0.6) }, false, 1e-3},
	} {
		s := model.State{Dim: 2, Initial: 100, Remaining: 60, Seed: 1}
		for i := range 24 {
			x := []float64{math.Mod(float64(i)*math.Sqrt2, 1), math.Mod(float64(i)*math.Sqrt(3), 1)}
			s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, c.earns(x)), append(s.LnCost, 0)
		}
		f, err := model.NewFitter(model.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		m := f.Fit(context.Background(), &s)
		if steep := m.Warp.Standard.Shift == slices.Max(s.Y); steep != c.steep {
			t.Errorf("%s: %+v", c.name, m.Warp)
		}
		var errors []float64
		for i := range 21 {
			x := []float64{0.5 + 0.5*math.Mod(float64(i)*math.Sqrt(5), 1), 0.4 + 0.6*math.Mod(float64(i)*math.Sqrt(7), 1)} // where it is flat
			mean, _ := m.Objective().Posterior(x)
			errors = append(errors, math.Abs(m.Warp.From(mean)-c.earns(x)))
		}
		if slices.Sort(errors); !(errors[10] < c.typical) {
			t.Errorf("%s: half of the errors are above %.3g: %.3g", c.name, errors[10], errors)
		}
	}
}
