package problem

import (
	"math"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Problems with fidelities. A fidelity z goes from 1/27 to 1, and only values at 1 count. Branin and Hartmann are those of Kandasamy,
// Dasarathy, Schneider, Póczos (Multi-fidelity Bayesian Optimisation with Continuous Approximations, ICML 2017, appendix D), with one
// fidelity in place of several. The two versions of Currin, of Borehole and of Park's function are those of Xiong, Qian, Wu (Technometrics 55, 2013); between them
// values are mixed. Prices at z = 1 are smooth functions of the setting, and those below it a part of them.

// fidelityName is the entry of a setting.
const fidelityName = "fidelity"

func levels() *study.Fidelity {
	return &study.Fidelity{Name: fidelityName, Min: 1. / 27, Max: 1, Log: true}
}

// leveled is a function with a fidelity, its box, and the price of a fidelity as a part of that of the highest.
type leveled struct {
	name, about string
	box         box
	goal        study.Goal
	value       func(x []float64, z float64) float64
	best        []float64 // an optimum at z = 1
	price       func(z float64) float64
	trials      float64
}

var leveleds = []leveled{
	{name: "branin-fidelity", about: "Branin whose coefficients change with the fidelity", box: branin.box, goal: study.Minimize,
		value: func(x []float64, z float64) float64 {
			b, c, t := 5.1/(4*math.Pi*math.Pi)-0.01*(1-z), 5/math.Pi-0.1*(1-z), 1/(8*math.Pi)+0.05*(1-z)
			a := x[1] - b*x[0]*x[0] + c*x[0] - 6
			return a*a + 10*(1-t)*math.Cos(x[0]) + 10
		},
		best: branin.best, price: func(z float64) float64 { return 0.05 + 0.95*math.Pow(z, 1.5) }, trials: 12},
	{name: "currin-fidelity", about: "Currin's exponential function, blurred with less fidelity", box: cube(2, 0, 1), goal: study.Maximize,
		value: func(x []float64, z float64) float64 {
			const apart = 0.05
			up, down, below := x[0]+apart, x[0]-apart, math.Max(x[1]-apart, 0)
			blurred := (currin(up, x[1]+apart) + currin(up, below) + currin(down, x[1]+apart) + currin(down, below)) / 4
			return z*currin(x[0], x[1]) + (1-z)*blurred
		},
		best: []float64{13. / 60, 0}, price: func(z float64) float64 { return 0.1 + 0.9*z*z }, trials: 10},
	{name: "hartmann6-fidelity", about: "Hartmann whose weights change with the fidelity", box: hartmann6.box, goal: study.Minimize,
		value: func(x []float64, z float64) float64 {
			exact := hartmann6.value(x)
			if z == 1 {
				return exact
			}
			return exact + 0.1*(1-z)*hartmannPeaks(x)
		},
		best: hartmann6.best, price: func(z float64) float64 { return 0.05 + 0.95*z*z }, trials: 20},
	{name: "borehole-fidelity", about: "flow of water through a borehole, and a cruder model of it", goal: study.Maximize,
		box: box{{0.05, 0.15}, {100, 50000}, {63070, 115600}, {990, 1110}, {63.1, 116}, {700, 820}, {1120, 1680}, {9855, 12045}},
		value: func(x []float64, z float64) float64 {
			return z*borehole(x, 2*math.Pi, 1) + (1-z)*borehole(x, 5, 1.5)
		},
		best: []float64{0.15, 100, 115600, 1110, 116, 700, 1120, 12045}, price: func(z float64) float64 { return z }, trials: 14},
	{name: "park-fidelity", about: "Park's function in 4 dimensions, and a cruder version of it", box: cube(4, 0, 1), goal: study.Maximize,
		value: func(x []float64, z float64) float64 {
			exact := 2./3*math.Exp(x[0]+x[1]) - x[3]*math.Sin(x[2]) + x[2]
			return z*exact + (1-z)*(1.2*exact-1)
		},
		best: []float64{1, 1, 1, 0}, price: func(z float64) float64 { return 0.1 + 0.9*z }, trials: 24},
}

func currin(a, b float64) float64 {
	decay := 0.0
	if b > 0 {
		decay = math.Exp(-1 / (2 * b))
	}
	return (1 - decay) * (2300*a*a*a + 1900*a*a + 2092*a + 60) / (100*a*a*a + 500*a*a + 4*a + 20)
}

// hartmannPeaks is the sum of the peaks of hartmann6 without their weights, from which less fidelity takes a part.
func hartmannPeaks(x []float64) (sum float64) {
	for i := range hartmannA {
		distance := 0.0
		for j, v := range x {
			distance += hartmannA[i][j] * (v - hartmannP[i][j]/1e4) * (v - hartmannP[i][j]/1e4)
		}
		sum += math.Exp(-distance)
	}
	return sum
}

// borehole returns the flow in m³ a year. Its inputs are the radii of the borehole and of influence, the transmissivity and the head of
// the upper aquifer, those of the lower one, and the length and the conductivity of the borehole.
func borehole(x []float64, factor, constant float64) float64 {
	rw, r, tu, hu, tl, hl, l, kw := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
	ln := math.Log(r / rw)
	return factor * tu * (hu - hl) / (ln * (constant + 2*l*tu/(ln*rw*rw*kw) + tu/tl))
}

func fidelityRecipes() (list []recipe) {
	for _, l := range leveleds {
		list = append(list, recipe{l.name, Cheap, l.about, l.task})
	}
	return append(list,
		recipe{"gp2-fidelity", Cheap, "sample of a Gaussian process in 2 dimensions, with a bias that fades with the fidelity", gaussianFidelity(2, biased)},
		recipe{"gp4-fidelity", Cheap, "sample of a Gaussian process in 4 dimensions, with a bias that fades with the fidelity", gaussianFidelity(4, biased)},
		recipe{"gp6-fidelity", Cheap, "sample of a Gaussian process in 6 dimensions, with a bias that fades with the fidelity", gaussianFidelity(6, biased)},
		recipe{"cnn-fidelity", Cheap, "a small convolutional network after 1 to 27 epochs, from a table of learning curves", curvesTask},
		recipe{"spirals-live", Cheap, "the network of the quickstart after 3 to 81 epochs, trained live", spiralsTask},
		recipe{"gp2-misleading", Cheap, "sample of a Gaussian process in 2 dimensions; below the highest fidelity it is another one", gaussianFidelity(2, misleading)},
		recipe{"gp2-blank", Cheap, "sample of a Gaussian process in 2 dimensions, of which the lowest two fidelities show nothing", gaussianFidelity(2, blank)})
}

func (l leveled) task(d *dice, _ string) (*Task, error) {
	at := func(x []float64) float64 { return l.value(x, 1) }
	t := overBox(d, l.box, l.goal, at, at(l.best), smooth(d, len(l.box), nil), l.trials)
	return t.withFidelity(func(s space.Setting, z float64) float64 { return l.value(l.box.point(s), z) }, l.price), nil
}

// below makes the value at a fidelity z < 1 of those of two samples there: the function, and another one.
type below func(f, other, z float64) float64

// biased has a bias that fades with the fidelity.
func biased(f, other, z float64) float64 { return f + (1-z)*(0.7*other-1) }

// misleading is the other function.
func misleading(_, other, _ float64) float64 { return other }

// blank is a plateau as low as the worst settings, with a slight wiggle of its own; a half of the function shows on the highest level below 1 only.
func blank(f, other, z float64) float64 {
	shown := 0.0
	if z > 0.2 {
		shown = 0.5
	}
	return shown*f + (1-shown)*(0.02*other-2)
}

// gaussianFidelity returns what makes a sample with fidelities.
func gaussianFidelity(dim int, value below) func(d *dice, _ string) (*Task, error) {
	return func(d *dice, _ string) (*Task, error) {
		lengths := lengthsAround(d, dim, typicalLength[dim])
		f, other := drawSample(d, 0, lengths), drawSample(d, 0, lengths)
		best := f.maximum(d.seed)
		b := cube(dim, 0, 1)
		t := overBox(d, b, study.Maximize, f.at, best, smooth(d, dim, nil), 0.6*gaussianTrials[dim])
		return t.withFidelity(func(s space.Setting, z float64) float64 {
			x := b.point(s)
			return value(f.at(x), other.at(x), z)
		}, func(z float64) float64 { return z }), nil
	}
}

// withFidelity gives a task a fidelity. A setting without one has the highest.
func (t *Task) withFidelity(value func(s space.Setting, z float64) float64, price func(z float64) float64) *Task {
	t.Fidelity = levels()
	top := t.Evaluate
	t.Evaluate = func(s space.Setting) (float64, float64) {
		exact, cost := top(s)
		z, given := s[fidelityName].Number()
		if !given || z == 1 {
			return exact, cost
		}
		return value(s, z), cost * price(z)
	}
	return t
}
