package gp_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/normal"
)

// signsBySampling returns the chance of all signs, and given these that of a sign above zero at other points, by counting draws of f from its prior.
func signsBySampling(x [][]float64, signs []float64, h gp.Hyper, at [][]float64) (all float64, above []float64) {
	h.Noise = 1e-6
	sampler := gp.New(nil, nil, gp.Standard{Scale: 1}, h).NewSampler(slices.Concat(x, at))
	rng := rand.New(rand.NewPCG(1, 2))
	const draws = 40000
	above = make([]float64, len(at))
	for range draws {
		f, p := sampler.Draw(rng), 1.0
		for i, s := range signs {
			p *= normal.CDF(s * f[i])
		}
		all += p
		for i := range above {
			above[i] += p * normal.CDF(f[len(signs)+i])
		}
	}
	for i := range above {
		above[i] /= all
	}
	return all / draws, above
}

// Expectation propagation finds the chances that draws have, from wherever it begins.
func TestSignsAreLikeDraws(t *testing.T) {
	x, signs := [][]float64{{0.1, 0.2}, {0.4, 0.9}, {0.6, 0.5}, {0.8, 0.1}, {0.85, 0.3}}, []float64{1, 1, -1, -1, 1}
	at := [][]float64{{0.7, 0.3}, {0.3, 0.5}, {0.95, 0.9}}
	s := gp.NewSigns(x, signs)
	for _, h := range []gp.Hyper{
		{Lengthscales: []float64{0.5, 1}, Outputscale: 9, Mean: 2}, {Lengthscales: []float64{0.2, 0.4}, Outputscale: 1, Mean: 1}, {Lengthscales: []float64{2, 1}, Outputscale: 100, Mean: 3},
	} {
		m, evidence := s.Fit(h)
		all, above := signsBySampling(x, signs, h, at)
		if math.Abs(evidence-math.Log(all)) > 0.1 {
			t.Errorf("%v: the signs have the log chance %.3f, and by draws %.3f", h, evidence, math.Log(all))
		}
		for i, want := range above {
			mean, variance := m.Posterior(at[i])
			if got := normal.CDF(mean / math.Sqrt(1+variance)); math.Abs(got-want) > 0.05 {
				t.Errorf("%v: the chance at %v is %.3f, and by draws %.3f", h, at[i], got, want)
			}
		}
	}
}

// An edge that is a plane is learnt everywhere from signs somewhere: with long lengthscales and a high function, almost exactly.
func TestSignsLearnAPlane(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var x [][]float64
	var signs []float64
	for range 60 {
		p := []float64{rng.Float64(), rng.Float64()}
		x, signs = append(x, p), append(signs, math.Copysign(1, 1.1-p[0]-p[1]))
	}
	m, _ := gp.NewSigns(x, signs).Fit(gp.Hyper{Lengthscales: []float64{2, 2}, Outputscale: 1e4, Mean: 100})
	right := 0
	for range 1000 {
		p := []float64{rng.Float64(), rng.Float64()}
		if mean, _ := m.Posterior(p); mean > 0 == (p[0]+p[1] < 1.1) {
			right++
		}
	}
	if right < 970 {
		t.Errorf("%d of 1000 points are on the right side", right)
	}
}

// A pool that imagines a sign says what a model does that has seen it.
func TestPoolOfSigns(t *testing.T) {
	x, signs := [][]float64{{0.1}, {0.9}}, []float64{1, -1}
	h := gp.Hyper{Lengthscales: []float64{0.5}, Outputscale: 25, Mean: 5}
	m, _ := gp.NewSigns(x, signs).Fit(h)
	points := [][]float64{{0.5}, {0.3}, {0.7}}
	p := m.NewPool(points, 1)
	p.ObserveSign(0, -1)
	seen, _ := gp.NewSigns(append(x, points[0]), append(signs, -1)).Fit(h)
	for i, at := range points {
		mean, variance := seen.Posterior(at)
		want, got := normal.CDF(mean/math.Sqrt(1+variance)), normal.CDF(p.Mean[i]/math.Sqrt(1+p.Var[i]))
		if math.Abs(got-want) > 0.05 {
			t.Errorf("after a failure is imagined, the chance at %v is %.2f, and after it was seen %.2f", at, got, want)
		}
	}
}

// BenchmarkSigns searches among hyperparameters, as a study with a hundred signs does for every result.
func BenchmarkSigns(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	x, signs := make([][]float64, 100), make([]float64, 100)
	for i := range x {
		x[i] = []float64{rng.Float64(), rng.Float64(), rng.Float64()}
		if signs[i] = 1; x[i][0]+x[i][1] > 1.1 {
			signs[i] = -1
		}
	}
	for b.Loop() {
		s := gp.NewSigns(x, signs)
		for _, length := range []float64{0.5, 1, 2} {
			for _, height := range []float64{1, 10, 100, 1000} {
				s.Evidence(gp.Hyper{Lengthscales: []float64{length, length, length}, Outputscale: height * height, Mean: height})
			}
		}
	}
}
