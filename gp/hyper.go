package gp

import (
	"fmt"
	"math"

	"github.com/eke-bo/eke/internal/simd"
)

// Hyper are the hyperparameters of one output, on standardised targets.
type Hyper struct {
	// Lengthscales are ℓ, one for each input.
	Lengthscales []float64 `json:"lengthscales"`

	// Outputscale is s, the prior variance.
	Outputscale float64 `json:"outputscale"`

	// Noise is τ², the variance of the observation noise.
	Noise float64 `json:"noise"`

	// Mean is m, the constant prior mean.
	Mean float64 `json:"mean"`

	// Kernel is the shape of the correlations.
	Kernel Kernel `json:"kernel,omitempty"`

	// Fading has the hyperparameters of the levels of fidelity. Nil means that there is one level.
	Fading *Fading `json:"fading,omitempty"`
}

// Kernel is the shape of the correlations, MATH.md (1): how smooth a function is believed to be.
type Kernel int

const (
	// Matern52 is for functions with two derivatives. It is the usual choice.
	Matern52 Kernel = iota

	// Matern32 is for functions with one derivative, which may have edges and cusps.
	Matern32

	// Gaussian is for functions that are smooth to all orders, such as products of powers.
	Gaussian
)

// rows turns squared scaled distances into covariances and their derivative factors; see simd.Matern52.
func (k Kernel) rows(cov, g, r2 []float64, scale float64) {
	switch k {
	case Matern32:
		simd.Matern32(cov, g, r2, scale)
	case Gaussian:
		simd.Gaussian(cov, g, r2, scale)
	default:
		simd.Matern52(cov, g, r2, scale)
	}
}

// clone returns a copy that shares no memory.
func (h Hyper) clone() Hyper {
	h.Lengthscales = append([]float64(nil), h.Lengthscales...)
	if h.Fading != nil {
		f := *h.Fading
		h.Fading = &f
	}
	return h
}

// Check returns an error that names what is wrong with the hyperparameters of a model with dim inputs, or nil.
func (h Hyper) Check(dim int) error {
	if len(h.Lengthscales) != dim {
		return fmt.Errorf("gp: %d lengthscales for %d inputs", len(h.Lengthscales), dim)
	}
	for _, v := range append([]float64{h.Outputscale, h.Noise}, h.Lengthscales...) {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("gp: hyperparameters must be positive and finite: %+v", h)
		}
	}
	if math.IsNaN(h.Mean) || math.IsInf(h.Mean, 0) {
		return fmt.Errorf("gp: the mean is %v, must be finite", h.Mean)
	}
	if h.Kernel < Matern52 || h.Kernel > Gaussian {
		return fmt.Errorf("gp: there is no kernel %d", h.Kernel)
	}
	if h.Fading != nil {
		return h.Fading.check()
	}
	return nil
}

// Gamma is a Gamma distribution.
type Gamma struct {
	// Shape and Rate are its two parameters. Its mean is Shape/Rate.
	Shape, Rate float64
}

// LogDensity returns ln p(v) and its derivative with respect to ln v.
func (g Gamma) LogDensity(v float64) (logp, dLogV float64) {
	norm, _ := math.Lgamma(g.Shape)
	logp = g.Shape*math.Log(g.Rate) - norm + (g.Shape-1)*math.Log(v) - g.Rate*v
	return logp, g.Shape - 1 - g.Rate*v
}

// Mode returns where the density is largest.
func (g Gamma) Mode() float64 { return (g.Shape - 1) / g.Rate }

// Noise is the belief about the observation noise τ² before there are data.
type Noise struct {
	// Min and Max bound τ².
	Min, Max float64

	// Prior is the prior of τ² within the bounds. Nil means a flat one.
	Prior *Gamma
}

// Check returns an error that names what is wrong with a belief about noise, or nil.
func (n Noise) Check() error {
	if !(n.Min > 0 && n.Min <= n.Max) || math.IsInf(n.Max, 1) {
		return fmt.Errorf("gp: noise variance between %v and %v; give finite bounds above zero, the lower one first", n.Min, n.Max)
	}
	if n.Prior != nil && !(n.Prior.Shape > 0 && n.Prior.Rate > 0 && !math.IsInf(n.Prior.Shape+n.Prior.Rate, 1)) {
		return fmt.Errorf("gp: noise prior %+v; shape and rate must be finite and above zero", *n.Prior)
	}
	return nil
}

// The priors of MATH.md (2), which are the priors of the paper's reference code.
var (
	lengthscalePrior = Gamma{Shape: 3, Rate: 6}
	outputscalePrior = Gamma{Shape: 2, Rate: 0.15}

	// Deterministic is for evaluations that return the same value when they are repeated: a narrow box.
	Deterministic = Noise{Min: 1e-4, Max: 1e-3}

	// Noisy is for evaluations that do not return the same value: a Gamma prior with a floor.
	Noisy = Noise{Min: 1e-4, Max: 1e2, Prior: &Gamma{Shape: 1.1, Rate: 0.05}}
)

// Standard is an affine change of units: y = Shift + Scale·t, where the
// standardised targets t have mean 0 and sample standard deviation 1.
type Standard struct {
	// Shift is the mean of the targets.
	Shift float64 `json:"shift"`

	// Scale is their standard deviation.
	Scale float64 `json:"scale"`
}

// The range of scales in use. Their inverses are finite, with room for the slopes of logarithms,
// which are many times 1/scale.
const minScale, maxScale = 1e-300, math.MaxFloat64

// Standardise returns the change of units for y: its mean and its sample standard
// deviation (n−1). A single target, or equal targets, have no spread to divide by. Their scale is
// 1, or more if 1 is below their last digits. Finite targets of any size give a finite scale whose
// inverse is finite too.
func Standardise(y []float64) Standard {
	largest := 0.0
	for _, v := range y {
		largest = math.Max(largest, math.Abs(v))
	}
	if largest == 0 {
		return Standard{Scale: 1}
	}
	// Sums are taken of y/largest, which can neither overflow nor lose a target
	// of 1e-300 to underflow when it is squared.
	mean := 0.0
	for _, v := range y {
		mean += v / largest / float64(len(y))
	}
	squares := 0.0
	for _, v := range y {
		d := v/largest - mean
		squares += d * d
	}
	sd := math.Sqrt(squares / math.Max(float64(len(y)-1), 1))
	// Targets that agree up to the last few bits count as equal: the difference is rounding.
	const rounding = 1e-13
	if sd <= rounding {
		return Standard{Shift: y[0], Scale: math.Max(1, rounding*largest)}
	}
	return Standard{Shift: mean * largest, Scale: math.Min(math.Max(sd*largest, minScale), maxScale)}
}

// To returns the standardised target of y.
func (s Standard) To(y float64) float64 {
	// Divide before subtracting: y − Shift may overflow where the quotient does not.
	return y/s.Scale - s.Shift/s.Scale
}

// From returns y in its own units.
func (s Standard) From(t float64) float64 { return s.Shift + s.Scale*t }

// square returns a variance, or anything in the units of a variance, in the square of y's own
// units. It may overflow to ±Inf or underflow to 0, but 0 stays 0.
func (s Standard) square(v float64) float64 { return s.Scale * (s.Scale * v) }
