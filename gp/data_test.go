package gp

import (
	"math"
	"math/rand/v2"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// cloud returns n random points of the unit cube.
func cloud(rng *rand.Rand, n, dim int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, dim)
		for j := range x[i] {
			x[i][j] = rng.Float64()
		}
	}
	return x
}

// wavy is a smooth function whose inputs matter to different degrees.
func wavy(x [][]float64) []float64 {
	y := make([]float64, len(x))
	for i, row := range x {
		y[i] = 3
		for j, v := range row {
			y[i] += math.Sin(5*v+float64(j)) / float64(1+j)
		}
	}
	return y
}

var kernels = []Kernel{Matern52, Matern32, Gaussian}

// someHyper returns hyperparameters like those that fits find.
func someHyper(rng *rand.Rand, dim int) Hyper {
	h := Hyper{
		Outputscale: 0.5 + 4*rng.Float64(),
		Noise:       1e-4 * math.Pow(10, rng.Float64()),
		Mean:        rng.NormFloat64() / 2,
	}
	for range dim {
		h.Lengthscales = append(h.Lengthscales, 0.2+0.8*rng.Float64())
	}
	return h
}

// someModel returns a model of wavy data.
func someModel(rng *rand.Rand, n, dim int) *Model { return modelWith(Matern52, rng, n, dim) }

func modelWith(kernel Kernel, rng *rand.Rand, n, dim int) *Model {
	x := cloud(rng, n, dim)
	y, h := wavy(x), someHyper(rng, dim)
	h.Kernel = kernel
	return New(x, y, Standardise(y), h)
}

// flatten lays out points as a Batch expects them.
func flatten(points [][]float64) []float64 {
	var flat []float64
	for _, p := range points {
		flat = append(flat, p...)
	}
	return flat
}

// allPairs lists all pairs of the given number of rows, including pairs of a row with itself.
func allPairs(rows int) [][2]int {
	var pairs [][2]int
	for i := range rows {
		for j := range i + 1 {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// worst keeps the largest of the deviations it is shown.
type worst float64

func (w *worst) see(got, want, scale float64) {
	d := math.Abs(got-want) / scale
	if math.IsNaN(d) {
		d = math.Inf(1)
	}
	*w = worst(math.Max(float64(*w), d))
}
