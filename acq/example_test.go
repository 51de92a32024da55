package acq_test

import (
	"fmt"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
)

// Where costs rise from left to right, improvement per unit of cost prefers the left of two equal hills.
func Example() {
	x := [][]float64{{0}, {0.25}, {0.5}, {0.75}, {1}}
	values, lnCosts := []float64{0, 1, 0, 1, 0}, []float64{0, 0.5, 1, 1.5, 2}
	b := acq.Belief{Best: 1, Remaining: 10}
	b.Objective, _ = gp.Fit(x, values, 1, gp.Settings{})
	b.LnCost, _ = gp.Fit(x, lnCosts, 1, gp.Settings{})
	ei, perCost := acq.EI(b), acq.PerCost(b, 1)
	left, right := []float64{0.3}, []float64{0.7}
	fmt.Printf("EI:       right/left = %.2f\n", ei.Eval(nil, right)/ei.Eval(nil, left))
	fmt.Printf("per cost: right/left = %.2f\n", perCost.Eval(nil, right)/perCost.Eval(nil, left))
	// Output:
	// EI:       right/left = 1.00
	// per cost: right/left = 0.45
}

// Far from the incumbent a function underflows. Its logarithm does not.
func ExampleFunction_Log() {
	b := acq.Belief{Best: 1e3, Remaining: 1}
	b.Objective = gp.New([][]float64{{0.5}}, []float64{0}, gp.Standard{Scale: 1}, gp.Hyper{Lengthscales: []float64{0.2}, Outputscale: 1, Noise: 1e-4})
	b.LnCost = b.Objective
	fmt.Println(acq.EI(b).Eval(nil, []float64{0}))
	fmt.Printf("%.0f\n", acq.EI(b).Log().Eval(nil, []float64{0}))
	// Output:
	// 0
	// -502039
}
