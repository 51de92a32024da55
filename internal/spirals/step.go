package spirals

import "math"

// memory is what an optimiser keeps from step to step. A checkpoint holds it.
type memory struct {
	Mean   []float64 // of the gradients: Adam's, or the velocity of gradient descent
	Square []float64 // of the gradients squared; only Adam has it
	Steps  int
}

func (o Options) newMemory(size int) *memory {
	m := &memory{Mean: make([]float64, size)}
	if o.Optimizer == "adam" {
		m.Square = make([]float64, size)
	}
	return m
}

// step changes the weights by one step with a given rate.
func (o Options) step(m *memory, weights, gradient []float64, rate float64) {
	if m.Steps++; o.Optimizer == "sgd" {
		m.momentum(weights, gradient, rate, o.Momentum)
		return
	}
	m.adam(weights, gradient, rate)
}

// momentum is gradient descent with Polyak's (1964) momentum.
func (m *memory) momentum(weights, gradient []float64, rate, keep float64) {
	for i, g := range gradient {
		m.Mean[i] = keep*m.Mean[i] - rate*g
		weights[i] += m.Mean[i]
	}
}

// adam is Adam with the constants of Kingma and Ba (2015).
func (m *memory) adam(weights, gradient []float64, rate float64) {
	const beta1, beta2, tiny = 0.9, 0.999, 1e-8
	scale := rate * math.Sqrt(1-math.Pow(beta2, float64(m.Steps))) / (1 - math.Pow(beta1, float64(m.Steps)))
	for i, g := range gradient {
		m.Mean[i] = beta1*m.Mean[i] + (1-beta1)*g
		m.Square[i] = beta2*m.Square[i] + (1-beta2)*g*g
		weights[i] -= scale * m.Mean[i] / (math.Sqrt(m.Square[i]) + tiny)
	}
}
