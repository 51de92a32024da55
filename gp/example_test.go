package gp_test

import (
	"fmt"

	"github.com/eke-bo/eke/gp"
)

func Example() {
	x := [][]float64{{0}, {0.25}, {0.5}, {0.75}, {1}}
	y := []float64{0, 7, 10, 7, 0}
	m, _ := gp.Fit(x, y, 1, gp.Settings{})
	mean, sd := m.PosteriorSD([]float64{0.5})
	fmt.Printf("where it was observed:     %.0f ± %.1f\n", mean, sd)
	mean, sd = m.PosteriorSD([]float64{0.6})
	fmt.Printf("between two observations:  %.0f ± %.1f\n", mean, sd)
	// Output:
	// where it was observed:     10 ± 0.0
	// between two observations:  10 ± 0.5
}

// A batch computes many points at once, and gradients. This is the gradient of the posterior mean.
func ExampleBatch() {
	m, _ := gp.Fit([][]float64{{0}, {0.5}, {1}}, []float64{0, 1, 2}, 1, gp.Settings{})
	b := m.NewBatch(1, nil)
	b.Forward([]float64{0.5}, true)
	b.ClearBars()
	b.MeanBar[0] = 1
	grad := make([]float64, 1)
	b.Pull(grad)
	fmt.Println("the mean goes up:", grad[0] > 0)
	// Output: the mean goes up: true
}
