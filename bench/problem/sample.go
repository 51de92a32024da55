package problem

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/lbfgsb"
	"github.com/eke-bo/eke/internal/sobol"
)

// sample is a function on the unit cube drawn from a Gaussian process of variance 1, by random Fourier features (A. Rahimi, B. Recht, Random
// Features for Large-Scale Kernel Machines, 2007):
//
//	f(x) = √(2/D) Σ_k a_k cos(ω_k·x + b_k),   a_k ~ N(0,1),  b_k ~ U[0, 2π],
//
// with ω_k from the kernel's spectral density. It is as smooth as a cosine, has a gradient, and takes the same time
// everywhere.
type sample struct {
	omega     []float64 // D rows of dim
	amplitude []float64 // with the factor √(2/D)
	phase     []float64
	dim       int
}

// features is D. The kernel's relative error is about 1/√D.
const features = 256

// kernel is the smoothness of a sample.
type kernel int

const (
	matern52 kernel = iota
	squaredExponential
)

// drawSample draws a function with a length scale for every dimension.
func drawSample(d *dice, k kernel, lengths []float64) *sample {
	s := &sample{dim: len(lengths)}
	for range features {
		spread := 1.0
		if k == matern52 {
			// Its spectral density is a multivariate t with 5 degrees of freedom.
			chi2 := 0.0
			for range 5 {
				z := d.NormFloat64()
				chi2 += z * z
			}
			spread = math.Sqrt(5 / chi2)
		}
		for _, l := range lengths {
			s.omega = append(s.omega, spread*d.NormFloat64()/l)
		}
		s.amplitude = append(s.amplitude, math.Sqrt(2.0/features)*d.NormFloat64())
		s.phase = append(s.phase, d.between(0, 2*math.Pi))
	}
	return s
}

// lengthsAround draws a length scale for each dimension, at most a factor of 1.6 up or down.
func lengthsAround(d *dice, dim int, typical float64) []float64 {
	list := make([]float64, dim)
	for i := range list {
		list[i] = typical * d.ratio(1/1.6, 1.6)
	}
	return list
}

// at returns f(x).
func (s *sample) at(x []float64) float64 { return s.gradient(nil, x) }

// gradient returns f(x) and, where grad is not nil, writes ∇f there.
func (s *sample) gradient(grad, x []float64) float64 {
	clear(grad)
	sum := 0.0
	for k, a := range s.amplitude {
		row := s.omega[k*s.dim:][:s.dim]
		angle := s.phase[k]
		for i, w := range row {
			angle += w * x[i]
		}
		if grad == nil {
			sum += a * math.Cos(angle)
			continue
		}
		sin, cos := math.Sincos(angle)
		sum += a * cos
		for i, w := range row {
			grad[i] -= a * sin * w
		}
	}
	return sum
}

// maximum climbs from the best of many points spread over the cube, and returns the highest value found.
func (s *sample) maximum(seed uint64) float64 {
	const climbs = 30
	points := sobol.Points(1000+500*s.dim, s.dim, mix(seed+0x6d6178))
	starts := make([]candidate, len(points))
	for i, x := range points {
		starts[i] = candidate{x, s.at(x)}
	}
	slices.SortStableFunc(starts, byValue)
	low, high := make([]float64, s.dim), slices.Repeat([]float64{1}, s.dim)
	var search lbfgsb.Workspace
	value := math.Inf(-1)
	for _, c := range starts[:climbs] {
		value = math.Max(value, search.Maximise(s.gradient, c.at, low, high, lbfgsb.Settings{}).F)
	}
	return value
}

// scaled multiplies a new sample by a factor.
func (s *sample) scaled(factor float64) *sample {
	for k := range s.amplitude {
		s.amplitude[k] *= factor
	}
	return s
}

// plus returns the sum of samples.
func plus(parts []*sample) *sample {
	sum := &sample{dim: parts[0].dim}
	for _, s := range parts {
		sum.omega, sum.amplitude, sum.phase = append(sum.omega, s.omega...), append(sum.amplitude, s.amplitude...), append(sum.phase, s.phase...)
	}
	return sum
}
