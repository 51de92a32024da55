// Package front measures eke on problems with several objectives, each evaluation of which has its own price.
package front

import (
	"math"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/study"
)

// Problem has several objectives, all minimised, on a box.
type Problem struct {
	Name       string
	Validation bool // nothing is to be chosen by it
	Bounds     [][2]float64
	Worst      []float64 // the reference of the source, one for each objective
	Best       float64   // the hypervolume of the whole front, by its formula or by the source; that of disc-brake was searched for with 180,000 settings
	Budget     float64

	// Evaluate returns the objectives and the cost at a point of the box, and numbers with limits that must not be below 0.
	Evaluate func(x []float64) (y []float64, cost float64, limits []float64)
}

// Problems lists them. A third is for validation.
func Problems() []Problem {
	unit := func(d int) [][2]float64 {
		list := make([][2]float64, d)
		for i := range list {
			list[i] = [2]float64{0, 1}
		}
		return list
	}
	free := func(f func(x []float64) []float64, cost func(x []float64) float64) func(x []float64) ([]float64, float64, []float64) {
		return func(x []float64) ([]float64, float64, []float64) { return f(x), cost(x), nil }
	}
	return []Problem{
		{"branin-currin", false, unit(2), []float64{18, 6}, 59.36011874867746, 30, free(braninCurrin, rising)},
		{"zdt1", false, unit(4), []float64{11, 11}, 120 + 2.0/3, 40, free(zdt(1), rising)},
		{"zdt2", false, unit(4), []float64{11, 11}, 120 + 1.0/3, 40, free(zdt(2), falling)},
		{"zdt3", true, unit(4), []float64{11, 11}, 128.77811613069076, 40, free(zdt(3), rising)},
		{"dtlz2", false, unit(4), []float64{1.1, 1.1}, 1.21 - math.Pi/4, 40, free(dtlz2(2), falling)},
		{"dtlz2-3", true, unit(4), []float64{1.1, 1.1, 1.1}, 1.331 - math.Pi/6, 50, free(dtlz2(3), rising)},
		{"vehicle-safety", false, [][2]float64{{1, 3}, {1, 3}, {1, 3}, {1, 3}, {1, 3}}, []float64{1864.72022, 11.81993945, 0.2903999384}, 246.81607081187002, 50, free(vehicleSafety, heavy)},
		{"disc-brake", true, [][2]float64{{55, 80}, {75, 110}, {1000, 3000}, {11, 20}}, []float64{5.7771, 3.9651}, 11.1845, 50, discBrake},
	}
}

// The prices: what an evaluation costs varies by a factor of about 8 over the box, 1 in its middle.
func rising(x []float64) float64  { return math.Exp(2 * (x[0] - 0.5)) }
func falling(x []float64) float64 { return math.Exp(2 * (0.5 - x[len(x)-1])) }
func heavy(x []float64) float64   { return math.Exp((x[0] + x[1] - 4) / 2) }

// braninCurrin are the functions of Branin and of Currin et al., as Belakaria, Deshwal and Doppa (2019) pair them.
func braninCurrin(x []float64) []float64 {
	a, b := 15*x[0]-5, 15*x[1]
	branin := math.Pow(b-5.1/(4*math.Pi*math.Pi)*a*a+5/math.Pi*a-6, 2) + 10*(1-1/(8*math.Pi))*math.Cos(a) + 10
	factor := 1.0
	if x[1] > 0 {
		factor = 1 - math.Exp(-1/(2*x[1]))
	}
	u := x[0]
	return []float64{branin, factor * (2300*u*u*u + 1900*u*u + 2092*u + 60) / (100*u*u*u + 500*u*u + 4*u + 20)}
}

// zdt are the test problems of Zitzler, Deb and Thiele (2000).
func zdt(number int) func(x []float64) []float64 {
	return func(x []float64) []float64 {
		sum := 0.0
		for _, v := range x[1:] {
			sum += v
		}
		g := 1 + 9*sum/float64(len(x)-1)
		r := x[0] / g
		switch number {
		case 1:
			return []float64{x[0], g * (1 - math.Sqrt(r))}
		case 2:
			return []float64{x[0], g * (1 - r*r)}
		}
		return []float64{x[0], g * (1 - math.Sqrt(r) - r*math.Sin(10*math.Pi*x[0]))}
	}
}

// dtlz2 is the second problem of Deb, Thiele, Laumanns and Zitzler (2002): the front is a part of a sphere.
func dtlz2(objectives int) func(x []float64) []float64 {
	return func(x []float64) []float64 {
		g := 0.0
		for _, v := range x[objectives-1:] {
			g += (v - 0.5) * (v - 0.5)
		}
		y := make([]float64, objectives)
		for i := range y {
			y[i] = 1 + g
			for _, v := range x[:objectives-1-i] {
				y[i] *= math.Cos(v * math.Pi / 2)
			}
			if i > 0 {
				y[i] *= math.Sin(x[objectives-1-i] * math.Pi / 2)
			}
		}
		return y
	}
}

// vehicleSafety is the mass of a car, its acceleration in a crash, and how far its toe board gives way (Liao et al. 2008; Tanabe and Ishibuchi 2020).
func vehicleSafety(x []float64) []float64 {
	a, b, c, d, e := x[0], x[1], x[2], x[3], x[4]
	return []float64{
		1640.2823 + 2.3573285*a + 2.3220035*b + 4.5688768*c + 7.7213633*d + 4.4559504*e,
		6.5856 + 1.15*a - 1.0427*b + 0.9738*c + 0.8364*d - 0.3695*a*d + 0.0861*a*e + 0.3628*b*d - 0.1106*a*a - 0.3437*c*c + 0.1764*d*d,
		-0.0551 + 0.0181*a + 0.1024*b + 0.0421*c - 0.0073*a*b + 0.024*b*c - 0.0118*b*d - 0.0204*c*d - 0.008*c*e - 0.0241*b*b + 0.0109*d*d,
	}
}

// discBrake is the mass of a brake and its stopping time, with four limits (Ray and Liew 2002; Tanabe and Ishibuchi 2020).
func discBrake(x []float64) (y []float64, cost float64, limits []float64) {
	inner, outer, force, plates := x[0], x[1], x[2], x[3]
	squares, cubes := outer*outer-inner*inner, outer*outer*outer-inner*inner*inner
	y = []float64{4.9e-5 * squares * (plates - 1), 9.82e6 * squares / (force * plates * cubes)}
	limits = []float64{outer - inner - 20, 0.4 - force/(3.14*squares), 1 - 2.22e-3*force*cubes/(squares*squares), 2.66e-2*force*plates*cubes/squares - 900}
	return y, math.Exp((plates - 15.5) / 4.5), limits
}

// objectives are those of a study of the problem.
func (p Problem) objectives() (list []study.Aim) {
	for j := range p.Worst {
		list = append(list, study.Aim{Objective: study.Objective{Name: names[j], Goal: eke.Minimize}, Worst: &p.Worst[j]})
	}
	return list
}

var names, limitNames = []string{"first", "second", "third"}, []string{"limit_1", "limit_2", "limit_3", "limit_4"}
