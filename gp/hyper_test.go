package gp

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/eke-bo/eke/internal/gradcheck"
)

func TestGammaEqualsGonum(t *testing.T) {
	for _, g := range []Gamma{lengthscalePrior, outputscalePrior, *Noisy.Prior} {
		twin := distuv.Gamma{Alpha: g.Shape, Beta: g.Rate}
		for _, v := range []float64{1e-6, 0.01, 0.3, 1, 5, 40} {
			got, _ := g.LogDensity(v)
			if want := twin.LogProb(v); math.Abs(got-want) > 1e-12*math.Max(1, math.Abs(want)) {
				t.Errorf("%v at %v: %v, want %v", g, v, got, want)
			}
			gradcheck.Check(t, func(grad, x []float64) float64 {
				p, d := g.LogDensity(math.Exp(x[0]))
				if grad != nil {
					grad[0] = d
				}
				return p
			}, []float64{math.Log(v)}, gradcheck.Settings{})
		}
		if got, want := g.Mode(), twin.Mode(); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: mode %v, want %v", g, got, want)
		}
	}
}

// The priors, written out.
func TestLogPriorIsTheSumOverHyperparameters(t *testing.T) {
	h := Hyper{Lengthscales: []float64{0.2, 0.7}, Outputscale: 3, Noise: 5e-4, Mean: 12}
	gamma := func(shape, rate, v float64) float64 { return distuv.Gamma{Alpha: shape, Beta: rate}.LogProb(v) }
	want := gamma(3, 6, 0.2) + gamma(3, 6, 0.7) + gamma(2, 0.15, 3)
	if got := Deterministic.LogPrior(h); math.Abs(got-want) > 1e-12 {
		t.Errorf("deterministic: %v, want %v", got, want)
	}
	want += gamma(1.1, 0.05, 5e-4)
	if got := Noisy.LogPrior(h); math.Abs(got-want) > 1e-12 {
		t.Errorf("noisy: %v, want %v", got, want)
	}
}
