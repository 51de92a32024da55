package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/internal/model"
)

// walled is a study whose settings fail beyond a line along the first of three parameters. Failures cost a twentieth.
func walled(n int, seed uint64) model.State {
	rng := rand.New(rand.NewPCG(seed, 9))
	s := model.State{Dim: 3, Initial: 1000, Remaining: 900, Seed: seed, Trial: n}
	for range n {
		x := []float64{rng.Float64(), rng.Float64(), rng.Float64()}
		if cost := x[1]; x[0] > 0.6 {
			s.Failed, s.FailedCost = append(s.Failed, model.Failure{X: x, LnCost: math.NaN()}), append(s.FailedCost, cost-3)
		} else {
			s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, x[0]+0.3*math.Sin(5*x[1])), append(s.LnCost, cost)
		}
	}
	return s
}

// The chance of a value has an edge: the labels themselves say along which parameter it lies, and how sharp it is. A hair beyond a failure it is small.
func TestChanceHasAnEdge(t *testing.T) {
	s := walled(40, 1)
	for i := range 4 {
		y := float64(i)/4 + 0.1
		s.X, s.Y, s.LnCost = append(s.X, []float64{0.59, y, y}), append(s.Y, 0.6), append(s.LnCost, y)
		s.Failed, s.FailedCost = append(s.Failed, model.Failure{X: []float64{0.61, y, y}, LnCost: math.NaN()}), append(s.FailedCost, y-3)
	}
	f := believed(t, s).Belief
	lengths := f.Fails.Value.Model.Hyper().Lengthscales
	if lengths[0] > lengths[1]/1.5 || lengths[0] > lengths[2]/1.5 {
		t.Errorf("the edge is across the first parameter, and the lengthscales are %v", lengths)
	}
	works := f.Works()
	for _, y := range []float64{0.2, 0.45, 0.7} {
		if inside, beyond, deep := works([]float64{0.55, y, 0.5}), works([]float64{0.65, y, 0.5}), works([]float64{0.9, y, 0.5}); inside < 0.75 || beyond > 0.35 || deep > 0.1 {
			t.Errorf("the chance is %.2f before the edge, %.2f a little beyond it, %.2f far beyond", inside, beyond, deep)
		}
	}
}

// Where settings fail by chance, no edge is seen, and chances are near the fraction that works.
func TestChanceOfFlukes(t *testing.T) {
	s := walled(0, 1)
	rng := rand.New(rand.NewPCG(4, 9))
	for i := range 60 {
		x := []float64{rng.Float64(), rng.Float64(), rng.Float64()}
		if i%4 == 0 {
			s.Failed, s.FailedCost = append(s.Failed, model.Failure{X: x, LnCost: math.NaN()}), append(s.FailedCost, 0)
			continue
		}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, x[0]), append(s.LnCost, 0.1*x[1])
	}
	works, sum := believed(t, s).Belief.Works(), 0.0
	for range 200 {
		sum += works([]float64{rng.Float64(), rng.Float64(), rng.Float64()}) / 200
	}
	if sum < 0.6 || sum > 0.9 {
		t.Errorf("three of four settings work, and the mean chance is %.2f", sum)
	}
}

// What failures cost is learnt, and counts in the price of a setting that may fail.
func TestFailuresHavePrices(t *testing.T) {
	b := believed(t, walled(40, 2)).Belief
	x := []float64{0.9, 0.5, 0.5}
	cost, sd := b.LnCostAt(x)
	fail := b.Fails.Shift + b.Fails.Slope*cost
	if math.Abs(fail-cost+3) > 0.4 || b.PriceOf(x, cost, sd) > 0.5*math.Exp(cost) {
		t.Errorf("a failure is expected to cost %.3g where a value costs %.3g, and a trial %.3g", math.Exp(fail), math.Exp(cost), b.PriceOf(x, cost, sd))
	}
}

// Nothing is tried where too much of the price would be lost to failing: the dearer failures are, the safer a trial has to be. What works is tried.
func TestWalled(t *testing.T) {
	s := walled(40, 3)
	cheap := believed(t, s)
	for i, f := range s.Failed {
		s.FailedCost[i] = f.X[1]
	}
	dear := believed(t, s)
	if c, d := cheap.LeastChance(), dear.LeastChance(); !(c > 0.1 && c < 0.4 && d > 0.8 && d < 0.95) {
		t.Errorf("the least chance is %.2f where failures cost a twentieth, and %.2f where they cost as much as values", c, d)
	}
	good, bad := []float64{0.2, 0.5, 0.5}, []float64{0.95, 0.5, 0.5}
	if works := dear.Belief.Works(); works(good) < dear.LeastChance() || works(bad) > dear.LeastChance() || cheap.Belief.Works()(good) < cheap.LeastChance() {
		t.Error("a setting far from the wall is refused, or one far beyond it is not")
	}
	for i := range s.Failed {
		s.FailedCost[i] = -9
	}
	for row, want := range []float64{0, 0, 0.9} {
		s.FailedInRow = row
		if got := believed(t, s).LeastChance(); math.Abs(got-want) > 1e-9 {
			t.Errorf("after %d failures in a row that cost next to nothing the least chance is %.2f instead of %.2f", row, got, want)
		}
	}
	s.Failed, s.FailedCost = nil, nil
	if d := believed(t, s); d.LeastChance() != 0 {
		t.Error("without failures there is a wall")
	}
}

// Close to two failures a setting is sure to fail, unless one that worked is closer. Close to one failure it is not: that may have been a fluke.
func TestSureToFail(t *testing.T) {
	s := walled(40, 3)
	near := func(first float64) model.Failure {
		return model.Failure{X: []float64{first, 0.5, 0.5}, LnCost: math.NaN()}
	}
	s.Failed, s.FailedCost = append(s.Failed, near(0.9), near(0.902)), append(s.FailedCost, -3, -3)
	if sure := believed(t, s).SureToFail(); !sure([]float64{0.901, 0.5, 0.5}) || sure([]float64{0.3, 0.5, 0.5}) {
		t.Error("between two failures nothing is sure to fail, or something is where settings work")
	}
	s.X, s.Y, s.LnCost = append(s.X, []float64{0.901, 0.5, 0.501}), append(s.Y, 0.9), append(s.LnCost, 0.5)
	if sure := believed(t, s).SureToFail(); sure([]float64{0.901, 0.5, 0.5005}) {
		t.Error("a setting is sure to fail that is nearer to a value than to failures")
	}
	s.FailedInRow = 3
	if sure := believed(t, s).SureToFail(); !sure([]float64{0.901, 0.5, 0.5005}) || !sure([]float64{0.86, 0.5, 0.5}) || sure([]float64{0.8, 0.5, 0.5}) {
		t.Error("after three failures in a row, one more is tried next to a failure, or nothing else is")
	}
	for _, failed := range [][]model.Failure{nil, {near(0.9)}} {
		s.Failed, s.FailedCost = failed, make([]float64, len(failed))
		if believed(t, s).SureToFail() != nil {
			t.Errorf("%d failures make others sure", len(failed))
		}
	}
}
