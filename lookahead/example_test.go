package lookahead_test

import (
	"context"
	"fmt"
	"math"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/lookahead"
)

// fit returns what is believed of a problem with one input after some evaluations.
func fit(x [][]float64, values, costs []float64, budget float64) acq.Belief {
	b := acq.Belief{Best: math.Inf(-1), Remaining: budget}
	lnCosts := make([]float64, len(costs))
	for i, v := range values {
		b.Best = max(b.Best, v)
		b.Remaining -= costs[i]
		lnCosts[i] = math.Log(costs[i])
	}
	b.Objective, _ = gp.Fit(x, values, 1, gp.Settings{})
	b.LnCost, _ = gp.Fit(x, lnCosts, 1, gp.Settings{})
	return b
}

// The paper's policy chooses the next evaluation: the root of the best tree of four steps. On the right an evaluation costs more, and
// with the little money that is left the plan begins on the left.
func Example() {
	x := [][]float64{{0}, {0.25}, {0.5}, {0.75}, {1}}
	b := fit(x, []float64{0, 1, 0.2, 1.1, 0}, []float64{1, 2, 3, 4, 5}, 23)

	shape, err := lookahead.NewShape([]int{4, 4, 2}) // 1 + 4 + 16 + 32 nodes
	if err != nil {
		panic(err)
	}
	tree, err := lookahead.New(b, shape, lookahead.SobolSamples(shape.Fantasies(), 1), lookahead.Options{})
	if err != nil {
		panic(err)
	}
	found := lookahead.Maximise(context.Background(), tree, lookahead.Settings{LogForm: true, Grown: true, Starts: 6, Threads: 2})
	fmt.Printf("%d nodes; evaluate %.2f next\n", shape.Nodes(), found.Best.X[0])
	// Output:
	// 53 nodes; evaluate 0.11 next
}

// The value Q_N and its gradient, for points of one's own: the next evaluation, and one for each of its three imagined outcomes.
func ExampleWalk_Value() {
	x := [][]float64{{0}, {0.3}, {0.6}, {1}}
	b := fit(x, []float64{0, 1, 0.8, 0}, []float64{1, 1, 1, 1}, 7)
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

// A tree of three steps plans with what three steps of a base policy would cost. Here the base policy takes the point of a grid that EI-PUC likes best.
func ExampleRollouts() {
	x := [][]float64{{0}, {0.25}, {0.5}, {0.75}, {1}}
	b := fit(x, []float64{0, 1, 0.2, 1.1, 0}, []float64{2, 2, 2, 2, 2}, 110)
	base := func(_ context.Context, b acq.Belief, _, _ int) (best []float64, searches, evaluations int) {
		f, highest := acq.PerCost(b, 1).Log(), math.Inf(-1)
		for i := range 101 {
			at := []float64{float64(i) / 100}
			if v := f.Eval(nil, at); v > highest {
				best, highest = at, v
			}
		}
		return best, 0, 101
	}
	money := lookahead.Rollouts{Base: base, Steps: 3, Count: 4, Threads: 1}.Budget(context.Background(), b)
	fmt.Printf("of %.0f that remain, the tree plans with %.0f\n", b.Remaining, money.Budget)

	for _, spent := range []float64{2, 5} {
		_, ok := money.Left(spent, b.Remaining-spent)
		fmt.Printf("after spending %.0f, enough is left: %v\n", spent, ok)
	}
	// Output:
	// of 100 that remain, the tree plans with 6
	// after spending 2, enough is left: true
	// after spending 5, enough is left: false
}

// The last tree, once its root has been evaluated, is a start for the next search: the branch of the fantasy nearest to what was observed moves up.
func ExampleAdvance() {
	shape, err := lookahead.NewShape([]int{2})
	if err != nil {
		panic(err)
	}
	last := []float64{0.5, 0.2, 0.8} // the root, and the points for a low and for a high value
	fantasies := []lookahead.Outcome{{Value: -1}, {Value: 1}}
	branch := lookahead.Nearest(fantasies, lookahead.Outcome{Value: 0.7}, 1, 1)
	fmt.Println(lookahead.Advance(shape, last, branch)[0])
	// Output: 0.8
}
