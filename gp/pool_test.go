package gp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/gp"
)

// A pool says the same as models that were conditioned one by one, also of points that joined later.
func TestPoolIsTheConditionedModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 7, 30} {
		x, y := make([][]float64, n), make([]float64, n)
		for i := range x {
			x[i] = []float64{rng.Float64(), rng.Float64(), rng.Float64()}
			y[i] = 50 * math.Sin(5*x[i][0]+x[i][1])
		}
		std := gp.Standardise(y)
		m := gp.New(x, y, std, gp.Hyper{Lengthscales: []float64{0.4, 0.6, 0.9}, Outputscale: 1.2, Noise: 1e-4, Mean: 0.1})
		points := make([][]float64, 12)
		for i := range points {
			points[i] = []float64{rng.Float64(), rng.Float64(), rng.Float64()}
		}
		const most = 9
		p := m.NewPool(points, most)
		spare := p.Clone()
		for step := range most {
			i := rng.IntN(len(points))
			v := rng.NormFloat64()
			p.Observe(i, v)
			m = m.Condition(points[i], std.From(v))
			if step%3 == 1 {
				places := rng.Perm(len(points))[:1+step]
				var others [][]float64
				for _, i := range places {
					points[i] = []float64{rng.Float64(), rng.Float64(), rng.Float64()}
					others = append(others, points[i])
				}
				p.Replace(places, others)
			}
			for q, x := range points {
				mean, sd := m.PosteriorSD(x)
				if got := std.From(p.Mean[q]); math.Abs(got-mean) > 1e-8*std.Scale {
					t.Fatalf("n = %d, step %d: mean %v, want %v", n, step, got, mean)
				}
				if got := std.Scale * math.Sqrt(p.Var[q]); math.Abs(got-sd) > 1e-6*std.Scale {
					t.Fatalf("n = %d, step %d: sd %v, want %v", n, step, got, sd)
				}
			}
		}
		if !p.Full() || !p.Clone().Full() {
			t.Error("there is room for more")
		}
		if spare.Full() || spare.Mean[0] == p.Mean[0] {
			t.Error("a copy changed with its original")
		}
	}
}
