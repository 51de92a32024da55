package spirals

import "math"

// stepper returns a function that takes one step with a given rate.
func (o Options) stepper(size int) func(weights, gradient []float64, rate float64) {
	if o.Optimizer == "sgd" {
		return momentum(size, o.Momentum)
	}
	return adam(size)
}

// momentum is gradient descent with Polyak's (1964) momentum.
func momentum(size int, keep float64) func(weights, gradient []float64, rate float64) {
	velocity := make([]float64, size)
	return func(weights, gradient []float64, rate float64) {
		for i, g := range gradient {
			velocity[i] = keep*velocity[i] - rate*g
			weights[i] += velocity[i]
		}
	}
}

// adam is Adam with the constants of Kingma and Ba (2015).
func adam(size int) func(weights, gradient []float64, rate float64) {
	const beta1, beta2, tiny = 0.9, 0.999, 1e-8
	mean, square := make([]float64, size), make([]float64, size)
	left1, left2 := 1.0, 1.0 // β₁ᵗ and β₂ᵗ
	return func(weights, gradient []float64, rate float64) {
		left1, left2 = left1*beta1, left2*beta2
		scale := rate * math.Sqrt(1-left2) / (1 - left1)
		for i, g := range gradient {
			mean[i] = beta1*mean[i] + (1-beta1)*g
			square[i] = beta2*square[i] + (1-beta2)*g*g
			weights[i] -= scale * mean[i] / (math.Sqrt(square[i]) + tiny)
		}
	}
}
