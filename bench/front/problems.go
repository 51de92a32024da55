// Package front measures eke and its rivals on problems with several objectives, each evaluation of which has its own price.
package front

import (
	"fmt"
	"math"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Problem has several objectives, all minimised. It belongs to one replication.
type Problem struct {
	Params []space.Param
	Worst  []float64 // the worst that counts, one for each objective
	Best   float64   // the hypervolume of the whole front
	Budget float64
	Limits int       // how many numbers have limits
	Noise  []float64 // the standard deviation of the noise, one for each objective; nil: there is none

	Fidelity *study.Fidelity // what makes an evaluation cheaper, and one more entry of a setting; without it a setting has the highest. Nil: there is none

	// Evaluate returns the objectives without noise and the cost, and numbers with limits that must not be below 0.
	Evaluate func(s space.Setting) (y []float64, cost float64, limits []float64)
}

// Recipe makes the problem of each replication.
type Recipe struct {
	Name       string
	Validation bool // nothing is to be chosen by it
	Make       func(replication uint64) (Problem, error)
}

// Recipes lists them. A third is for validation. Those of LCBench need the data that EKE_DATA names.
//
// The worst and the hypervolumes of the test problems are those of their sources, or by formula. Those of disc-brake, welded-beam and LCBench were searched for
// (TestHypervolumes finds them again), and those of samples of Gaussian processes are searched for whenever one is made.
func Recipes() []Recipe {
	return []Recipe{
		{"branin-currin", false, unit(2, []float64{18, 6}, 59.405, 30, braninCurrin, rising)},
		{"zdt1", false, unit(4, []float64{11, 11}, 120+2.0/3, 40, zdt(1), rising)},
		{"zdt2", false, unit(4, []float64{11, 11}, 120+1.0/3, 40, zdt(2), falling)},
		{"zdt3", true, unit(4, []float64{11, 11}, 128.77811613069076, 40, zdt(3), rising)},
		{"dtlz2", false, unit(4, []float64{1.1, 1.1}, 1.21-math.Pi/4, 40, dtlz2(2), falling)},
		{"dtlz2-3", true, unit(4, []float64{1.1, 1.1, 1.1}, 1.331-math.Pi/6, 50, dtlz2(3), rising)},
		{"branin-currin-noisy", false, noisy(unit(2, []float64{18, 6}, 59.405, 40, braninCurrin, rising), 2, 0.2)},
		{"vehicle-safety", false, box([][2]float64{{1, 3}, {1, 3}, {1, 3}, {1, 3}, {1, 3}}, []float64{1864.72022, 11.81993945, 0.2903999384}, 246.81607081187002, 50, free(vehicleSafety, heavy))},
		{"welded-beam", false, box([][2]float64{{0.125, 5}, {0.1, 10}, {0.1, 10}, {0.125, 5}}, []float64{40, 0.015}, bestWeldedBeam, 50, weldedBeam)},
		{"disc-brake", true, box([][2]float64{{55, 80}, {75, 110}, {1000, 3000}, {11, 20}}, []float64{5.7771, 3.9651}, bestDiscBrake, 50, discBrake)},
		{"gp2-front", false, sampled("gp2-front", 2, 25)},
		{"gp4-front", true, sampled("gp4-front", 4, 40)},
		{"lcbench-3945-entropy", false, lcEntropy("3945", []float64{15, 0.6}, bestEntropy3945)},
		{"lcbench-167149-seconds", false, lcSeconds("167149", []float64{25, 100}, bestSeconds167149)},
		{"lcbench-167184-seconds", true, lcSeconds("167184", []float64{45, 120}, bestSeconds167184)},
	}
}

// Wholes lists problems whose second objective is a whole number. They are for the odds that a trial extends the front, and not among those to be won.
func Wholes() []Recipe {
	return []Recipe{
		{"branin-currin-whole", false, whole(unit(2, nil, 0, 30, braninCurrin, rising), 1)},
		{"zdt1-whole", false, whole(unit(3, nil, 0, 25, zdt(1), rising), 3)},
		{"dtlz2-whole", false, whole(unit(3, nil, 0, 25, dtlz2(2), falling), 10)},
	}
}

// whole counts the second objective in this many units for one, and rounds it to whole ones.
func whole(of func(uint64) (Problem, error), units float64) func(uint64) (Problem, error) {
	return func(replication uint64) (Problem, error) {
		p, err := of(replication)
		if err != nil {
			return p, err
		}
		f := p.Evaluate
		p.Evaluate = func(s space.Setting) ([]float64, float64, []float64) {
			y, cost, limits := f(s)
			y[1] = math.Round(units * y[1])
			return y, cost, limits
		}
		p.Worst = []float64{math.Inf(1), math.Inf(1)}
		return p, p.complete(20000, 1)
	}
}

// Hypervolumes that were searched for.
const (
	bestWeldedBeam    = 0.5060
	bestDiscBrake     = 11.1845
	bestEntropy3945   = 3.333
	bestSeconds167149 = 2316
	bestSeconds167184 = 3374
)

type evaluation func(x []float64) (y []float64, cost float64, limits []float64)

// box makes a problem on a box, the same in every replication.
func box(bounds [][2]float64, worst []float64, best, budget float64, f evaluation) func(uint64) (Problem, error) {
	params := eke.Box(bounds...)
	middle := make([]float64, len(bounds))
	for i, b := range bounds {
		middle[i] = (b[0] + b[1]) / 2
	}
	_, _, limits := f(middle)
	return func(uint64) (Problem, error) {
		return Problem{Params: params, Worst: worst, Best: best, Budget: budget, Limits: len(limits), Evaluate: func(s space.Setting) ([]float64, float64, []float64) {
			x := make([]float64, len(params))
			for i, p := range params {
				x[i], _ = s[p.Name].Number()
			}
			return f(x)
		}}, nil
	}
}

func unit(dim int, worst []float64, best, budget float64, f func(x []float64) []float64, cost func(x []float64) float64) func(uint64) (Problem, error) {
	bounds := make([][2]float64, dim)
	for i := range bounds {
		bounds[i] = [2]float64{0, 1}
	}
	return box(bounds, worst, best, budget, free(f, cost))
}

// free has no limits.
func free(f func(x []float64) []float64, cost func(x []float64) float64) evaluation {
	return func(x []float64) ([]float64, float64, []float64) { return f(x), cost(x), nil }
}

func noisy(quiet func(uint64) (Problem, error), sd ...float64) func(uint64) (Problem, error) {
	return func(replication uint64) (Problem, error) {
		p, err := quiet(replication)
		p.Noise = sd
		return p, err
	}
}

// sampled has two samples of Gaussian processes, new ones in every replication. The worst that counts is a tenth of the front's extent beyond the front.
func sampled(name string, dim int, budget float64) func(uint64) (Problem, error) {
	return func(replication uint64) (Problem, error) {
		f, price := problem.Samples(name, replication, dim, 2)
		p, err := unit(dim, []float64{math.Inf(1), math.Inf(1)}, 0, budget, func(x []float64) []float64 { return []float64{f[0](x), f[1](x)} }, price)(replication)
		if err != nil {
			return p, err
		}
		return p, p.complete(20000, replication)
	}
}

// lcEntropy sets errors in percent on the validation part against the cross-entropy on the test part, after full trainings.
func lcEntropy(id string, worst []float64, best float64) func(uint64) (Problem, error) {
	return func(uint64) (Problem, error) {
		t, err := problem.LCBenchTrainings(id, false, "")
		if err != nil {
			return Problem{}, err
		}
		return Problem{Params: t.Params, Worst: worst, Best: best, Budget: 40, Evaluate: func(s space.Setting) ([]float64, float64, []float64) {
			seconds, accuracy, entropy := t.Train(s)
			return []float64{100 - accuracy, entropy}, seconds / t.Mean, nil
		}}, nil
	}
}

// lcSeconds sets errors against the seconds of training, which are the price, too. Epochs are chosen.
func lcSeconds(id string, worst []float64, best float64) func(uint64) (Problem, error) {
	return func(uint64) (Problem, error) {
		t, err := problem.LCBenchTrainings(id, true, "")
		if err != nil {
			return Problem{}, err
		}
		return Problem{Params: t.Params, Worst: worst, Best: best, Budget: 4, Evaluate: func(s space.Setting) ([]float64, float64, []float64) {
			seconds, accuracy, _ := t.Train(s)
			return []float64{100 - accuracy, seconds}, seconds / t.Mean, nil
		}}, nil
	}
}

// The prices: what an evaluation costs varies by a factor of about 8 over the box, 1 in its middle.
func rising(x []float64) float64  { return math.Exp(2 * (x[0] - 0.5)) }
func falling(x []float64) float64 { return math.Exp(2 * (0.5 - x[len(x)-1])) }
func heavy(x []float64) float64   { return math.Exp((x[0] + x[1] - 4) / 2) }

// braninCurrin are the functions of Branin and of Currin et al., as Belakaria, Deshwal and Doppa (2019) pair them.
func braninCurrin(x []float64) []float64 { return braninCurrinAt(x, 1) }

// braninCurrinAt are the two at a fidelity z up to 1, as Kandasamy, Dasarathy, Schneider and Póczos (2017) have them.
func braninCurrinAt(x []float64, z float64) []float64 {
	a, b, off := 15*x[0]-5, 15*x[1], 1-z
	branin := math.Pow(b-(5.1/(4*math.Pi*math.Pi)-0.01*off)*a*a+(5/math.Pi-0.1*off)*a-6, 2) + 10*(1-1/(8*math.Pi))*math.Cos(a) - 10*0.05*off*math.Cos(a) + 10
	factor := 1.0
	if x[1] > 0 {
		factor = 1 - (1-0.1*off)*math.Exp(-1/(2*x[1]))
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

// weldedBeam is the price of a beam that is welded to a wall and how far its end gives way under a load, with four limits (Deb and Sundar 2006; Ray and Liew 2002).
func weldedBeam(x []float64) (y []float64, cost float64, limits []float64) {
	const load, length, shearMax, stressMax = 6000, 14, 13600, 30000
	weld, joint, height, width := x[0], x[1], x[2], x[3]
	y = []float64{1.10471*weld*weld*joint + 0.04811*height*width*(length+joint), 2.1952 / (width * height * height * height)}
	arm := math.Sqrt(0.25 * (joint*joint + (weld+height)*(weld+height)))
	direct := load / (math.Sqrt2 * weld * joint)
	twist := load * (length + joint/2) * arm / (math.Sqrt2 * weld * joint * (joint*joint/12 + 0.25*(weld+height)*(weld+height)))
	shear := math.Sqrt(direct*direct + direct*twist*joint/arm + twist*twist)
	stress := 6 * load * length / (width * height * height)
	buckling := 64746.022 * (1 - 0.0282346*height) * height * width * width * width
	limits = []float64{(shearMax - shear) / shearMax, (stressMax - stress) / stressMax, (width - weld) / (5 - 0.125), (buckling - load) / load}
	return y, math.Exp((width + height - 7.6) / 5), limits
}

// objectives are those of a study of the problem.
func (p Problem) objectives() (list []study.Aim) {
	for j := range p.Worst {
		list = append(list, study.Aim{Objective: study.Objective{Name: names[j], Goal: eke.Minimize}, Worst: &p.Worst[j]})
	}
	return list
}

var names = []string{"first", "second", "third"}

func limitName(i int) string { return fmt.Sprintf("limit_%d", i+1) }
