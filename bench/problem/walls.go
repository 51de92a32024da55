package problem

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Problems with walls: beyond an edge, evaluations fail. A failure costs as much as a value would or, in the problems whose names end in -cheap, a twentieth. Each
// has a twin whose name ends in -told, where the study file tells the wall by `where`; all else is the same.

// wall is a problem in the unit cube, minimised.
type wall struct {
	name, about string
	trials      float64
	validation  bool
	kinds       []string // of a choice, which is the last parameter; nil: there is none
	box         box
	make        func(d *dice) walls
}

// walls are a function and where it fails.
type walls struct {
	value func(x []float64, kind string) float64
	works func(x []float64, kind string) bool
	where []string // the same as text
	flaky float64  // settings fail by chance within about this distance of the edge; 0: the edge is exact
	edge  func(x []float64) float64
}

var wallList = []wall{
	{name: "memory-wall", about: "a network whose width and batch must fit into the memory; larger ones are better", trials: 30, box: cube(3, 0, 1), make: func(d *dice) walls {
		most, rate, batch := d.between(0.9, 1.3), d.between(0.3, 0.7), d.between(0.2, 0.5)
		return walls{
			value: func(x []float64, _ string) float64 {
				return 1 - 0.7*x[0] + 0.15*x[0]*x[0] - batch*x[1] + 1.2*(x[2]-rate)*(x[2]-rate)
			},
			works: func(x []float64, _ string) bool { return x[0]+x[1] <= most },
			where: []string{fmt.Sprintf("x1 + x2 <= %v", most)},
		}
	}},
	{name: "solver-wall", about: "a solver that is stable while its step times the square of a frequency is small", trials: 30, validation: true, box: cube(3, 0, 1), make: func(d *dice) walls {
		most, best := d.between(0.12, 0.3), d.between(0.2, 0.8)
		return walls{
			value: func(x []float64, _ string) float64 {
				return 1/(0.3+x[0]) + 1.5*(x[1]-0.9)*(x[1]-0.9) + (x[2]-best)*(x[2]-best)
			},
			works: func(x []float64, _ string) bool { return x[0]*x[1]*x[1] <= most },
			where: []string{fmt.Sprintf("x1 * x2 ^ 2 <= %v", most)},
		}
	}},
	{name: "cliff-wall", about: "the best of four kinds fails beyond an edge, and the others do not", trials: 35, kinds: []string{"a", "b", "c", "d"}, box: cube(2, 0, 1), make: func(d *dice) walls {
		most, at := d.between(0.4, 0.7), d.between(0.2, 0.8)
		losses := map[string]float64{"a": 0.25, "b": 0, "c": 0.4, "d": 0.3}
		return walls{
			value: func(x []float64, kind string) float64 {
				return losses[kind] + 0.8*(1-x[0])*(1-x[0]) + (x[1]-at)*(x[1]-at)
			},
			works: func(x []float64, kind string) bool { return kind != "b" || x[0] <= most },
			where: []string{fmt.Sprintf("kind != 'b' or x1 <= %v", most)},
		}
	}},
	{name: "two-walls", about: "the best is in the corner of two walls", trials: 35, validation: true, box: cube(3, 0, 1), make: func(d *dice) walls {
		most, least := d.between(0.8, 1.2), d.between(0.5, 0.8)
		return walls{
			value: func(x []float64, _ string) float64 {
				return 1 - 0.8*x[0] + 0.2*x[0]*x[0] - 0.3*x[1] + 0.6*x[2] + 0.2*(x[2]-x[1])*(x[2]-x[1])
			},
			works: func(x []float64, _ string) bool { return x[0]+x[1] <= most && x[1]+x[2] >= least },
			where: []string{fmt.Sprintf("x1 + x2 <= %v", most), fmt.Sprintf("x2 + x3 >= %v", least)},
		}
	}},
	{name: "noisy-wall", about: "settings near the edge fail by chance", trials: 30, box: cube(2, 0, 1), make: func(d *dice) walls {
		most, at := d.between(0.8, 1.3), d.between(0.2, 0.8)
		return walls{
			value: func(x []float64, _ string) float64 { return 1 - 0.8*x[0] + 0.3*(x[1]-at)*(x[1]-at) },
			works: func(x []float64, _ string) bool { return x[0]+x[1] <= most },
			where: []string{fmt.Sprintf("x1 + x2 <= %v", most)},
			flaky: 0.05, edge: func(x []float64) float64 { return x[0] + x[1] - most },
		}
	}},
	{name: "far-wall", about: "Branin, of which a quarter fails, far from the best", trials: 25, validation: true, box: branin.box, make: func(d *dice) walls {
		// The minimum of Branin that is farthest to the left; the wall is on the right.
		most := d.between(6, 8)
		return walls{
			value: func(x []float64, _ string) float64 { return branin.value(x) },
			works: func(x []float64, _ string) bool { return x[0]+0.2*x[1] <= most },
			where: []string{fmt.Sprintf("x1 + 0.2 * x2 <= %v", most)},
		}
	}},
	{name: "through-wall", about: "Hartmann in 3 dimensions, with a wall through the best", trials: 30, box: hartmann3.box, make: func(d *dice) walls {
		w := []float64{d.between(-1, 1), d.between(-1, 1), d.between(-1, 1)}
		most := 0.0
		for j, v := range hartmann3.best {
			most += w[j] * v
		}
		most += 1e-9
		return walls{
			value: func(x []float64, _ string) float64 { return hartmann3.value(x) },
			works: func(x []float64, _ string) bool { return w[0]*x[0]+w[1]*x[1]+w[2]*x[2] <= most },
			where: []string{fmt.Sprintf("%v * x1 + %v * x2 + %v * x3 <= %v", w[0], w[1], w[2], most)},
		}
	}},
	{name: "no-wall", about: "Hartmann in 3 dimensions, where nothing fails", trials: 25, validation: true, box: hartmann3.box, make: func(*dice) walls {
		return walls{value: func(x []float64, _ string) float64 { return hartmann3.value(x) }, works: func([]float64, string) bool { return true }}
	}},
}

