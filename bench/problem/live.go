package problem

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/eke-bo/eke/internal/spirals"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Live problems: what people tune, in small, trained for real whenever a setting is evaluated. Data are part of the module. The price is the counted work of
// the training, which is the same on every machine, and so are the values.
//
//	boost-iterations-…  gradient boosting, with iterations as a fidelity from which trials go on
//	boost-fraction-…    gradient boosting, with a part of the data as a fidelity
//	net-epochs-…        networks, with epochs as a fidelity from which trials go on
//
// A task is the same in every replication, but for the seed of the study. Its optimum is that of a search, which liveTable has.

// live is a live problem.
type live struct {
	name, about string
	params      []space.Param
	fidelity    study.Fidelity
	trials      float64 // the budget, in full trainings at an average price
	train       func(s space.Setting, level float64) (value, work float64)
}

// The names of entries of a setting.
const (
	iterationsName = "iterations"
	fractionName   = "fraction"
)

func lives() []live {
	list := []live{
		{"net-epochs-digits", "a convolutional network on handwritten digits, after 1 to 27 epochs",
			[]space.Param{logFloat("rate", 1e-4, 0.1), logWhole("batch", 8, 64), logWhole("units1", 2, 6), logWhole("units2", 2, 6), logWhole("units3", 2, 12)},
			study.Fidelity{Name: epochsName, Min: 1, Max: 27, Log: true, Resume: true}, 16, trainDigits},
		{"net-epochs-spirals", "a perceptron on two spirals, after 3 to 81 epochs",
			[]space.Param{logWhole("width", 4, 24), whole("layers", 1, 3), logFloat("rate", 0.001, 1), choice("optimizer", "adam", "sgd"),
				when(float("momentum", 0, 0.99), "optimizer", space.String("sgd")), choice("activation", "tanh", "relu")},
			study.Fidelity{Name: epochsName, Min: 3, Max: 81, Log: true, Resume: true}, 16, trainSpirals},
	}
	for _, d := range []struct {
		name, about string
		data        func() *boostSet
	}{
		{"houses", "the price of houses", boostHouses},
		{"odd", "whether a handwritten digit is odd", boostOdd},
		{"loop", "whether a handwritten digit has a loop", boostLoop},
	} {
		params := []space.Param{logFloat("rate", 0.01, 1), whole("depth", 1, 6), logWhole("leaf", 1, 32), logFloat("shrink", 0.01, 100), float("columns", 0.1, 1)}
		list = append(list,
			live{"boost-iterations-" + d.name, "gradient boosting that predicts " + d.about + ", after 3 to 81 iterations", params,
				study.Fidelity{Name: iterationsName, Min: 3, Max: 81, Log: true, Resume: true}, 20, boostWith(d.data)},
			live{"boost-fraction-" + d.name, "gradient boosting that predicts " + d.about + ", on 1/27 of the data to all of it", append(slices.Clip(params), logWhole(iterationsName, 3, 81)),
				study.Fidelity{Name: fractionName, Min: 1. / 27, Max: 1, Log: true}, 20, boostWith(d.data)})
	}
	return list
}

func liveRecipes() (list []recipe) {
	for _, l := range lives() {
		list = append(list, recipe{l.name, Live, l.about + ", trained live", l.task})
	}
	return list
}

// typicalLive is what was found of a live problem before anything was played: the optimum, the median value and the mean work.
type typicalLive struct{ best, median, work float64 }

func (l live) task(*dice, string) (*Task, error) {
	t := l.unscaled()
	known := liveTable[l.name]
	t.Best = known.best
	t.scaled(known.median, known.work)
	t.Fidelity = &l.fidelity
	return t, nil
}

// unscaled is the task without its optimum, in units of work. No setting is trained twice.
func (l live) unscaled() *Task {
	type result struct{ value, work float64 }
	var trained sync.Map
	return &Task{Params: l.params, Goal: study.Minimize, Budget: l.trials, Evaluate: func(s space.Setting) (float64, float64) {
		level, given := s[l.fidelity.Name].Number()
		if !given {
			level = l.fidelity.Top()
		}
		var key string
		for _, p := range l.params {
			key += s[p.Name].String() + " "
		}
		key += fmt.Sprint(level)
		known, ok := trained.Load(key)
		if !ok {
			value, work := l.train(s, level)
			known = result{value, work}
			trained.Store(key, known)
		}
		return known.(result).value, known.(result).work
	}}
}

// boostWith trains by boosting. The level is the part of the data or, where that is not a parameter, the number of iterations.
func boostWith(data func() *boostSet) func(s space.Setting, level float64) (float64, float64) {
	return func(s space.Setting, level float64) (float64, float64) {
		b := boosting{rate: number(s, "rate"), depth: int(number(s, "depth")), leaf: int(number(s, "leaf")), shrink: number(s, "shrink"), seen: number(s, "columns"), data: 1}
		if level > 1 {
			b.iterations = int(level)
		} else {
			b.iterations, b.data = int(number(s, iterationsName)), level
		}
		return data().fit(b)
	}
}

