package lookahead_test

import (
	"fmt"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/lookahead"
)

// A tree of two steps: the next evaluation, and one for each of its three imagined outcomes.
func Example() {
	x := [][]float64{{0}, {0.3}, {0.6}, {1}}
	b := acq.Belief{Best: 1, Remaining: 3}
	b.Objective, _ = gp.Fit(x, []float64{0, 1, 0.8, 0}, 1, gp.Settings{})
	b.LnCost, _ = gp.Fit(x, []float64{0, 0, 0, 0}, 1, gp.Settings{})
	shape, err := lookahead.NewShape([]int{3})
	if err != nil {
		panic(err)
	}
	tree, err := lookahead.New(b, shape, lookahead.SobolSamples(shape.Fantasies(), 1), lookahead.Options{})
	if err != nil {
		panic(err)
	}
	w := tree.NewWalk()
	grad := make([]float64, tree.Dim())
	good := w.Value(grad, []float64{0.45, 0.4, 0.45, 0.5})
	poor := w.Value(nil, []float64{0.95, 0.05, 0.95, 0.05})
	fmt.Println(tree.Dim(), "variables; the better plan is worth more:", good > poor)
	// Output: 4 variables; the better plan is worth more: true
}
