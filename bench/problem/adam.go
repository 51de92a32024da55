package problem

import "math"

// adam is the optimiser of D. Kingma and J. Ba, Adam: A Method for Stochastic Optimization, ICLR 2015, with the
// constants they recommend.
type adam struct {
	rate          float64
	steps         int
	first, second []float64 // decaying means of the gradient and of its square
}

func newAdam(rate float64, parameters int) *adam {
	return &adam{rate: rate, first: make([]float64, parameters), second: make([]float64, parameters)}
}

// adamWork is the cost of a parameter in each step, in multiply-adds: two for the mean, three for the square, three
// for the step.
const adamWork = 8

// step moves the parameters against the gradient.
func (a *adam) step(params, grad []float64) {
	const b1, b2, small = 0.9, 0.999, 1e-8
	a.steps++
	t := float64(a.steps)
	rate := a.rate * math.Sqrt(1-math.Pow(b2, t)) / (1 - math.Pow(b1, t))
	for i, g := range grad {
		a.first[i] = b1*a.first[i] + (1-b1)*g
		a.second[i] = b2*a.second[i] + (1-b2)*g*g
		params[i] -= rate * a.first[i] / (math.Sqrt(a.second[i]) + small)
	}
}
