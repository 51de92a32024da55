package policy_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/eke-bo/eke/policy"
)

// Values from 1e-300 to 1e300 and costs from e⁻⁶⁹⁰ to e⁶⁹⁰ give suggestions with finite forecasts, near the values that were seen. Skew values
// with a long tail, equal ones and a single one do, too. (Equal values have no scale to go by, so theirs is 1.)
func TestNothingOverflows(t *testing.T) {
	shapes := map[string]func(x []float64) float64{
		"hill":  func(x []float64) float64 { y, _ := hill(x); return y },
		"skew":  func(x []float64) float64 { return math.Exp(12*x[0] - 6) },
		"deep":  func(x []float64) float64 { return -math.Exp(12*x[1] - 6) },
		"equal": func([]float64) float64 { return 1 },
	}
	for name, shape := range shapes {
		for _, scale := range []float64{1e-300, 1e-150, 1, 1e150, 1e300} {
			for _, shift := range []float64{-690, 0, 690} {
				for _, n := range []int{1, 2, 9, 25} {
					s := study(n, 2, 3)
					largest := 0.0
					for i, x := range s.X {
						s.Y[i] = scale * shape(x)
						s.LnCost[i] += shift
						largest = math.Max(largest, math.Abs(s.Y[i]))
					}
					s.Initial = math.Min(math.Exp(shift)*100, math.MaxFloat64/2)
					s.Remaining = s.Initial / 2
					out, err := must(t, "log-ei-puc", small(policy.Settings{Design: -1})).Suggest(context.Background(), s)
					if errors.Is(err, policy.ErrNoHope) {
						continue
					}
					if err != nil {
						t.Fatalf("%s × %v, costs × e^%v, %d data: %v", name, scale, shift, n, err)
					}
					p := out.Predicted
					for _, v := range []float64{p.Value, p.ValueSD, p.Cost, p.CostSD, p.LnCost, p.LnCostSD, p.Fits, out.Acquisition} {
						if math.IsNaN(v) || math.IsInf(v, 0) {
							t.Errorf("%s × %v, costs × e^%v, %d data: %+v", name, scale, shift, n, p)
						}
					}
					if n > 2 && name != "equal" && (math.Abs(p.Value)/100 > largest || p.ValueSD/100 > math.Max(largest, scale)) {
						t.Errorf("%s × %v, %d data: a forecast of %v ± %v, the largest value is %v", name, scale, n, p.Value, p.ValueSD, largest)
					}
				}
			}
		}
	}
}
