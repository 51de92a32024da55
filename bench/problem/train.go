package problem

import (
	"math"
	"math/rand/v2"
	"time"
)

// Training are the five hyperparameters of the network on the digits.
type Training struct {
	LogRate float64 // log10 of the learning rate
	Batch   int
	Units   [3]int
}

// Trained is the result of a training.
type Trained struct {
	Error   float64 // share of the validation pictures that it gets wrong
	Work    float64 // multiply-adds
	Seconds float64 // on this machine; recorded, but never part of a result
}

// epochs is how often a training of the problem cnn sees every picture.
const epochs = 6

// Train trains one network. Weights and the order of the pictures are drawn from a fixed seed, so that equal
// hyperparameters give equal errors and equal work.
func Train(t Training) Trained {
	pictures, _ := digits()
	return trainFor(t, pictures, epochs)[0]
}

// trainFor trains one network on pictures, and judges it after each of some numbers of epochs, which rise: each result is that of a
// training that ends there.
func trainFor(t Training, pictures images, epochs ...int) (results []Trained) {
	start := time.Now()
	_, validation := digits()
	n := newNetwork(t.Units, t.Batch)
	rng := rand.New(rand.NewPCG(0, 0x74726169))
	params := n.initial(rng)
	grad := make([]float64, len(params))
	optimiser := newAdam(math.Pow(10, t.LogRate), len(params))
	work := 0.0
	for epoch := 1; len(results) < len(epochs); epoch++ {
		shuffled := pictures.pick(rng.Perm(pictures.len()))
		for i := 0; i < shuffled.len(); i += t.Batch {
			part := shuffled.slice(i, min(i+t.Batch, shuffled.len()))
			n.loss(grad, params, part)
			optimiser.step(params, grad)
			work += n.stepWork(part.len())
		}
		if epoch == epochs[len(results)] {
			results = append(results, Trained{
				Error:   float64(n.errors(params, validation)) / float64(validation.len()),
				Work:    work + n.forwardWork(validation.len()),
				Seconds: time.Since(start).Seconds(),
			})
		}
	}
	return results
}

// forwardWork returns the multiply-adds of the products of a forward pass.
func (n *network) forwardWork(pictures int) float64 {
	sum := 0
	for l, p := range places {
		in, out := n.fan(l)
		sum += p * in * out
	}
	return float64(pictures * sum)
}

// stepWork returns the multiply-adds of a training step: one product forward and two back in every layer, only one
// back in the first layer, and the optimiser.
func (n *network) stepWork(pictures int) float64 {
	in, out := n.fan(0)
	first := float64(pictures * places[0] * in * out)
	return 3*n.forwardWork(pictures) - first + float64(adamWork*n.parameters())
}
