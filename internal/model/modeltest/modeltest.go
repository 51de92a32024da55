// Package modeltest has states for the tests of several packages.
package modeltest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
)

// Leveled is a state with looks at a function whose cheap versions are shifted, and cost a ninth or a third.
func Leveled(tops, looks int, seed uint64) model.State {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := model.State{Dim: 2, Levels: []float64{0, 0.5, 1}, Initial: 30, Remaining: 20, Seed: seed, Trial: tops + looks}
	draw := func() []float64 { return []float64{rng.Float64(), rng.Float64()} }
	for range tops {
		x := draw()
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, AtLevel(x, 1)), append(s.LnCost, 0)
	}
	for i := range looks {
		x, level := draw(), s.Levels[i%2]
		s.Looks = append(s.Looks, model.Look{X: x, Level: level, Y: AtLevel(x, level), LnCost: -math.Log(9) * (1 - level)})
	}
	return s
}

// AtLevel is that function.
func AtLevel(x []float64, level float64) float64 {
	return -4*(math.Pow(x[0]-0.3, 2)+math.Pow(x[1]-0.6, 2)) - (1-level)*(1+0.3*x[0])
}

// Oven is a study of a temperature, the first coordinate, and a time. Any other temperature than that of the last evaluation costs an amount.
func Oven(amount float64) model.State {
	s := model.State{Dim: 2, Initial: 200, Remaining: 100, Seed: 5, Trial: 9}
	for i, x := range maximise.RawPoints(9, 2, 3) {
		if i == 8 {
			x = []float64{0.6, 0.9}
		}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, -10*math.Pow(x[0]-0.7, 2)-4*math.Pow(x[1]-0.4, 2)), append(s.LnCost, 0)
	}
	at := s.X[8]
	price := func(from, to []float64) float64 {
		if from[0] == to[0] {
			return 0
		}
		return amount
	}
	s.Change = &model.Change{At: at, Keep: [][]int{{0}}, Between: price, Setup: func(_, x []float64) (float64, float64) { return price(at, x), 0 }}
	return s
}

// Believe returns what is believed of a state.
func Believe(t *testing.T, s *model.State, set model.Settings) *model.Beliefs {
	t.Helper()
	f, err := model.NewFitter(set)
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Believe(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
