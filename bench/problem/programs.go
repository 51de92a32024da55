package problem

import (
	"math"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Programs take a while to start, and then work that grows with powers of their parameters. So costs differ by factors of thousands, and what is cheap says little of
// what is not. Good settings are in between: limits rule out the largest, and the smallest are no good.

// programRecipes lists them. Constants are drawn for every replication.
func programRecipes() []recipe {
	return append([]recipe{
		{"heat-program", Programs, "seconds of a solver of the heat equation with one of four preconditioners, with limits on its error and memory", heatProgram},
		{"paths-program", Programs, "the error of a Monte Carlo simulation by paths and steps, which must take no longer than a limit", pathsProgram},
		{"vision-program", Programs, "the error of a network on pictures by its channels, depth and their size, with a limit on its memory", visionProgram},
		{"echo-program", Programs, "the residual of an adaptive filter that cancels an echo, by its taps, step and algorithm, with passes as a fidelity and a limit on its speed", echoProgram},
		{"width-program", Programs, "the loss of a small network by its width, rate, batch and decay, with epochs as a fidelity: wide networks learn more slowly, and in the end more", widthProgram},
		{"language-program", Programs, "the loss of a language model by its depth, width and tokens (Hoffmann et al. 2022), with a limit on its memory", languageProgram},
		{"mesh-program", Programs, "the error of finite elements by mesh, order and tolerance, which must take no longer than a limit", meshProgram},
	}, steepRecipes()...)
}

// ProgramTasks describes the tasks of the family Programs.
func ProgramTasks() (list []Info) {
	for _, r := range programRecipes() {
		list = append(list, r.info())
	}
	return list
}

// program finishes a task with a budget of 20 times what the best of some settings costs.
func (t *Task) program(d *dice) *Task {
	sp, err := space.New(t.Params)
	if err != nil {
		panic("problem: " + err.Error()) // the parameters are constants of this package
	}
	t = t.limited(d, math.Inf(1))
	best := math.Inf(1)
	surveyed(sp, d.seed, func(s space.Setting) {
		if value, cost := t.Evaluate(s); t.Counts(s) && value < best {
			best, t.Budget = value, 20*cost
		}
	})
	return t
}

func heatProgram(d *dice, _ string) (*Task, error) {
	start, speed, space2, time1 := d.ratio(0.01, 0.1), d.ratio(3e-9, 3e-8), d.ratio(0.4, 1.6), d.ratio(0.02, 0.1)
	iterations := map[string]func(n, omega float64) float64{
		"none": func(n, _ float64) float64 { return 0.7 * n }, "jacobi": func(n, _ float64) float64 { return 0.55 * n },
		"ssor": func(n, omega float64) float64 { return 8 * math.Sqrt(n) / (0.05 + omega*(2-omega)) }, "ilu": func(n, _ float64) float64 { return 5.5 * math.Sqrt(n) },
	}
	t := &Task{
		Goal: study.Minimize, Limits: study.Limits{"error": study.Max(6e-4), "memory": study.Max(6)},
		Params: []space.Param{logWhole("n", 8, 400), logFloat("dt", 1e-3, 0.5), logFloat("tol", 1e-8, 1e-2), choice("pre", "none", "jacobi", "ssor", "ilu"),
			when(float("omega", 0.1, 1.95), "pre", space.String("ssor"))},
		Evaluate: func(s space.Setting) (value, cost float64) {
			n, pre, omega := number(s, "n"), s["pre"].String(), 1.0
			if pre == "ssor" {
				omega = number(s, "omega")
			}
			work := n * n / number(s, "dt") * iterations[pre](n, omega) * math.Log10(1/number(s, "tol")) / 4
			seconds := start + speed*work
			return seconds, seconds
		},
		Report: func(s space.Setting) study.Metrics {
			n, each := number(s, "n"), 8e-5
			if s["pre"].String() == "ilu" {
				each *= 3
			}
			return study.Metrics{"error": space2/n/n + time1*number(s, "dt") + 3*number(s, "tol"), "memory": each * n * n}
		},
	}
	return t.program(d), nil
}

func pathsProgram(d *dice, _ string) (*Task, error) {
	start, speed, bias, spread := d.ratio(0.1, 1), d.ratio(1e-7, 1e-6), d.ratio(0.3, 3), d.ratio(1, 5)
	gain := map[string]float64{"plain": 0.5, "antithetic": 0.53, "quasi": 0.75}
	t := &Task{
		Goal: study.Minimize, Limits: study.Limits{"seconds": study.Max(60 * start)},
		Params: []space.Param{logWhole("paths", 100, 10_000_000), logWhole("steps", 2, 1024), choice("draws", "plain", "antithetic", "quasi"), float("mix", 0, 1)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			paths, steps, mixed := number(s, "paths"), number(s, "steps"), number(s, "mix")
			power := gain[s["draws"].String()] - 0.02*math.Max(math.Log2(steps)-6, 0)
			return math.Log10(bias/steps + spread*(1+2*(mixed-0.6)*(mixed-0.6))*math.Pow(paths, -power)), start + speed*paths*steps
		},
	}
	t.Report = func(s space.Setting) study.Metrics {
		return study.Metrics{"seconds": start + speed*number(s, "paths")*number(s, "steps")}
	}
	return t.program(d), nil
}

func visionProgram(d *dice, _ string) (*Task, error) {
	start, speed, likes := d.ratio(0.3, 3), d.ratio(0.5, 2), d.between(-3, -2)
	t := &Task{
		Goal: study.Minimize, Limits: study.Limits{"memory": study.Max(d.between(4, 12))},
		Params: []space.Param{logWhole("channels", 8, 512), whole("depth", 2, 40), logWhole("pixels", 32, 256), logWhole("batch", 8, 256), logFloat("lr", 1e-5, 1e-1)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			c, depth, pixels := number(s, "channels"), number(s, "depth"), number(s, "pixels")
			off := math.Log10(number(s, "lr")) - likes - 0.2*math.Log2(number(s, "batch")/64)
			return 0.9 - 0.05*math.Log2(c) - 0.04*math.Log2(depth) - 0.05*math.Log2(pixels) + 0.08*off*off, start + speed*c*depth*pixels*pixels/1e8*100
		},
		Report: func(s space.Setting) study.Metrics {
			c, depth, pixels := number(s, "channels"), number(s, "depth"), number(s, "pixels")
			return study.Metrics{"memory": 0.8 + 12*9*c*c*depth/1e9 + 2*c*depth*pixels*pixels*number(s, "batch")/16/1e9}
		},
	}
	return t.program(d), nil
}

// echoProgram adapts a filter to a room: the part of the echo that has no taps stays. The rest fades with every sample, more slowly with more taps, and a large step
// leaves noise. So few passes favour few taps.
func echoProgram(d *dice, _ string) (*Task, error) {
	decay, first, noise, spread := d.ratio(8, 25), int(d.between(3, 9)), d.ratio(1e-4, 3e-3), d.between(2, 6)
	const samples, passes = 260, 27
	const longest = 128
	var echo [longest + 1]float64 // the part of the echo that comes later
	for k := longest - 1; k >= 0; k-- {
		if echo[k] = echo[k+1]; k >= first {
			g := d.NormFloat64() * math.Exp(-float64(k-first)/decay)
			echo[k] += g * g
		}
	}
	ops := map[string]float64{"lms": 2, "nlms": 3, "sign": 2}
	t := &Task{
		Goal: study.Minimize, Limits: study.Limits{"mops": study.Max(d.between(2, 3.5))},
		Fidelity: &study.Fidelity{Name: "passes", Min: 1, Max: passes, Log: true},
		Params: []space.Param{choice("algo", "lms", "nlms", "sign"), whole("taps", 8, 96), logFloat("mu", 1e-3, 1), when(logFloat("eps", 1e-4, 10), "algo", space.String("nlms")),
			logFloat("leak", 1e-7, 1e-2), whole("delay", 0, 12)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			taps, mu, delay, algo, n := number(s, "taps"), number(s, "mu"), number(s, "delay"), s["algo"].String(), float64(passes)
			if z, given := s["passes"].Number(); given {
				n = z
			}
			rate := mu * (2 - mu)
			switch algo {
			case "nlms":
				rate /= 1 + number(s, "eps")/taps
			case "lms":
				rate /= spread
			case "sign":
				rate /= 3 * spread
			}
			missing := (echo[int(delay+taps)] + echo[0] - echo[int(delay)]) / echo[0]
			fading := (1 - missing) * math.Exp(-samples*n*rate/taps)
			left := missing + fading + (noise+missing)*mu/(2-mu) + 30*number(s, "leak")/rate + noise
			return 10 * math.Log10(left), taps * n / 1000
		},
		Report: func(s space.Setting) study.Metrics {
			extra := 1.0
			if number(s, "delay") > 0 {
				extra = 1.2
			}
			return study.Metrics{"mops": number(s, "taps") * ops[s["algo"].String()] * 0.016 * extra}
		},
	}
	return t.program(d), nil
}

// widthProgram trains a network of one hidden layer. After a few epochs its width hardly matters.
func widthProgram(d *dice, _ string) (*Task, error) {
	start, speed, likes, learns, slows, falls := d.ratio(0.2, 1), d.ratio(0.01, 0.05), d.between(-2.5, -1.5), d.ratio(0.05, 0.2), d.between(0.2, 0.5), d.between(0.4, 0.9)
	const most = 81
	t := &Task{
		Goal: study.Minimize, Report: unlimited, Fidelity: &study.Fidelity{Name: epochsName, Min: 1, Max: most, Log: true},
		Params: []space.Param{logWhole("width", 2, 64), logFloat("rate", 1e-4, 1), logWhole("batch", 8, 128), logFloat("decay", 1e-6, 1e-1)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			width, batch, n := number(s, "width"), number(s, "batch"), float64(most)
			if z, given := s[epochsName].Number(); given {
				n = z
			}
			off := math.Log10(number(s, "rate")) - likes + 0.4*math.Log10(width/10) - 0.4*math.Log10(batch/32)
			weak := math.Log10(number(s, "decay")) + 4
			pace := learns * math.Exp(-off*off) * math.Pow(width/2, -slows) * math.Sqrt(32/batch)
			end := math.Pow(width/2, -falls) + 0.02*weak*weak + 0.05*off*off
			return end + (1.2-math.Min(end, 1))*math.Exp(-pace*n), start + speed*n*(1+width/4)*(1+16/batch)
		},
	}
	return t.program(d), nil
}

func languageProgram(d *dice, _ string) (*Task, error) {
	start, speed, likes := d.ratio(0.5, 5), d.ratio(0.5, 2), d.between(-3.6, -2.8)
	size := func(s space.Setting) float64 {
		w := number(s, "width")
		return 12 * number(s, "layers") * w * w
	}
	t := &Task{
		Goal: study.Minimize, Limits: study.Limits{"memory": study.Max(d.between(1, 3))},
		Params: []space.Param{whole("layers", 2, 32), logWhole("width", 64, 2048), logFloat("tokens", 1e6, 3e9), logFloat("lr", 1e-5, 1e-1)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			n, tokens := size(s), number(s, "tokens")
			off := math.Log10(number(s, "lr")) - likes + 0.25*math.Log10(n/1e7)
			return 1.69 + 406*math.Pow(n, -0.34) + 411*math.Pow(tokens, -0.28) + 0.3*off*off, start + speed*n*tokens/1e14
		},
		Report: func(s space.Setting) study.Metrics {
			return study.Metrics{"memory": 0.2 + 16*size(s)/1e9 + 2e-5*number(s, "layers")*number(s, "width")}
		},
	}
	return t.program(d), nil
}

func meshProgram(d *dice, _ string) (*Task, error) {
	start, speed, rough := d.ratio(0.2, 2), d.ratio(1e-8, 1e-7), d.ratio(0.3, 3)
	seconds := func(s space.Setting) float64 {
		unknowns := math.Pow(number(s, "cells")*number(s, "order"), 3)
		power, factor := 1.35, 3.0
		if s["solver"].String() == "direct" {
			power, factor = 2, 0.01
		}
		return start + speed*factor*math.Pow(unknowns, power)*(1+math.Log10(1/number(s, "tol"))/8)
	}
	t := &Task{
		Goal: study.Minimize, Limits: study.Limits{"seconds": study.Max(40 * start)},
		Params: []space.Param{logWhole("cells", 2, 128), whole("order", 1, 5), logFloat("tol", 1e-10, 1e-2), choice("solver", "direct", "iterative"), float("grading", 0, 1)},
		Evaluate: func(s space.Setting) (value, cost float64) {
			p, off := number(s, "order"), number(s, "grading")-0.65
			space := rough * math.Pow(number(s, "cells"), -math.Min(p, 2.5)) * (1 + 6*off*off) * (1 + 0.05*p*p)
			return math.Log10(space + 0.3*number(s, "tol")), seconds(s)
		},
		Report: func(s space.Setting) study.Metrics { return study.Metrics{"seconds": seconds(s)} },
	}
	return t.program(d), nil
}
