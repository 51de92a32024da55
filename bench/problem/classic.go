package problem

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// The classics of global optimisation, minimised in their own units, with costs drawn for every replication. Formulas and minima
// are those of S. Surjanovic, D. Bingham, Virtual Library of Simulation Experiments, sfu.ca/~ssurjano, unless a file says
// otherwise.

// classicFunction is a function, minimised, and where its minimum is.
type classicFunction struct {
	name  string
	box   box
	value func(x []float64) float64
	best  []float64 // a minimiser
}

// classic is a function with costs and a budget.
type classic struct {
	name             string
	function         classicFunction
	price            pricing
	priced           string // what the prices are, in words
	trials           float64
	noise, costNoise float64
	fails            bool // in a part of the space
}

var classics = []classic{
	{name: "branin-smooth", function: branin, price: smooth, priced: "smooth costs", trials: 18},
	{name: "branin-ramp", function: branin, price: ramp, priced: "costs rising in a parameter", trials: 18},
	{name: "branin-tiny", function: branin, price: expensive, priced: "good settings expensive, money for eight trials", trials: 8},
	{name: "camel-expensive", function: camel, price: expensive, priced: "good settings expensive", trials: 22},
	{name: "camel-noisy", function: camel, price: smooth, priced: "smooth costs, noisy values", trials: 22, noise: 0.2},
	{name: "goldstein-decades", function: logOf(goldstein), price: decades, priced: "costs over three decades", trials: 10},
	{name: "goldstein-cheap", function: logOf(goldstein), price: cheap, priced: "good settings cheap", trials: 15},
	{name: "michalewicz2-smooth", function: michalewicz2, price: smooth, priced: "smooth costs", trials: 22},
	{name: "bukin-ramp", function: bukin, price: ramp, priced: "costs rising in a parameter", trials: 25},
	{name: "beale-expensive", function: logOf(beale), price: expensive, priced: "good settings expensive", trials: 22},
	{name: "eggholder-smooth", function: eggholder, price: smooth, priced: "smooth costs", trials: 22},
	{name: "schwefel2-decades", function: schwefel2, price: decades, priced: "costs over three decades", trials: 8},
	{name: "hartmann3-cheap", function: hartmann3, price: cheap, priced: "good settings cheap", trials: 15},
	{name: "hartmann3-walltime", function: hartmann3, price: ramp, priced: "costs rising in a parameter, and noisy like times", trials: 18, costNoise: 0.15},
	{name: "rastrigin3-cheap", function: rastrigin3, price: cheap, priced: "good settings cheap", trials: 22},
	{name: "griewank3-ramp", function: griewank3, price: ramp, priced: "costs rising in a parameter", trials: 22},
	{name: "rosenbrock4-smooth", function: logOf(rosenbrock4), price: smooth, priced: "smooth costs", trials: 24},
	{name: "levy4-expensive", function: levy(4), price: expensive, priced: "good settings expensive", trials: 35},
	{name: "styblinski4-smooth", function: styblinski4, price: smooth, priced: "smooth costs", trials: 27},
	{name: "colville-ramp", function: logOf(colville), price: ramp, priced: "costs rising in a parameter", trials: 32},
	{name: "powell4-cheap", function: logOf(powell4), price: cheap, priced: "good settings cheap", trials: 16},
	{name: "zakharov4-smooth", function: logOf(zakharov4), price: smooth, priced: "smooth costs", trials: 32},
	{name: "hartmann6-expensive", function: hartmann6, price: expensive, priced: "good settings expensive", trials: 36},
	{name: "hartmann6-ramp", function: hartmann6, price: ramp, priced: "costs rising in a parameter", trials: 36},
	{name: "trid6-ramp", function: trid6, price: ramp, priced: "costs rising in a parameter", trials: 35},
	{name: "branin-fails", function: branin, price: ramp, priced: "costs rising in a parameter, and a quarter of the settings fail", trials: 22, fails: true},
	{name: "goldstein-fails", function: logOf(goldstein), price: smooth, priced: "smooth costs, and a quarter of the settings fail", trials: 25, fails: true},
	{name: "hartmann3-fails", function: hartmann3, price: smooth, priced: "smooth costs, and a quarter of the settings fail", trials: 25, fails: true},
	{name: "levy4-fails", function: levy(4), price: expensive, priced: "good settings expensive, and a quarter of the settings fail", trials: 40, fails: true},
	{name: "levy6-large", function: levy(6), price: smooth, priced: "smooth costs, money for two hundred trials", trials: 200},
}

func classicRecipes() []recipe {
	var list []recipe
	for _, c := range classics {
		list = append(list, recipe{c.name, Classic, c.function.name + ", " + c.priced, c.task})
	}
	return list
}

func (c classic) task(d *dice, _ string) (*Task, error) {
	f := c.function
	lnCost := c.price(d, len(f.box), f.quality(d.seed))
	t := overBox(d, f.box, study.Minimize, f.value, f.value(f.best), lnCost, c.trials)
	t.Noise, t.CostNoise = c.noise, c.costNoise
	if c.fails {
		beyond := corner(d, len(f.box), f.box.unit(f.best))
		t.Fails = func(s space.Setting) bool { return beyond(f.box.unit(f.box.point(s))) }
	}
	return t, nil
}

// corner draws a quarter of the unit cube, beyond a plane, that does not contain a point: too little memory for the largest networks.
func corner(d *dice, dim int, good []float64) func(u []float64) bool {
	weights := make([]float64, dim)
	for j := range weights {
		weights[j] = d.between(-1, 1)
	}
	along := func(u []float64) (sum float64) {
		for j, v := range u {
			sum += weights[j] * v
		}
		return sum
	}
	var list []float64
	for _, u := range sobol.Points(survey, dim, d.seed) {
		list = append(list, along(u))
	}
	slices.Sort(list)
	low, high := list[survey/4], list[3*survey/4]
	if along(good) >= high {
		return func(u []float64) bool { return along(u) < low }
	}
	return func(u []float64) bool { return along(u) > high }
}

// quality says how good a point of the unit cube is. Most classics are steep far from their minimum, so the values go through an
// inverse hyperbolic sine. Its unit is chosen so that half of the values lie within it.
func (f classicFunction) quality(seed uint64) func(u []float64) float64 {
	var values []float64
	for _, u := range sobol.Points(survey, len(f.box), seed) {
		values = append(values, f.value(f.box.at(u)))
	}
	slices.Sort(values)
	median, width := values[survey/2], values[3*survey/4]-values[survey/4]
	return standardised(func(u []float64) float64 {
		return -math.Asinh(2 * (f.value(f.box.at(u)) - median) / width)
	}, len(f.box), seed)
}

// logOf takes the logarithm of a function whose values span many decades, as is usual for it: ln(1 + f − f*).
func logOf(f classicFunction) classicFunction {
	value, least := f.value, f.value(f.best)
	f.name += " (log)"
	f.value = func(x []float64) float64 { return math.Log1p(math.Max(value(x)-least, 0)) }
	return f
}