// The endings of the names of variants.
const cheapWall, toldWall = "-cheap", "-told"

// cheapFailure is the price of a failure as a part of what a value would cost, where failures are cheap.
const cheapFailure = 0.05

func wallRecipes() (list []recipe) {
	for _, w := range wallList {
		list = append(list,
			recipe{w.name, Walls, w.about, w.task(1, false)},
			recipe{w.name + cheapWall, Walls, w.about + "; failures cost a twentieth", w.task(cheapFailure, false)},
			recipe{w.name + toldWall, ToldWalls, w.about + "; the study knows the wall", w.task(1, true)})
	}
	return list
}

func isWallValidation(name string) bool {
	return slices.ContainsFunc(wallList, func(w wall) bool {
		return w.validation && (name == w.name || name == w.name+cheapWall || name == w.name+toldWall)
	})
}

// WallTasks describes the tasks of one of the families Walls and ToldWalls.
func WallTasks(family string) (list []Info) {
	for _, r := range wallRecipes() {
		if r.family == family {
			list = append(list, r.info())
		}
	}
	return list
}

// task returns what makes the task. Its variants draw the same numbers.
func (w wall) task(failure float64, told bool) func(*dice, string) (*Task, error) {
	return func(other *dice, _ string) (*Task, error) {
		d := newDice(w.name, other.replication)
		made, lnCost := w.make(d), smooth(d, len(w.box), nil)
		kind := func(s space.Setting) string {
			if w.kinds == nil {
				return ""
			}
			return s["kind"].String()
		}
		t := &Task{Params: floats(w.box), Goal: study.Minimize, Budget: w.trials, FailurePrice: failure, seed: d.seed,
			Evaluate: func(s space.Setting) (float64, float64) {
				x := w.box.point(s)
				return made.value(x, kind(s)), math.Exp(lnCost(w.box.unit(x)))
			},
			Fails: func(s space.Setting) bool {
				x := w.box.point(s)
				if made.flaky > 0 {
					return made.edge(x) > made.flaky*(2*chanceOf(s, d.seed)-1)
				}
				return !made.works(x, kind(s))
			},
		}
		if w.kinds != nil {
			t.Params = append(t.Params, choice("kind", w.kinds...))
		}
		if told {
			t.Where = made.where
		}
		t.Best = w.best(made, d.seed)
		return t.finish(d.seed), nil
	}
}

// chanceOf is a number between 0 and 1 that belongs to a setting.
func chanceOf(s space.Setting, seed uint64) float64 {
	return float64(mix(hashOf(fmt.Sprint(s))+seed)>>11) / (1 << 53)
}

// best returns the lowest value that works: the best of many points, improved by steps that shrink where none helps.
func (w wall) best(made walls, seed uint64) float64 {
	const raw, starts, steps = 1 << 14, 6, 4000
	kinds := w.kinds
	if kinds == nil {
		kinds = []string{""}
	}
	rng := newDice("wall search", seed)
	best := math.Inf(1)
	for _, kind := range kinds {
		at := func(u []float64) float64 {
			if x := w.box.at(u); made.works(x, kind) {
				return made.value(x, kind)
			}
			return math.Inf(1)
		}
		points := sobol.Points(raw, len(w.box), seed)
		slices.SortStableFunc(points, func(a, b []float64) int {
			if at(a) < at(b) {
				return -1
			} else if at(a) > at(b) {
				return 1
			}
			return 0
		})
		for _, u := range points[:starts] {
			u, value, size := slices.Clone(u), at(u), 0.1
			for range steps {
				next := slices.Clone(u)
				for j := range next {
					next[j] = min(max(next[j]+size*rng.NormFloat64(), 0), 1)
				}
				if v := at(next); v < value {
					u, value, size = next, v, math.Min(1.5*size, 0.2)
				} else {
					size = math.Max(0.97*size, 1e-9)
				}
			}
			best = math.Min(best, value)
		}
	}
	return best
}
