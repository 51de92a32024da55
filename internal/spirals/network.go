package spirals

import (
	"math"
	"math/rand/v2"
)

// network is a perceptron: two inputs, hidden layers of one width, and one output, the logit of the second spiral.
// Its weights are one slice, which belongs to the caller: layer after layer, each unit's weights and then
// the layer's biases.
type network struct {
	sizes []int // of the layers, with inputs and output
	relu  bool
	at    []int // where each layer's weights begin

	// Room for one point, so that an epoch allocates nothing.
	values [][]float64 // of the units
	deltas [][]float64 // derivative of the loss by what a unit sums up
}

func newNetwork(width, layers int, relu bool) *network {
	net := &network{sizes: []int{2}, relu: relu, at: []int{0}}
	for range layers {
		net.sizes = append(net.sizes, width)
	}
	net.sizes = append(net.sizes, 1)
	for l, size := range net.sizes {
		net.values = append(net.values, make([]float64, size))
		net.deltas = append(net.deltas, make([]float64, size))
		if l > 0 {
			net.at = append(net.at, net.at[l-1]+size*(net.sizes[l-1]+1))
		}
	}
	return net
}

// layer returns the weights and biases between layers l and l+1.
func (net *network) layer(weights []float64, l int) (matrix, biases []float64) {
	all := weights[net.at[l]:net.at[l+1]]
	split := net.sizes[l] * net.sizes[l+1]
	return all[:split], all[split:]
}

// initial returns random weights: normal, with the variance of Glorot and Bengio (2010) for tanh and that of
// He et al. (2015) for ReLU. Biases are 0.
func (net *network) initial(random *rand.Rand) []float64 {
	weights := make([]float64, net.at[len(net.at)-1])
	for l := range len(net.sizes) - 1 {
		variance := 2 / float64(net.sizes[l]+net.sizes[l+1])
		if net.relu {
			variance = 2 / float64(net.sizes[l])
		}
		matrix, _ := net.layer(weights, l)
		for i := range matrix {
			matrix[i] = math.Sqrt(variance) * random.NormFloat64()
		}
	}
	return weights
}

// logit returns the log odds that a point belongs to the second spiral.
func (net *network) logit(weights []float64, p point) float64 {
	net.values[0][0], net.values[0][1] = p.x, p.y
	last := len(net.sizes) - 1
	for l := range last {
		matrix, biases := net.layer(weights, l)
		in, out := net.values[l], net.values[l+1]
		for j := range out {
			sum := biases[j] + dot(matrix[j*len(in):(j+1)*len(in)], in)
			switch {
			case l == last-1:
			case net.relu:
				sum = max(sum, 0)
			default:
				sum = math.Tanh(sum)
			}
			out[j] = sum
		}
	}
	return net.values[last][0]
}

// loss returns the mean loss over points, and overwrites gradient, if it is not nil, with its derivatives.
func (net *network) loss(gradient, weights []float64, points []point) float64 {
	clear(gradient)
	sum, n := 0.0, float64(len(points))
	for _, p := range points {
		z := net.logit(weights, p)
		sum += logLoss(z, p.second)
		if gradient != nil {
			// d/dz of −ln of the right spiral's probability: the second's probability, less 1 if it is the right one.
			slope := 1 / (1 + math.Exp(-z))
			if p.second {
				slope--
			}
			net.backward(gradient, weights, slope/n)
		}
	}
	return sum / n
}

// backward adds to gradient what the point last seen by logit contributes, given the derivative by its logit.
func (net *network) backward(gradient, weights []float64, slope float64) {
	last := len(net.sizes) - 1
	net.deltas[last][0] = slope
	for l := last - 1; l >= 0; l-- {
		matrix, _ := net.layer(weights, l)
		dMatrix, dBiases := net.layer(gradient, l)
		in, dIn := net.values[l], net.deltas[l]
		clear(dIn)
		for j, delta := range net.deltas[l+1] {
			row := j * len(in)
			dBiases[j] += delta
			axpy(dMatrix[row:row+len(in)], delta, in)
			if l > 0 { // nobody asks for derivatives by the inputs
				axpy(dIn, delta, matrix[row:row+len(in)])
			}
		}
		for i, v := range in {
			switch {
			case !net.relu:
				dIn[i] *= 1 - v*v
			case v <= 0:
				dIn[i] = 0
			}
		}
	}
}

// logLoss is −ln of the probability that a logit gives to the right spiral, without overflow.
func logLoss(z float64, second bool) float64 {
	if second {
		z = -z
	}
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}

// dot is Σ aᵢbᵢ; four sums at once, for each addition waits for the one before.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + (s2 + s3)
}

// axpy adds c·a to dst, four at once as well.
func axpy(dst []float64, c float64, a []float64) {
	dst = dst[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := dst[i:i+4:i+4], a[i:i+4:i+4]
		x[0] += c * y[0]
		x[1] += c * y[1]
		x[2] += c * y[2]
		x[3] += c * y[3]
	}
	for ; i < len(a); i++ {
		dst[i] += c * a[i]
	}
}

// Few points to learn from and many to be measured by: a large network can learn the noise by heart, and that
// it did shows.
const (
	trainingPoints   = 512
	validationPoints = 1000
	turns            = 2    // of each spiral
	noise            = 0.04 // standard deviation; the spirals' radius is 1, and their arms are a quarter apart
	scale            = 4    // of the whole; small inputs keep the units in their straight part, and learning slow
)

// point is a place in the plane and the spiral that it belongs to.
type point struct {
	x, y   float64
	second bool
}

// generate returns n points, half of them of each spiral. It is the two-spirals problem of Lang and Witbrock,
// Learning to tell two spirals apart (1988), with noise and fewer turns.
func generate(random *rand.Rand, n int) []point {
	points := make([]point, n)
	for i := range points {
		second := i%2 == 1
		radius := math.Sqrt(0.02 + 0.98*random.Float64()) // as many points on every inch, not on every degree
		angle := 2 * math.Pi * turns * radius
		if second {
			angle += math.Pi
		}
		points[i] = point{
			x:      scale * (radius*math.Cos(angle) + noise*random.NormFloat64()),
			y:      scale * (radius*math.Sin(angle) + noise*random.NormFloat64()),
			second: second,
		}
	}
	return points
}

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
