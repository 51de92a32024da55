package gp

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
)

// posteriorFuncs are the functions of posterior.go with the signature that the checker expects. The
// argument of the covariance is both points.
func posteriorFuncs(m *Model) map[string]gradcheck.Func {
	return map[string]gradcheck.Func{
		"mean": func(grad, x []float64) float64 {
			mean, _, dMean, _ := m.PosteriorGrad(x)
			copy(grad, dMean)
			return mean
		},
		"variance": func(grad, x []float64) float64 {
			_, variance, _, dVar := m.PosteriorGrad(x)
			copy(grad, dVar)
			return variance
		},
		"covariance": func(grad, xy []float64) float64 {
			cov, dx, dy := m.CovarianceGrad(xy[:m.Dim()], xy[m.Dim():])
			if grad != nil {
				copy(grad, dx)
				copy(grad[m.Dim():], dy)
			}
			return cov
		},
	}
}

func TestPosteriorGradients(t *testing.T) {
	for _, c := range []struct{ n, dim int }{{0, 1}, {1, 2}, {6, 1}, {20, 3}, {40, 5}} {
		rng := newRand(uint64(c.n))
		x := cloud(rng, c.n, c.dim)
		y := wavy(x)
		m := New(x, y, Standardise(y), someHyper(rng, c.dim))
		funcs := posteriorFuncs(m)
		points := cloud(rng, 3, c.dim)
		if c.n > 0 {
			points = append(points, x[0])
		}
		for i, p := range points {
			gradcheck.Check(t, funcs["variance"], p, gradcheck.Settings{})
			gradcheck.Check(t, funcs["mean"], p, gradcheck.Settings{})
			for _, q := range points[:i+1] { // the point itself too
				gradcheck.Check(t, funcs["covariance"], flatten([][]float64{p, q}), gradcheck.Settings{})
			}
		}
	}
}

func TestPosteriorWithGradientEqualsWithout(t *testing.T) {
	rng := newRand(4)
	m := someModel(rng, 15, 3)
	for _, p := range cloud(rng, 10, 3) {
		mean, variance := m.Posterior(p)
		meanG, varianceG, _, _ := m.PosteriorGrad(p)
		if mean != meanG || variance != varianceG {
			t.Errorf("%v, %v without gradients and %v, %v with", mean, variance, meanG, varianceG)
		}
		q := []float64{0.5, 0.5, 0.5}
		if cov, _, _ := m.CovarianceGrad(p, q); cov != m.Covariance(p, q) {
			t.Errorf("covariance %v without gradients and %v with", m.Covariance(p, q), cov)
		}
	}
}

// The first two moments of many joint draws, within five standard errors.
func TestSampleHasTheMomentsOfThePosterior(t *testing.T) {
	const draws = 20000
	for _, n := range []int{0, 5} {
		rng := newRand(uint64(100 + n))
		m := someModel(rng, n, 2)
		points := cloud(rng, 4, 2)
		points[3] = points[1] // a point twice: the same value twice
		sum, squares := make([]float64, 4), make([]float64, 16)
		means := make([]float64, 4)
		for i, p := range points {
			means[i], _ = m.Posterior(p)
		}
		for range draws {
			f := m.Sample(points, rng)
			if d := math.Abs(f[1] - f[3]); d > 1e-4*m.Standard().Scale {
				t.Fatalf("two values %v, %v at the same point", f[1], f[3])
			}
			for i := range f {
				sum[i] += f[i] - means[i]
				for j := range f {
					squares[4*i+j] += (f[i] - means[i]) * (f[j] - means[j])
				}
			}
		}
		for i, p := range points {
			_, vi := m.Posterior(p)
			if off, se := sum[i]/draws, math.Sqrt(vi/draws); math.Abs(off) > 5*se {
				t.Errorf("n=%d: mean of draws at point %d is off by %v, standard error %v", n, i, off, se)
			}
			for j, q := range points {
				_, vj := m.Posterior(q)
				want := m.Covariance(p, q)
				se := math.Sqrt((vi*vj + want*want) / draws)
				if got := squares[4*i+j] / draws; math.Abs(got-want) > 5*se {
					t.Errorf("n=%d: covariance of draws at %d, %d is %v, want %v ± %v", n, i, j, got, want, se)
				}
			}
		}
	}
}
