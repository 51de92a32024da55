package spirals

import (
	"context"
	"math"
	"math/rand/v2"
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
