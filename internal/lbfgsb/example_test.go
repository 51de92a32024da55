package lbfgsb_test

import (
	"fmt"

	"github.com/eke-bo/eke/internal/lbfgsb"
)

// The maximum of 1 − (a − 2)² − (b − ½)² in the unit square lies at its edge.
func ExampleWorkspace_Maximise() {
	f := func(grad, x []float64) float64 {
		a, b := x[0]-2, x[1]-0.5
		if grad != nil {
			grad[0], grad[1] = -2*a, -2*b
		}
		return 1 - a*a - b*b
	}
	var w lbfgsb.Workspace
	x := []float64{0.2, 0.9}
	r := w.Maximise(f, x, []float64{0, 0}, []float64{1, 1}, lbfgsb.Settings{})
	fmt.Printf("f(%.3f) = %.3f: %v\n", x, r.F, r.Reason)
	// Output: f([1.000 0.500]) = 0.000: projected gradient converged
}
