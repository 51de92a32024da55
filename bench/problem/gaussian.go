package problem

import (
	"fmt"

	"github.com/eke-bo/eke/study"
)

// Samples of Gaussian processes: a new function for every replication. Its covariance is Matérn-5/2, as the models assume, or the
// smoother squared exponential, which they do not.

// typicalLength is the length scale that makes a function of that many dimensions neither trivial nor noise.
var typicalLength = map[int]float64{1: 0.12, 2: 0.25, 4: 0.45, 6: 0.65, 8: 0.8}

// gaussianTrials is the budget that suits a dimension, in trials of average cost, including the
// design.
var gaussianTrials = map[int]float64{1: 10, 2: 17, 4: 30, 6: 34, 8: 36}

// gaussian is one kind of sample.
type gaussian struct {
	name             string
	dim              int
	kernel           kernel
	price            pricing
	about            string
	noise, costNoise float64
	trials           float64 // 0: what suits the dimension
}

var gaussians = []gaussian{
	{name: "gp1-independent", dim: 1, price: smooth, about: "costs independent of the values"},
	{name: "gp1-noisy", dim: 1, price: smooth, noise: 0.2, about: "noisy values"},
	{name: "gp1-noisyexpensive", dim: 1, price: expensive, noise: 0.2, about: "noisy values, good settings expensive"},
	{name: "gp1-noisier", dim: 1, price: smooth, noise: 0.4, about: "values with much noise"},
	{name: "gp1-cheap", dim: 1, price: cheap, trials: 7, about: "good settings cheap"},
	{name: "gp2-independent", dim: 2, price: smooth, about: "costs independent of the values"},
	{name: "gp2-smooth", dim: 2, kernel: squaredExponential, price: smooth, trials: 14, about: "smoother than the models believe"},
	{name: "gp2-expensive", dim: 2, price: expensive, about: "good settings expensive"},
	{name: "gp2-cheap", dim: 2, price: cheap, trials: 11, about: "good settings cheap"},
	{name: "gp2-decades", dim: 2, price: decades, trials: 10, about: "costs over three decades"},
	{name: "gp2-noisy", dim: 2, price: smooth, noise: 0.2, about: "noisy values"},
	{name: "gp2-noisycost", dim: 2, price: smooth, costNoise: 0.3, about: "noisy costs"},
	{name: "gp2-tiny", dim: 2, price: smooth, trials: 8, about: "money for eight trials"},
	{name: "gp4-independent", dim: 4, price: smooth, about: "costs independent of the values"},
	{name: "gp4-smooth", dim: 4, kernel: squaredExponential, price: smooth, trials: 25, about: "smoother than the models believe"},
	{name: "gp4-expensive", dim: 4, price: expensive, about: "good settings expensive"},
	{name: "gp4-cheap", dim: 4, price: cheap, trials: 17, about: "good settings cheap"},
	{name: "gp4-decades", dim: 4, price: decades, trials: 12, about: "costs over three decades"},
	{name: "gp4-noisy", dim: 4, price: smooth, noise: 0.2, about: "noisy values"},
	{name: "gp4-noisycost", dim: 4, price: expensive, costNoise: 0.3, about: "noisy costs, good settings expensive"},
	{name: "gp4-tiny", dim: 4, price: expensive, trials: 8, about: "money for eight trials, good settings expensive"},
	{name: "gp4-large", dim: 4, price: smooth, trials: 200, about: "money for two hundred trials"},
	{name: "gp6-independent", dim: 6, price: smooth, about: "costs independent of the values"},
	{name: "gp6-expensive", dim: 6, price: expensive, about: "good settings expensive"},
	{name: "gp6-decades", dim: 6, price: decades, trials: 16, about: "costs over three decades"},
	{name: "gp6-noisy", dim: 6, price: cheap, trials: 18, noise: 0.2, costNoise: 0.2, about: "noisy values and costs, good settings cheap"},
	{name: "gp8-independent", dim: 8, price: smooth, about: "costs independent of the values"},
	{name: "gp8-cheap", dim: 8, price: cheap, trials: 21, about: "good settings cheap"},
	{name: "gp8-expensive", dim: 8, kernel: squaredExponential, price: expensive, about: "smoother than the models believe, good settings expensive"},
}

func gaussianRecipes() []recipe {
	var list []recipe
	for _, g := range gaussians {
		about := fmt.Sprintf("sample of a Gaussian process in %d dimensions, %s", g.dim, g.about)
		list = append(list, recipe{g.name, Gaussian, about, g.task})
	}
	return list
}

func (g gaussian) task(d *dice, _ string) (*Task, error) {
	f := drawSample(d, g.kernel, lengthsAround(d, g.dim, typicalLength[g.dim]))
	best := f.maximum(d.seed)
	trials := g.trials
	if trials == 0 {
		trials = gaussianTrials[g.dim]
	}
	t := overBox(d, cube(g.dim, 0, 1), study.Maximize, f.at, best, g.price(d, g.dim, standardised(f.at, g.dim, d.seed)), trials)
	t.Noise, t.CostNoise = g.noise, g.costNoise
	return t, nil
}
