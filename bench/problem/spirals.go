package problem

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/eke-bo/eke/internal/spirals"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// spirals-live: the network of the quickstart, in small, trained live for 3 to 81 epochs. Nothing is known of its optimum, but no loss is below
// 0; so a regret is a loss, in units of what guessing has. Each replication has other points to learn. Its price is the work of the training,
// which is the same on every machine.

// spiralsTrials is the budget, in trainings of 81 epochs at an average price.
const spiralsTrials = 16

func spiralsTask(d *dice, _ string) (*Task, error) {
	t := &Task{
		Params: []space.Param{logWhole("width", 4, 24), whole("layers", 1, 3), logFloat("rate", 0.001, 1), choice("optimizer", "adam", "sgd"),
			when(float("momentum", 0, 0.99), "optimizer", space.String("sgd"))},
		Goal: study.Minimize, Budget: spiralsTrials, Best: 0, Scale: math.Ln2,
		Fidelity: &study.Fidelity{Name: epochsName, Min: 3, Max: 81, Log: true},
	}
	sp, err := space.New(t.Params)
	if err != nil {
		return nil, err
	}
	mean, top := 0.0, t.Fidelity.Top()
	surveyed(sp, d.seed, func(s space.Setting) { mean += spiralsOptions(s, top, d.seed).work() / survey })
	var trained sync.Map // so that no network is trained twice
	t.Evaluate = func(s space.Setting) (value, cost float64) {
		o := spiralsOptions(s, top, d.seed)
		key := fmt.Sprint(o)
		loss, known := trained.Load(key)
		if !known {
			r, err := spirals.Train(context.Background(), o.Options)
			if err != nil {
				panic(fmt.Sprintf("problem: spirals-live: %v", err)) // the parameters are constants of this package
			}
			loss = r.Loss
			trained.Store(key, loss)
		}
		return loss.(float64), o.work() / mean
	}
	return t, nil
}

// liveOptions are the options of a training.
type liveOptions struct{ spirals.Options }

// spiralsOptions returns those of a setting. A setting without epochs has all.
func spiralsOptions(s space.Setting, epochs float64, seed uint64) liveOptions {
	number := func(name string) float64 {
		x, _ := s[name].Number()
		return x
	}
	if given, ok := s[epochsName].Number(); ok {
		epochs = given
	}
	return liveOptions{spirals.Options{Width: int(number("width")), Layers: int(number("layers")), Rate: number("rate"), Epochs: int(epochs),
		Optimizer: s["optimizer"].String(), Momentum: number("momentum"), Seed: seed}}
}

// work is the number of weights that are used, in all epochs.
func (o liveOptions) work() float64 {
	w := float64(o.Width)
	return float64(o.Epochs) * (4*w + 1 + float64(o.Layers-1)*w*(w+1))
}
