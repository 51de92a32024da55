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
	Rate       float64 // learning rate at the beginning, falling to 0 along a line; default 0.01
	Epochs     int     // passes through the data; default 50
	Optimizer  string  // "adam" or "sgd"; default "adam"
	Momentum   float64 // of sgd; 0: none
	Activation string  // "tanh" or "relu"; default "tanh"
	Batch      int     // points of a step; default 32
	Seed       uint64  // of the points, the first weights and the order of the points

	// Progress, if there is one, hears about ten times how it is going.
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
	gradient := make([]float64, len(weights))
	step := o.stepper(len(weights))
	shuffle := random(4)

	perEpoch := (len(training) + o.Batch - 1) / o.Batch
	steps, every := float64(o.Epochs*perEpoch), max(1, o.Epochs/10)
	done := 0.0
	for epoch := 1; epoch <= o.Epochs; epoch++ {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		shuffle.Shuffle(len(training), func(i, j int) { training[i], training[j] = training[j], training[i] })
		for from := 0; from < len(training); from += o.Batch {
			net.loss(gradient, weights, training[from:min(from+o.Batch, len(training))])
			step(weights, gradient, o.Rate*(1-done/steps))
			done++
		}
		if o.Progress != nil && epoch%every == 0 && epoch < o.Epochs {
			o.Progress(epoch, measure(net, weights, validation))
		}
	}
	result := measure(net, weights, validation)
	if o.Progress != nil {
		o.Progress(o.Epochs, result)
	}
	return result, nil
}

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
