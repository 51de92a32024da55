package model

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
)

// A local model is that of the nearest known data, found here by sorting all of them. Starts close to each other share one, and only those:
// whatever model a start gets holds the nearest half of its data.
func TestSurroundings(t *testing.T) {
	s := Remembering(450)
	s.LnCost[17], s.LnCost[311] = math.NaN(), math.NaN()
	of := gp.New(s.X[:20], s.Y[:20], gp.Standard{Scale: 1}, gp.Hyper{Lengthscales: []float64{0.2, 0.7}, Outputscale: 1, Noise: 1e-4})
	nearby := &surroundings{of: of, data: s.X, targets: s.LnCost}
	nearest := func(x []float64, n int) []int {
		all := maximise.Indices(s.X)
		all = slices.DeleteFunc(all, func(i int) bool { return math.IsNaN(s.LnCost[i]) })
		far := func(i int) float64 { return math.Hypot((s.X[i][0]-x[0])/0.2, (s.X[i][1]-x[1])/0.7) }
		slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(far(a), far(b)) })
		return all[:n]
	}
	at := []float64{0.31, 0.62}
	places := nearest(at, nearData)
	slices.Sort(places)
	want := of.Like(maximise.Pick(s.X, places), maximise.Pick(s.LnCost, places), of.Hyper())
	got := nearby.at(at)()
	for _, x := range [][]float64{at, {0.1, 0.9}, {1, 1}} {
		a, va := got.Posterior(x)
		if b, vb := want.Posterior(x); a != b || va != vb || math.IsNaN(a) {
			t.Errorf("at %v: %v ± %v, want %v ± %v", x, a, va, b, vb)
		}
	}
	shared := 0
	for i, x := range s.X {
		before := len(nearby.list)
		m := nearby.at(x)()
		if len(nearby.list) == before {
			shared++
		}
		k := slices.IndexFunc(nearby.list, func(l surrounding) bool { return l.model() == m })
		for _, place := range nearest(x, nearData/2) {
			if !nearby.list[k].holds[place] {
				t.Fatalf("the model for datum %d does not hold datum %d", i, place)
			}
		}
	}
	if shared < 200 || len(nearby.list) < 5 {
		t.Errorf("%d models for %d starts, %d of which share one", len(nearby.list), len(s.X), shared)
	}
}
