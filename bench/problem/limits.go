package problem

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Problems whose evaluations report further quantities, which have limits. The best value is the best within the limits, found by a search.

// limitRecipes lists them.
func limitRecipes() []recipe {
	return append([]recipe{
		{"gramacy-limit", Limited, "a plane under two curved limits (Gramacy et al. 2016); costs rise with x1", gramacyLimit},
		{"hartmann6-limit", Limited, "Hartmann's function of six parameters, within a ball about the origin (Letham et al. 2019)", hartmannLimit},
		{"welded-beam", Limited, "the cost of a welded beam (Deb 2000), with limits on shear, bending, buckling and deflection", weldedBeam},
		{"speed-reducer", Limited, "the weight of a gearbox (Golinski 1970) of seven parameters, one of them whole, with limits on its stresses", speedReducer},
		{"pressure-vessel", Limited, "the cost of a vessel (Kannan and Kramer 1994), whose plates have thicknesses in sixteenths of an inch", pressureVessel},
		{"memory-limit", Limited, "the loss of a network that falls with its size, next to what its memory holds", memoryLimit},
	}, drawnLimitRecipes()...)
}

// Limits describes the tasks with limits. They are a set of their own, as those with fidelities are.
func Limits() (list []Info) {
	for _, r := range limitRecipes() {
		list = append(list, r.info())
	}
	return list
}

// Counts says whether a setting meets the task's limits.
func (t *Task) Counts(s space.Setting) bool {
	return t.Report == nil || len(t.Limits.Violated(t.Report(s))) == 0
}

// limited finds the best value within the limits, and finishes the task. A search along limits stays a little off the best: if the least value is known from
// elsewhere, that is it. A median setting is one of those within the limits.
func (t *Task) limited(d *dice, known float64) *Task {
	evaluate := t.Evaluate
	beyond := func(s space.Setting) (sum float64) {
		m := t.Report(s)
		for name, b := range t.Limits {
			scale := 1.0
			if b.Max != nil {
				scale = math.Max(scale, math.Abs(*b.Max))
				sum += math.Max(m[name]-*b.Max, 0) / scale
			}
			if b.Min != nil {
				scale = math.Max(scale, math.Abs(*b.Min))
				sum += math.Max(*b.Min-m[name], 0) / scale
			}
		}
		return sum
	}
	const far = 1e9 // worse than all values
	t.Evaluate = func(s space.Setting) (value, cost float64) {
		if value, cost = evaluate(s); !t.Counts(s) {
			value = -t.sign() * far * (1 + beyond(s))
		}
		return value, cost
	}
	if t.Best = t.search(d.seed); known < t.Best {
		t.Best = known
	}
	t.Evaluate = evaluate
	sp, err := space.New(t.Params)
	if err != nil {
		panic("problem: " + err.Error())
	}
	var values []float64
	sum := 0.0
	surveyed(sp, d.seed, func(s space.Setting) {
		value, cost := evaluate(s)
		if sum += cost; t.Counts(s) {
			values = append(values, value)
		}
	})
	median, _ := t.typical(d.seed)
	if len(values) > 0 {
		slices.Sort(values)
		median = values[len(values)/2]
	}
	return t.scaled(median, sum/survey)
}

// atMost0 limits quantities to 0 at most.
func atMost0(names ...string) study.Limits {
	l := study.Limits{}
	for _, name := range names {
		l[name] = study.Max(0)
	}
	return l
}

// gramacyLimit is problem 3.1 of Gramacy et al., Modeling an augmented Lagrangian for blackbox constrained optimization (2016).
func gramacyLimit(d *dice, _ string) (*Task, error) {
	slope := d.between(0.5, 2)
	t := &Task{
		Goal: study.Minimize, Budget: 30, Params: []space.Param{float("x1", 0, 1), float("x2", 0, 1)}, Limits: atMost0("c1", "c2"),
		Evaluate: func(s space.Setting) (value, cost float64) {
			return number(s, "x1") + number(s, "x2"), math.Exp(slope * number(s, "x1"))
		},
		Report: func(s space.Setting) study.Metrics {
			x, y := number(s, "x1"), number(s, "x2")
			return study.Metrics{"c1": 1.5 - x - 2*y - 0.5*math.Sin(2*math.Pi*(x*x-2*y)), "c2": x*x + y*y - 1.5}
		},
	}
	return t.limited(d, 0.5997880758), nil
}

