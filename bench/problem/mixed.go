package problem

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/space"
)

// Mixed spaces: whole numbers, choices and conditions. The functions are made up, but resemble what people tune in practice. Every
// replication draws new constants.

func mixedRecipes() []recipe {
	return []recipe{
		{"forest", Mixed, "stand-in for tuning a tree ensemble: whole numbers, a choice, a condition", forestTask(30, 0)},
		{"forest-tiny", Mixed, "the same with money for eight trials", forestTask(8, 0)},
		{"network", Mixed, "stand-in for training a network with sgd or adam, each with its own parameters; epochs cost", networkTask(35, 0, 0)},
		{"network-walltime", Mixed, "the same with noisy scores and costs that are noisy like times", networkTask(35, 0.006, 0.15)},
		{"pipeline", Mixed, "stand-in for choosing one of three learners, each with its own parameters", pipelineTask},
		{"flags", Mixed, "stand-in for compiler flags: a finite space, the cost is the time that is minimised, with noise", flagsTask},
		{"reaction", Mixed, "stand-in for a chemical reaction: catalysts and solvents with their own prices", reactionTask},
		{"staffing", Mixed, "stand-in for sizing a service: whole numbers only, costs rise with them", staffingTask},
		{"menu", Mixed, "forty-eight settings in all, and money for about half of them", menuTask},
		{"oven", Mixed, "stand-in for firing pottery: the best of three glazes needs a heat and a time of its own", ovenTask},
		{"blend", Mixed, "samples of Gaussian processes over two numbers, one for each of four related choices",
			varieties{floats: 2, choices: []space.Param{choice("kind", "a", "b", "c", "d")}, correlation: [2]float64{0.3, 0.7},
				length: 0.35, price: smooth, spread: 0.4, trials: 24}.task},
		{"alloy", Mixed, "samples of Gaussian processes over three numbers, one for each of five related choices; good settings expensive",
			varieties{floats: 3, choices: []space.Param{choice("metal", "a", "b", "c", "d", "e")}, correlation: [2]float64{0.4, 0.8},
				length: 0.5, price: expensive, spread: 0.4, trials: 30}.task},
		{"paint", Mixed, "samples of Gaussian processes over two numbers, one for each pair of related pigments and binders",
			varieties{floats: 2, choices: []space.Param{choice("pigment", "a", "b", "c", "d"), choice("binder", "e", "f", "g")},
				correlation: [2]float64{0.3, 0.7}, length: 0.4, price: smooth, spread: 0.3, trials: 24}.task},
	}
}

// Short constructors for a parameter of each kind.

func float(name string, low, high float64) space.Param {
	return space.Param{Name: name, Kind: space.KindFloat, Min: low, Max: high}
}

func logFloat(name string, low, high float64) space.Param {
	return space.Param{Name: name, Kind: space.KindFloat, Min: low, Max: high, Log: true}
}

func whole(name string, low, high float64) space.Param {
	return space.Param{Name: name, Kind: space.KindInt, Min: low, Max: high}
}

func logWhole(name string, low, high float64) space.Param {
	return space.Param{Name: name, Kind: space.KindInt, Min: low, Max: high, Log: true}
}

func choice(name string, values ...string) space.Param {
	return space.Param{Name: name, Kind: space.KindChoice, Values: texts(values)}
}

func texts(values []string) []space.Value {
	list := make([]space.Value, len(values))
	for i, v := range values {
		list[i] = space.String(v)
	}
	return list
}

// when makes a parameter exist only with that value of another.
func when(p space.Param, other string, value space.Value) space.Param {
	p.When = []space.Condition{{Param: other, Values: []space.Value{value}}}
	return p
}

// found searches for the best of a task, and finishes it.
func (t *Task) found(d *dice) *Task {
	t.Best = t.search(d.seed)
	return t.finish(d.seed)
}

// search searches thoroughly for the best value. It climbs from the best of many settings, through the cube and from neighbour to
// neighbour, until neither helps.
func (t *Task) search(seed uint64) float64 {
	const uniform, climbs = 6000, 12
	sp, err := space.New(t.Params)
	if err != nil {
		panic("problem: " + err.Error())
	}
	p := &Problem{Dim: sp.Dim(), Evaluate: func(unit []float64) (float64, float64) {
		value, cost := t.Evaluate(sp.Decode(unit))
		return t.sign() * value, cost
	}}
	d := &dice{Rand: newDice("search", seed).Rand}
	starts := make([]candidate, uniform)
	for i := range starts {
		at := make([]float64, sp.Dim())
		for j := range at {
			at[j] = d.Float64()
		}
		starts[i].at = at
		starts[i].value, _ = p.Evaluate(at)
	}
	slices.SortStableFunc(starts, byValue)
	best := math.Inf(-1)
	for _, c := range starts[:climbs] {
		for c.climb(p, d.Rand); c.step(p, sp); {
			c.climb(p, d.Rand)
		}
		best = math.Max(best, c.value)
	}
	return t.sign() * best
}

// step goes to the best neighbour, if that is better.
func (c *candidate) step(p *Problem, sp *space.Space) (better bool) {
	for _, at := range sp.Neighbours(c.at) {
		if value, _ := p.Evaluate(at); value > c.value {
			c.at, c.value, better = at, value, true
		}
	}
	return better
}
