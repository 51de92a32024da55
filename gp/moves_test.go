package gp_test

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/gp"
)

// The twin observes a value one standard deviation above the expected one, and looks how the means have moved.
func TestMoves(t *testing.T) {
	x, y, _ := tiedData(15, 0.7)
	h := gp.Hyper{Lengthscales: []float64{0.3, 0.5}, Outputscale: 1.3, Noise: 0.2, Mean: 0.1}
	m := gp.New(x, y, gp.Standardise(y), h)
	std := m.Standard()
	for _, at := range [][]float64{{0.3, 0.6}, {1, 0}, x[4]} {
		mean, own, data := m.Moves(at)
		before, sd := m.PosteriorSD(at)
		if math.Abs(std.From(mean)-before) > 1e-12 {
			t.Errorf("mean %v, want %v", std.From(mean), before)
		}
		told := m.Condition(at, before+math.Hypot(sd, std.Scale*math.Sqrt(h.Noise)))
		after, _ := told.Posterior(at)
		if got := own * std.Scale; math.Abs(got-(after-before)) > 1e-9 {
			t.Errorf("its mean moves by %v, want %v", got, after-before)
		}
		for i, p := range x {
			before, _ := m.Posterior(p)
			after, _ := told.Posterior(p)
			if got := data[i] * std.Scale; math.Abs(got-(after-before)) > 1e-9 {
				t.Errorf("datum %d moves by %v, want %v", i, got, after-before)
			}
		}
	}
}
