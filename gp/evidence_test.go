package gp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
)

// someEvidence returns the evidence of wavy data in which one datum occurs twice.
func someEvidence(rng *rand.Rand, n, dim int, kernel Kernel, noise Noise, weight float64) (*evidence, [][]float64, []float64) {
	x := cloud(rng, n, dim)
	y := wavy(x)
	if n > 2 {
		x[n-1] = x[0]
	}
	s := Standardise(y)
	targets := make([]float64, n)
	for i := range y {
		targets[i] = s.To(y[i])
	}
	return newEvidence(x, targets, dim, Settings{Kernel: kernel, Noise: &noise, PriorWeight: weight}), x, targets
}

func someTheta(rng *rand.Rand, dim int) []float64 {
	h := someHyper(rng, dim)
	var theta []float64
	for _, l := range h.Lengthscales {
		theta = append(theta, math.Log(l))
	}
	return append(theta, math.Log(h.Outputscale), math.Log(h.Noise))
}

func TestEvidenceGradient(t *testing.T) {
	for name, noise := range map[string]Noise{"deterministic": Deterministic, "noisy": Noisy} {
		for i, weight := range []float64{1, 2, 1, 2, 1, 2} {
			for _, c := range []struct{ n, dim int }{{1, 1}, {2, 2}, {5, 3}, {8, 1}, {17, 4}, {40, 6}} {
				kernel := kernels[i/2]
				t.Run(fmt.Sprintf("%s,kernel=%v,weight=%v,n=%d,d=%d", name, kernel, weight, c.n, c.dim), func(t *testing.T) {
					rng := newRand(uint64(c.n))
					e, _, _ := someEvidence(rng, c.n, c.dim, kernel, noise, weight)
					for range 2 {
						gradcheck.Check(t, e.eval, someTheta(rng, c.dim), gradcheck.Settings{})
						for i, v := range e.y { // and then with what a slope may explain
							e.also = append(e.also, nil)
							for _, w := range e.y[:i+1] {
								e.also[i] = append(e.also[i], 0.7*v*w)
							}
						}
					}
				})
			}
		}
	}
}

func TestEvidenceEqualsModelPlusWeightedPrior(t *testing.T) {
	var off worst
	for _, noise := range []Noise{Deterministic, Noisy} {
		for i, weight := range []float64{1, 2, 1, 2, 1, 2} {
			for _, n := range []int{1, 2, 9, 33} {
				rng := newRand(uint64(n))
				e, x, targets := someEvidence(rng, n, 3, kernels[i/2], noise, weight)
				theta := someTheta(rng, 3)
				got := e.eval(nil, theta)
				h := e.hyper(theta)
				want := New(x, targets, Standard{Scale: 1}, h).LogEvidence() + weight*noise.LogPrior(h)
				off.see(got, want, math.Max(1, math.Abs(want)))
			}
		}
	}
	t.Logf("worst deviation %.2g", off)
	if off > 1e-10 {
		t.Errorf("off by %.2g", off)
	}
}

// Lengthscales may be expected to be longer than usual.
func TestReach(t *testing.T) {
	rng := newRand(3)
	x, noise := cloud(rng, 12, 3), Deterministic
	set := Settings{Noise: &noise, PriorWeight: 1, Reach: []float64{1, 4, 0.5}}
	e := newEvidence(x, wavy(x), 3, set)
	for range 3 {
		theta := someTheta(rng, 3)
		gradcheck.Check(t, e.eval, theta, gradcheck.Settings{})
		got, h := e.eval(nil, theta), e.hyper(theta)
		if want := New(x, wavy(x), Standard{Scale: 1}, h).LogEvidence() + set.LogPrior(h); math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("log posterior %v, want %v", got, want)
		}
	}
	m, _ := Fit(nil, nil, 3, set)
	usual, _ := Fit(nil, nil, 3, Settings{Noise: &noise})
	for j, l := range m.Hyper().Lengthscales {
		if want := set.Reach[j] * usual.Hyper().Lengthscales[j]; l != want {
			t.Errorf("without data lengthscale %d is %v, want %v", j, l, want)
		}
	}
}

// The log likelihood is a parabola in the mean; the profiled mean is its top.
func TestProfiledMeanIsTheBest(t *testing.T) {
	for _, n := range []int{1, 2, 10, 30} {
		rng := newRand(uint64(n))
		e, x, targets := someEvidence(rng, n, 2, Matern52, Deterministic, 1)
		theta := someTheta(rng, 2)
		e.eval(nil, theta)
		h := e.hyper(theta)
		at := func(mean float64) float64 {
			h.Mean = mean
			return New(x, targets, Standard{Scale: 1}, h).LogEvidence()
		}
		best := h.Mean
		left, middle, right := at(best-1), at(best), at(best+1)
		top := best + (left-right)/(2*(left-2*middle+right)) // of the parabola through the three
		if !(left < middle && right < middle) || math.Abs(top-best) > 1e-7 {
			t.Errorf("n=%d: profiled mean %v, the parabola's top is at %v (%v %v %v)", n, best, top, left, middle, right)
		}
	}
}

func TestEvidenceDoesNotAllocate(t *testing.T) {
	rng := newRand(1)
	e, _, _ := someEvidence(rng, 20, 3, Matern52, Noisy, 1)
	theta, grad := someTheta(rng, 3), make([]float64, 5)
	if n := testing.AllocsPerRun(20, func() { e.eval(grad, theta) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkEvidence(b *testing.B) {
	for _, n := range []int{50, 100} {
		for _, withGrad := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/gradient=%v", n, withGrad), func(b *testing.B) {
				rng := newRand(1)
				e, _, _ := someEvidence(rng, n, 3, Matern52, Deterministic, 1)
				theta := someTheta(rng, 3)
				var grad []float64
				if withGrad {
					grad = make([]float64, len(theta))
				}
				for b.Loop() {
					e.eval(grad, theta)
				}
			})
		}
	}
}
