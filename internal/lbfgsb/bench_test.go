package lbfgsb

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The functions are cheap, of O(d) operations, so that the time per iteration
// is the method's own; some bounds are active.
func BenchmarkMaximise(b *testing.B) {
	for _, d := range []int{12, 265} {
		rng := rand.New(rand.NewPCG(11, 11))
		weights, centre := make([]float64, d), randomVector(rng, d)
		for i := range weights {
			weights[i] = 1 + 999*rng.Float64()
		}
		diagonal := func(grad, x []float64) float64 {
			sum := 0.0
			for i, v := range x {
				sum -= weights[i] * (v - centre[i]) * (v - centre[i]) / 2
				grad[i] = -weights[i] * (v - centre[i])
			}
			return sum
		}
		for _, c := range []struct {
			name string
			f    Func
		}{{"quadratic", diagonal}, {"rosenbrock", negative(rosenbrock(100))}} {
			b.Run(fmt.Sprintf("%s/d=%d", c.name, d), func(b *testing.B) {
				x, start := make([]float64, d), slices.Repeat([]float64{-0.7}, d)
				lower, upper := constantBox(d, -1, 0.9)
				var w Workspace
				iterations, evaluations := 0, 0
				b.ReportAllocs()
				for b.Loop() {
					copy(x, start)
					r := w.Maximise(c.f, x, lower, upper, Settings{})
					iterations += r.Iterations
					evaluations += r.Evaluations
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(iterations), "ns/iteration")
				b.ReportMetric(float64(evaluations)/float64(iterations), "evaluations/iteration")
				b.ReportMetric(float64(iterations)/float64(b.N), "iterations")
			})
		}
	}
}
