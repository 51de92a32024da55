package acq_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/front"
	"github.com/eke-bo/eke/internal/gradcheck"
)

// several returns the belief with further objectives, which fall where the first rises, and a front of some points.
func several(b acq.Belief, objectives int) acq.Belief {
	rng := newRand(uint64(objectives))
	dim := b.Objective.Dim()
	b.Front = &acq.Front{}
	for k := range objectives - 1 {
		var x [][]float64
		var y []float64
		for range 12 {
			p, v := point(rng, dim), 0.0
			for j, c := range p {
				v -= 3 * math.Sin(4*c+float64(j+k))
			}
			x, y = append(x, p), append(y, v)
		}
		b.Front.Models = append(b.Front.Models, gp.New(x, y, gp.Standardise(y), someHyper(rng, dim)))
	}
	var points [][]float64
	for range 8 {
		p := []float64{20 * rng.NormFloat64(), 3 * rng.NormFloat64(), 3 * rng.NormFloat64()}
		points = append(points, p[:objectives])
	}
	b.Front.Boxes = front.Boxes(points, []float64{-40, -6, -6}[:objectives])
	return b
}

func TestGradientsOfSeveralObjectives(t *testing.T) {
	rng := newRand(3)
	b := someBelief(rng, 15, 3)
	for objectives := front.Least; objectives <= front.Most; objectives++ {
		all := family(several(b, objectives))
		for _, name := range slices.Sorted(maps.Keys(all)) {
			t.Run(fmt.Sprintf("%s, %d objectives", name, objectives), func(t *testing.T) {
				for range 3 {
					gradcheck.Check(t, all[name]().Log().Eval, point(rng, 3), gradcheck.Settings{})
				}
			})
		}
	}
}

// The improvement of several objectives is the expected gain of their independent forecasts, one point at a time and many at once.
func TestImprovementIsTheGainOfTheFront(t *testing.T) {
	rng := newRand(4)
	b := several(someBelief(rng, 15, 2), 3)
	points := [][]float64{point(rng, 2), point(rng, 2), point(rng, 2)}
	many := acq.PerMedianCost(b, 1).Log().Values(points)
	for i, x := range points {
		mean, sd := make([]float64, 3), make([]float64, 3)
		for j, m := range append([]*gp.Model{b.Objective}, b.Front.Models...) {
			mean[j], sd[j] = m.PosteriorSD(x)
		}
		lnCost, _ := b.LnCostAt(x)
		want := front.NewGainer(b.Front.Boxes, nil).Log(mean, sd, make([]float64, 3), make([]float64, 3)) - lnCost
		if v := acq.PerMedianCost(b, 1).Log().Eval(nil, x); math.Abs(v-want) > 1e-9 || math.Abs(many[i]-want) > 1e-9 {
			t.Errorf("at %v: %v, and %v among many, want %v", x, v, many[i], want)
		}
	}
	f, x, grad := acq.PerMedianCost(b, 1).Log(), points[0], make([]float64, 2)
	if n := testing.AllocsPerRun(20, func() { f.Eval(grad, x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
