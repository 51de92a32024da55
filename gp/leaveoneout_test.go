package gp_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/gp"
)

// What a model says about each of its data from all others is what a model of the others says.
func TestLeaveOneOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	h := gp.Hyper{Lengthscales: []float64{0.3, 0.7}, Outputscale: 1.3, Noise: 0.02, Mean: 0.4}
	var x [][]float64
	var y []float64
	for range 12 {
		x, y = append(x, []float64{rng.Float64(), rng.Float64()}), append(y, rng.NormFloat64())
	}
	mean, variance := gp.New(x, y, gp.Standard{Scale: 1}, h).LeaveOneOut()
	for i := range x {
		others := gp.New(slices.Delete(slices.Clone(x), i, i+1), slices.Delete(slices.Clone(y), i, i+1), gp.Standard{Scale: 1}, h)
		m, v := others.Posterior(x[i])
		if math.Abs(m-mean[i]) > 1e-9 || math.Abs(v-variance[i]) > 1e-9 {
			t.Errorf("datum %d: %v and %v, want %v and %v", i, mean[i], variance[i], m, v)
		}
	}
}
