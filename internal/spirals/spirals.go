package spirals

import (
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/eke-bo/eke/internal/fault"
)

// Options are the settings of a training run. What is zero has a default, except for Momentum and Seed.
type Options struct {
	Width      int     // units of a hidden layer; default 8
	Layers     int     // hidden layers; default 1
	Rate       float64 // learning rate of the first epoch; it halves in halfLife epochs, and falls more slowly after that; default 0.01
	Epochs     int     // passes through the data; default 50
	Optimizer  string  // "adam" or "sgd"; default "adam"
	Momentum   float64 // of sgd; 0: none
	Activation string  // "tanh" or "relu"; default "tanh"
	Batch      int     // points of a step; default 32
	Seed       uint64  // of the points, the first weights and the order of the points

	// Checkpoint, if it is not "", is a folder. The run goes on from where the one that left a checkpoint there ended, and leaves its own.
	Checkpoint string

	// Progress, if there is one, hears how it is going: after every tenth epoch, and after the last.
	Progress func(epoch int, sofar Result)
}

// Result is how well the network does on points that it has not seen.
type Result struct {
	Loss     float64 // mean of −ln of the probability given to the right spiral; at most WorstLoss
	Accuracy float64 // share of points given to the right spiral
}

// WorstLoss is the loss of a run that diverged. Guessing has ln 2 ≈ 0.69; a number far above it, but not so far that
// all other differences vanish beside it, serves those who model the loss.
const WorstLoss = 5

// halfLife is the number of epochs after which the rate is half of what it was, a third after twice as many, and so on. It does not
// depend on how many epochs there will be, so a short run is the beginning of a long one.
const halfLife = 50

// Train trains a network and measures it. A run that diverges is a result, not an error.
func Train(ctx context.Context, o Options) (Result, error) {
	o = o.withDefaults()
	if err := o.Check(); err != nil {
		return Result{}, err
	}
	random := func(purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(o.Seed, purpose)) }
	training, validation := generate(random(1), trainingPoints), generate(random(2), validationPoints)

	net := newNetwork(o.Width, o.Layers, o.Activation == "relu")
	weights := net.initial(random(3))
	s := &state{Of: o.plain(), Weights: weights, Memory: o.newMemory(len(weights))}
	if saved := o.load(len(weights)); saved != nil {
		s = saved
	}
	gradient, batch := make([]float64, len(weights)), make([]point, o.Batch)
	for s.Epoch < o.Epochs {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		order := random(orders + uint64(s.Epoch)).Perm(len(training))
		rate := o.Rate / (1 + float64(s.Epoch)/halfLife)
		for from := 0; from < len(order); from += o.Batch {
			batch = batch[:0]
			for _, i := range order[from:min(from+o.Batch, len(order))] {
				batch = append(batch, training[i])
			}
			net.loss(gradient, s.Weights, batch)
			o.step(s.Memory, s.Weights, gradient, rate)
		}
		s.Epoch++
		if s.Epoch%every == 0 || s.Epoch == o.Epochs {
			if err := o.save(*s); err != nil {
				return Result{}, err
			}
			if o.Progress != nil && s.Epoch < o.Epochs {
				o.Progress(s.Epoch, measure(net, s.Weights, validation))
			}
		}
	}
	result := measure(net, s.Weights, validation)
	if o.Progress != nil {
		o.Progress(o.Epochs, result)
	}
	return result, nil
}

// every is the number of epochs between two reports of progress, and orders the first of the purposes of randomness that are the orders
// of the points in the epochs.
const every, orders = 10, 1 << 32

// measure returns how well a network does on points.
func measure(net *network, weights []float64, points []point) Result {
	loss, right := 0.0, 0
	for _, p := range points {
		z := net.logit(weights, p)
		loss += logLoss(z, p.second)
		if z > 0 == p.second && z != 0 {
			right++
		}
	}
	n := float64(len(points))
	if loss /= n; math.IsNaN(loss) || loss > WorstLoss {
		loss = WorstLoss
	}
	return Result{Loss: loss, Accuracy: float64(right) / n}
}

// Limits keep a slip of the finger from taking the machine's memory or the rest of the day.
const maxWidth, maxLayers, maxEpochs, maxRate = 1024, 8, 100_000, 1000

// check is an option's value, whether it can be, and what it may be.
type check struct {
	option string // as the flags of eke example spirals are called
	value  any
	good   bool
	hint   string
}

