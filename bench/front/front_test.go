package front

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/policy"
)

// volume is the hypervolume of outcomes that are minimised.
func volume(p Problem, outcomes [][]float64) float64 {
	flipped := func(list []float64) []float64 {
		out := make([]float64, len(list))
		for j, v := range list {
			out[j] = -v
		}
		return out
	}
	var points [][]float64
	for _, y := range outcomes {
		points = append(points, flipped(y))
	}
	return policy.Hypervolume(points, flipped(p.Worst))
}

// The hypervolume that a source states is above that of any settings, and that of many is near it.
func TestHypervolumesOfTheSources(t *testing.T) {
	for _, p := range Problems() {
		rng := rand.New(rand.NewPCG(1, 1))
		var outcomes [][]float64
		for k := range 1500 {
			x := make([]float64, len(p.Bounds))
			for i, b := range p.Bounds {
				x[i] = b[0] + rng.Float64()*(b[1]-b[0])
				if b == [2]float64{0, 1} && i > 0 && k%2 == 0 { // the fronts of the test problems are there
					x[i] = map[bool]float64{true: 0.5, false: 0}[p.Name[0] == 'd']
					if p.Name == "branin-currin" || p.Name == "dtlz2-3" && i < 2 {
						x[i] = rng.Float64()
					}
				}
			}
			y, cost, limits := p.Evaluate(x)
			if !(cost > 0.05 && cost < 20) || len(y) != len(p.Worst) {
				t.Fatalf("%s: %v for %v", p.Name, y, cost)
			}
			meets := true
			for _, v := range limits {
				meets = meets && v >= 0
			}
			if meets {
				outcomes = append(outcomes, y)
			}
		}
		if v := volume(p, outcomes); v > p.Best*(1+1e-6) || v < 0.7*p.Best {
			t.Errorf("%s: many settings have a hypervolume of %v, and the source says %v", p.Name, v, p.Best)
		}
	}
}

// A study spends its money and finds a part of the front.
func TestPlay(t *testing.T) {
	p := Problems()[0]
	p.Budget = 6
	v, err := Play(context.Background(), p, "auto", 1)
	if err != nil || !(v < -0.05) || math.IsInf(v, 0) {
		t.Errorf("%v, %v", v, err)
	}
}