// Pictures to learn from and to be judged by.
const livePictures, liveJudged = 200, 300

// worstLoss is what a network has at most that has diverged.
var worstLoss = 2 * math.Log(classes)

// trainDigits trains a convolutional network, and returns its mean cross-entropy on other pictures. The work is in multiply-adds.
func trainDigits(s space.Setting, level float64) (value, work float64) {
	train, judges := digits()
	train, judges = train.slice(0, livePictures), judges.slice(0, liveJudged)
	batch := int(number(s, "batch"))
	n := newNetwork([3]int{int(number(s, "units1")), int(number(s, "units2")), int(number(s, "units3"))}, batch)
	rng := rand.New(rand.NewPCG(0, 0x6c697665))
	params := n.initial(rng)
	grad := make([]float64, len(params))
	optimiser := newAdam(number(s, "rate"), len(params))
	for range int(level) {
		shuffled := train.pick(rng.Perm(train.len()))
		for i := 0; i < shuffled.len(); i += batch {
			part := shuffled.slice(i, min(i+batch, shuffled.len()))
			n.loss(grad, params, part)
			optimiser.step(params, grad)
			work += n.stepWork(part.len())
		}
	}
	for i := 0; i < judges.len(); i += batch {
		part := judges.slice(i, min(i+batch, judges.len()))
		value += n.loss(nil, params, part) * float64(part.len()) / liveJudged
	}
	if !(value < worstLoss) { // NaN, too
		value = worstLoss
	}
	return value, work + n.forwardWork(liveJudged)
}

// trainSpirals trains the network of the quickstart. The work is the number of weights that are used, in all epochs.
func trainSpirals(s space.Setting, level float64) (value, work float64) {
	o := spiralsOptions(s, level, 1)
	o.Activation = s["activation"].String()
	r, err := spirals.Train(context.Background(), o.Options)
	if err != nil {
		panic(fmt.Sprintf("problem: net-epochs-spirals: %v", err)) // the parameters are constants of this package
	}
	return r.Loss, o.work()
}

// LiveRow searches for the optimum of a live problem, whatever it costs, and returns its row of liveTable: it tries settings spread over the space, of
// which it also takes the median value and the mean work, and climbs from the best of them by the (1+1) evolution strategy and from neighbour to
// neighbour.
func LiveRow(ctx context.Context, name string, climbs, steps int) (string, error) {
	i := slices.IndexFunc(lives(), func(l live) bool { return l.name == name })
	if i < 0 {
		return "", fmt.Errorf("live problem %q is not known; there are %v", name, LiveNames())
	}
	found, err := lives()[i].search(ctx, climbs, steps)
	return fmt.Sprintf("\t%q: {%v, %v, %v},", name, found.best, found.median, found.work), err
}

// LiveNames lists the live problems.
func LiveNames() (names []string) {
	for _, l := range lives() {
		names = append(names, l.name)
	}
	return names
}

func (l live) search(ctx context.Context, climbs, steps int) (typicalLive, error) {
	t := l.unscaled()
	sp, err := space.New(t.Params)
	if err != nil {
		return typicalLive{}, err
	}
	seed := hashOf("live " + l.name)
	var starts []candidate
	known := typicalLive{best: math.Inf(1)}
	evaluate := func(unit []float64) float64 {
		value, _ := t.Evaluate(sp.Decode(unit))
		known.best = math.Min(known.best, value)
		return value
	}
	surveyed(sp, seed, func(s space.Setting) {
		if ctx.Err() == nil {
			value, _ := t.Evaluate(s)
			known.best = math.Min(known.best, value)
			if unit, err := sp.Encode(s); err == nil {
				starts = append(starts, candidate{unit, -value})
			}
		}
	})
	if ctx.Err() != nil {
		return known, ctx.Err()
	}
	known.median, known.work = t.typical(seed) // of the same settings, which are known by now
	slices.SortStableFunc(starts, byValue)
	rng := rand.New(rand.NewPCG(seed, 0x6c697665))
	for _, c := range starts[:min(climbs, len(starts))] {
		step := 0.1
		for k := 0; k < steps && ctx.Err() == nil; k++ {
			at := slices.Clone(c.at)
			for j := range at {
				if rng.IntN(2) == 0 {
					at[j] = math.Min(1, math.Max(0, at[j]+step*rng.NormFloat64()))
				}
			}
			if k%25 == 24 { // whole numbers and choices
				near := sp.Neighbours(c.at)
				if len(near) > 0 {
					at = near[rng.IntN(len(near))]
				}
			}
			if value := -evaluate(at); value > c.value {
				c.at, c.value, step = at, value, math.Min(1.5*step, 0.2)
			} else {
				step = math.Max(0.93*step, 0.003)
			}
		}
	}
	return known, ctx.Err()
}