func (o Options) checks() []check {
	whole := func(option string, n, most int) check {
		return check{option, n, 1 <= n && n <= most, fmt.Sprintf("give a whole number from 1 to %d", most)}
	}
	either := func(option, given, a, b string) check {
		return check{option, given, given == a || given == b, "give " + a + " or " + b}
	}
	return []check{
		whole("width", o.Width, maxWidth),
		whole("layers", o.Layers, maxLayers),
		{"rate", o.Rate, o.Rate > 0 && o.Rate <= maxRate, fmt.Sprintf("give a number above 0 and at most %d", maxRate)},
		whole("epochs", o.Epochs, maxEpochs),
		either("optimizer", o.Optimizer, "adam", "sgd"),
		{"momentum", o.Momentum, o.Momentum >= 0 && o.Momentum < 1, "give a number from 0 to below 1"},
		either("activation", o.Activation, "tanh", "relu"),
		whole("batch", o.Batch, trainingPoints),
		{"seed", o.Seed, true, "give a whole number from 0"},
	}
}

// Hint says what an option may be.
func Hint(option string) string {
	for _, c := range (Options{}).checks() {
		if c.option == option {
			return c.hint
		}
	}
	return ""
}

// Check names the first option that cannot be, by its flag. It takes a zero for what it is, not for a default.
func (o Options) Check() error {
	for _, c := range o.checks() {
		if !c.good {
			return fault.New(fault.BadRequest, c.hint, "--%s is %v", c.option, c.value)
		}
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Width, o.Layers, o.Epochs, o.Batch = cmp.Or(o.Width, 8), cmp.Or(o.Layers, 1), cmp.Or(o.Epochs, 50), cmp.Or(o.Batch, 32)
	o.Optimizer, o.Activation, o.Rate = cmp.Or(o.Optimizer, "adam"), cmp.Or(o.Activation, "tanh"), cmp.Or(o.Rate, 0.01)
	return o
}

// state is a run after some epochs. It is all that the next epoch depends on, so a run that goes on from it ends as one that was never
// interrupted, bit for bit.
type state struct {
	Of      Options // without what does not change an epoch
	Epoch   int     // the last one
	Weights []float64
	Memory  *memory
}

// plain returns the options that change what an epoch does.
func (o Options) plain() Options {
	o.Epochs, o.Checkpoint, o.Progress = 0, "", nil
	return o
}

// load returns the state in the checkpoint. It is nil if there is none that this run can go on from: one of other options, of more
// epochs, or one that cannot be read.
func (o Options) load(weights int) *state {
	if o.Checkpoint == "" {
		return nil
	}
	file, err := os.Open(filepath.Join(o.Checkpoint, checkpointFile))
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	var s state
	if gob.NewDecoder(file).Decode(&s) != nil || !s.fits(o, weights) {
		return nil
	}
	return &s
}

// fits says whether a state is one of a run with these options and this many weights.
func (s *state) fits(o Options, weights int) bool {
	if s.Epoch < 1 || s.Epoch > o.Epochs || len(s.Weights) != weights || s.Memory == nil || len(s.Memory.Mean) != weights {
		return false
	}
	if o.Optimizer == "adam" && len(s.Memory.Square) != weights {
		return false
	}
	a, b := s.Of, o.plain()
	return a.Width == b.Width && a.Layers == b.Layers && a.Rate == b.Rate && a.Optimizer == b.Optimizer && a.Momentum == b.Momentum &&
		a.Activation == b.Activation && a.Batch == b.Batch && a.Seed == b.Seed
}

// checkpointFile is the name of the file in the checkpoint's folder.
const checkpointFile = "network.gob"

// save writes a state into the checkpoint. The file is there as a whole or not at all, whenever the process ends.
func (o Options) save(s state) error {
	if o.Checkpoint == "" {
		return nil
	}
	wrong := func(err error) error {
		return fault.New(fault.CannotRun, "give a folder that exists and can be written", "--checkpoint is %s: %w", o.Checkpoint, err)
	}
	file, err := os.CreateTemp(o.Checkpoint, checkpointFile)
	if err != nil {
		return wrong(err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // unless it has its own name by then
	if err := errors.Join(gob.NewEncoder(file).Encode(s), file.Close()); err != nil {
		return wrong(err)
	}
	if err := os.Rename(file.Name(), filepath.Join(o.Checkpoint, checkpointFile)); err != nil {
		return wrong(err)
	}
	return nil
}
