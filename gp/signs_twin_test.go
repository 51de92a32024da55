package gp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// slowSigns are the sites by sweeps in the plainest words: the whole covariance changes with every site.
func slowSigns(kernel [][]float64, signs []float64, prior float64) (precision, shift []float64) {
	n := len(signs)
	precision, shift = make([]float64, n), make([]float64, n)
	cov, mean := make([][]float64, n), make([]float64, n)
	for i := range cov {
		cov[i] = append([]float64(nil), kernel[i]...)
	}
	for range mostSweeps {
		largest := 0.0
		for i, sign := range signs {
			own := cov[i][i]
			rest := 1/own - precision[i]
			m, v := (mean[i]/own-shift[i])/rest+prior, 1/rest
			target, a, _ := site(sign, m, v)
			p := a / math.Max(1-a*v, 1e-9)
			more, other := p-precision[i], p*(target-prior)-shift[i]
			precision[i], shift[i] = p, p*(target-prior)
			column, weight := append([]float64(nil), cov[i]...), 1/(1+more*own)
			at := mean[i]
			for j := range n {
				mean[j] += (other - more*at) * weight * column[j]
				for k := range n {
					cov[j][k] -= more * weight * column[j] * column[k]
				}
			}
			largest = math.Max(largest, math.Abs(more)/(p+1e-6))
		}
		if largest < settled {
			break
		}
	}
	return precision, shift
}

// Sweeps by blocks find what plain ones do, whatever the number of signs; and what was settled before is a start that leads to the same chance of all signs, with
// the model or without.
func TestSignsEqualTheirTwin(t *testing.T) {
	for _, n := range []int{1, 5, 8, 19, 44} {
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		x, signs := make([][]float64, n), make([]float64, n)
		for i := range x {
			x[i] = []float64{rng.Float64(), rng.Float64()}
			if signs[i] = 1; x[i][0]+0.3*rng.Float64() > 0.7 {
				signs[i] = -1
			}
		}
		h := Hyper{Lengthscales: []float64{0.4, 0.9}, Outputscale: 30, Mean: 3}
		s := NewSigns(x, signs)
		_, evidence := s.Fit(h)
		kernel := make([][]float64, n)
		for i := range kernel {
			kernel[i] = s.kernel[i*s.ld : i*s.ld+n]
		}
		precision, shift := slowSigns(kernel, signs, h.Mean)
		for i, p := range precision {
			if math.Abs(s.precision[i]-p) > 1e-7*(1+p) || math.Abs(s.shift[i]-shift[i]) > 1e-7*(1+math.Abs(shift[i])) {
				t.Fatalf("%d signs: site %d is %v, %v, want %v, %v", n, i, s.precision[i], s.shift[i], p, shift[i])
			}
		}
		if again := s.Evidence(h); math.Abs(again-evidence) > 0.02 {
			t.Errorf("%d signs: the log chance is %v, and from there %v", n, evidence, again)
		}
		if fresh := NewSigns(x, signs).Evidence(h); fresh != evidence {
			t.Errorf("%d signs: the log chance is %v with a model, %v without", n, evidence, fresh)
		}
	}
}
