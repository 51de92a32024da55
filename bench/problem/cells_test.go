package problem

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A small forest in the unit square, and the lowest of all its cells, each tried.
func TestCellsAgainstAllCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 20 {
		var rows [][]float64
		var targets []float64
		for range 25 {
			rows, targets = append(rows, []float64{rng.Float64(), rng.Float64()}), append(targets, rng.NormFloat64())
		}
		f := growForest(newTable(rows, targets), forestSettings{trees: 8, seed: rng.Uint64()})
		c := &cells{forest: f}
		lowest := math.Inf(1)
		places := f.places(2)
		for _, x := range places[0] {
			low := math.Inf(1)
			for _, y := range places[1] {
				low = min(low, f.predict([]float64{x, y}))
			}
			if value, place := c.lowest([]float64{x, 0.5}, 1); !near(value, low, 1e-12) || !near(f.predict([]float64{x, place}), low, 1e-12) {
				t.Fatalf("along x = %v: %v at %v, want %v", x, value, place, low)
			}
			lowest = min(lowest, low)
		}
		at := []float64{rng.Float64(), rng.Float64()}
		if value := c.descendInPairs(at); !near(value, lowest, 1e-12) || !near(f.predict(at), lowest, 1e-12) {
			t.Errorf("%v at %v, want %v", value, at, lowest)
		}
	}
}