func hartmannLimit(d *dice, _ string) (*Task, error) {
	names := []string{"x1", "x2", "x3", "x4", "x5", "x6"}
	var params []space.Param
	for _, name := range names {
		params = append(params, float(name, 0, 1))
	}
	dear := d.between(0.5, 2)
	point := func(s space.Setting) (x []float64) {
		for _, name := range names {
			x = append(x, number(s, name))
		}
		return x
	}
	t := &Task{
		Goal: study.Minimize, Budget: 50, Params: params, Limits: study.Limits{"norm": study.Max(1)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			x := point(s)
			return hartmann6.value(x), math.Exp(dear * x[0])
		},
		Report: func(s space.Setting) study.Metrics {
			sum := 0.0
			for _, v := range point(s) {
				sum += v * v
			}
			return study.Metrics{"norm": math.Sqrt(sum)}
		},
	}
	return t.limited(d, -3.32236801), nil
}

// weldedBeam has the formulas of Deb, An efficient constraint handling method for genetic algorithms (2000).
func weldedBeam(d *dice, _ string) (*Task, error) {
	dear := d.between(0.5, 1.5)
	t := &Task{
		Goal: study.Minimize, Budget: 40, Params: []space.Param{logFloat("h", 0.125, 5), logFloat("l", 0.1, 10), logFloat("t", 0.1, 10), logFloat("b", 0.125, 5)},
		Limits: study.Limits{"shear": study.Max(13600), "bending": study.Max(30000), "buckling": study.Min(6000), "deflection": study.Max(0.25), "weld": study.Max(0)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			h, l, t, b := number(s, "h"), number(s, "l"), number(s, "t"), number(s, "b")
			return math.Log(1.10471*h*h*l + 0.04811*t*b*(14+l)), math.Pow(b, dear)
		},
		Report: func(s space.Setting) study.Metrics {
			h, l, t, b := number(s, "h"), number(s, "l"), number(s, "t"), number(s, "b")
			a := 6000 / (math.Sqrt2 * h * l)
			r := math.Sqrt(0.25 * (l*l + (h+t)*(h+t)))
			c := 6000 * (14 + 0.5*l) * r / (2 * 0.707 * h * l * (l*l/12 + 0.25*(h+t)*(h+t)))
			return study.Metrics{
				"shear": math.Sqrt(a*a + c*c + l*a*c/r), "bending": 504000 / (t * t * b), "buckling": 64746.022 * (1 - 0.0282346*t) * t * b * b * b,
				"deflection": 2.1952 / (t * t * t * b), "weld": h - b,
			}
		},
	}
	return t.limited(d, math.Log(2.3811341)), nil
}

