package gp

import (
	"fmt"
	"math"

	"github.com/eke-bo/eke/internal/simd"
)

// Hyper are the hyperparameters of one output, on standardised targets.
type Hyper struct {
	Lengthscales []float64 `json:"lengthscales"` // ℓ, one an input
	Outputscale  float64   `json:"outputscale"`  // s, the prior variance
	Noise        float64   `json:"noise"`        // τ², the variance of the observation noise
	Mean         float64   `json:"mean"`         // m, the constant prior mean
	Kernel       Kernel    `json:"kernel,omitempty"`
}

// Kernel is the shape of correlations, MATH.md (1): how smooth a function is believed to be.
type Kernel int

const (
	Matern52 Kernel = iota // two derivatives: the usual belief
	Matern32               // one: for functions with edges and cusps
)

// rows turns squared scaled distances into covariances and their derivative factors; see simd.Matern52.
func (k Kernel) rows(cov, g, r2 []float64, scale float64) {
	if k == Matern32 {
		simd.Matern32(cov, g, r2, scale)
		return
	}
	simd.Matern52(cov, g, r2, scale)
}

func (h Hyper) check(dim int) {
	if len(h.Lengthscales) != dim {
		panic(fmt.Sprintf("gp: %d lengthscales for %d inputs", len(h.Lengthscales), dim))
	}
	for _, v := range append([]float64{h.Outputscale, h.Noise}, h.Lengthscales...) {
		if !(v > 0) || math.IsInf(v, 1) {
			panic(fmt.Sprintf("gp: hyperparameters must be positive and finite: %+v", h))
		}
	}
}

// Gamma is a Gamma distribution given by shape and rate.
type Gamma struct{ Shape, Rate float64 }

// LogDensity returns ln p(v) and its derivative with respect to ln v.
func (g Gamma) LogDensity(v float64) (logp, dLogV float64) {
	norm, _ := math.Lgamma(g.Shape)
	logp = g.Shape*math.Log(g.Rate) - norm + (g.Shape-1)*math.Log(v) - g.Rate*v
	return logp, g.Shape - 1 - g.Rate*v
}

// Mode returns where the density is largest.
func (g Gamma) Mode() float64 { return (g.Shape - 1) / g.Rate }

// Noise says what is believed of the observation noise τ² before seeing data.
type Noise struct {
	Min, Max float64 // box for τ²
	Prior    *Gamma  // nil: flat inside the box
}

// Check names what is wrong with a belief about noise.
func (n Noise) Check() error {
	if !(n.Min > 0 && n.Min <= n.Max) || math.IsInf(n.Max, 1) {
		return fmt.Errorf("gp: noise variance between %v and %v; give finite bounds above zero, the lower one first", n.Min, n.Max)
	}
	if n.Prior != nil && !(n.Prior.Shape > 0 && n.Prior.Rate > 0 && !math.IsInf(n.Prior.Shape+n.Prior.Rate, 1)) {
		return fmt.Errorf("gp: noise prior %+v; shape and rate must be finite and above zero", *n.Prior)
	}
	return nil
}

// The priors of MATH.md (2), those of the paper's reference code. The noise is a box
// for deterministic evaluations and a Gamma with a floor for noisy ones.
var (
	lengthscalePrior = Gamma{Shape: 3, Rate: 6}
	outputscalePrior = Gamma{Shape: 2, Rate: 0.15}

	Deterministic = Noise{Min: 1e-4, Max: 1e-3}
	Noisy         = Noise{Min: 1e-4, Max: 1e2, Prior: &Gamma{Shape: 1.1, Rate: 0.05}}
)

// LogPrior returns ln p(h). The mean has a flat prior.
func (n Noise) LogPrior(h Hyper) float64 {
	sum, _ := outputscalePrior.LogDensity(h.Outputscale)
	for _, l := range h.Lengthscales {
		p, _ := lengthscalePrior.LogDensity(l)
		sum += p
	}
	if n.Prior != nil {
		p, _ := n.Prior.LogDensity(h.Noise)
		sum += p
	}
	return sum
}