// speedReducer has the formulas of Golinski, as in Ray, Golinski's speed reducer problem revisited (2003).
func speedReducer(d *dice, _ string) (*Task, error) {
	dear := d.between(1, 3)
	get := func(s space.Setting) (a, m, z, l1, l2, d1, d2 float64) {
		return number(s, "face"), number(s, "module"), number(s, "teeth"), number(s, "shaft1"), number(s, "shaft2"), number(s, "d1"), number(s, "d2")
	}
	t := &Task{
		Goal: study.Minimize, Budget: 50,
		Params: []space.Param{float("face", 2.6, 3.6), float("module", 0.7, 0.8), whole("teeth", 17, 28), float("shaft1", 7.3, 8.3), float("shaft2", 7.3, 8.3), float("d1", 2.9, 3.9), float("d2", 5, 5.5)},
		Limits: study.Limits{"bending": study.Max(1), "contact": study.Max(1), "deflection": study.Max(1), "stress1": study.Max(1100), "stress2": study.Max(850), "space": study.Max(40), "room1": study.Max(1), "room2": study.Max(1), "ratio": {Min: point(5), Max: point(12)}},
		Evaluate: func(s space.Setting) (value, cost float64) {
			a, m, z, l1, l2, d1, d2 := get(s)
			return 0.7854*a*m*m*(3.3333*z*z+14.9334*z-43.0934) - 1.508*a*(d1*d1+d2*d2) + 7.4777*(d1*d1*d1+d2*d2*d2) + 0.7854*(l1*d1*d1+l2*d2*d2), math.Pow(z/17, dear)
		},
		Report: func(s space.Setting) study.Metrics {
			a, m, z, l1, l2, d1, d2 := get(s)
			return study.Metrics{
				"bending": 27 / (a * m * m * z), "contact": 397.5 / (a * m * m * z * z),
				"deflection": math.Max(1.93*l1*l1*l1/(m*z*math.Pow(d1, 4)), 1.93*l2*l2*l2/(m*z*math.Pow(d2, 4))),
				"stress1":    math.Sqrt(math.Pow(745*l1/(m*z), 2)+16.9e6) / (0.1 * d1 * d1 * d1), "stress2": math.Sqrt(math.Pow(745*l2/(m*z), 2)+157.5e6) / (0.1 * d2 * d2 * d2),
				"space": m * z, "ratio": a / m, "room1": (1.5*d1 + 1.9) / l1, "room2": (1.1*d2 + 1.9) / l2,
			}
		},
	}
	return t.limited(d, 2994.4710661), nil
}

func point(x float64) *float64 { return &x }

func pressureVessel(d *dice, _ string) (*Task, error) {
	dear := d.between(0.3, 1)
	get := func(s space.Setting) (shell, head, r, l float64) {
		return number(s, "shell") / 16, number(s, "head") / 16, number(s, "radius"), number(s, "length")
	}
	t := &Task{
		Goal: study.Minimize, Budget: 40, Params: []space.Param{whole("shell", 1, 48), whole("head", 1, 48), float("radius", 10, 200), float("length", 10, 240)},
		Limits: study.Limits{"shell_wall": study.Max(0), "head_wall": study.Max(0), "volume": study.Min(1.296e6)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			a, b, r, l := get(s)
			return math.Log(0.6224*a*r*l + 1.7781*b*r*r + 3.1661*a*a*l + 19.84*a*a*r), math.Pow(r*l/1000, dear) + 0.2
		},
		Report: func(s space.Setting) study.Metrics {
			a, b, r, l := get(s)
			return study.Metrics{"shell_wall": 0.0193*r - a, "head_wall": 0.00954*r - b, "volume": math.Pi*r*r*l + 4*math.Pi*r*r*r/3}
		},
	}
	return t.limited(d, math.Log(5850.3830600)), nil
}

// memoryLimit is the first day of every team with a GPU: the best settings are next to those that do not fit.
func memoryLimit(d *dice, _ string) (*Task, error) {
	likes, most := d.between(-3.5, -2.5), d.between(6, 10)
	t := &Task{
		Goal: study.Minimize, Budget: 40, Params: []space.Param{logFloat("lr", 1e-5, 1e-1), logWhole("width", 32, 4096), logWhole("batch", 8, 512), whole("layers", 2, 24)},
		Limits: study.Limits{"memory": study.Max(most)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			size := math.Log2(number(s, "width")) + math.Log2(number(s, "layers"))
			off := math.Log10(number(s, "lr")) - likes + 0.1*(size-11)
			return 2.5 - 0.12*size + 0.25*off*off + 0.02*math.Pow(math.Log2(number(s, "batch"))-6, 2), 0.2 + number(s, "width")*number(s, "layers")/6000
		},
		Report: func(s space.Setting) study.Metrics {
			w, l := number(s, "width"), number(s, "layers")
			return study.Metrics{"memory": 0.5 + 16*w*w*l/1e9 + 12*w*l*number(s, "batch")/1e6}
		},
	}
	return t.limited(d, math.Inf(1)), nil
}
