package gp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reached is the value that a fit reached.
func reached(r Report, weight float64) float64 { return r.LogEvidence + weight*r.LogPrior }

// drawn returns data drawn from the prior with known hyperparameters.
func drawn(rng *rand.Rand, n int, h Hyper) ([][]float64, []float64) {
	x := cloud(rng, n, len(h.Lengthscales))
	y := New(nil, nil, Standard{Scale: 1}, h).Sample(x, rng)
	for i := range y {
		y[i] += math.Sqrt(h.Noise) * rng.NormFloat64()
	}
	return x, y
}

// The median, over draws, of the fitted lengthscale divided by the true one is near 1. The prior pulls long ones
// down and short ones up, so a factor of two is all that can be expected.
func TestFitFindsTheLengthscalesDataCameFrom(t *testing.T) {
	const draws = 15
	for _, truth := range [][]float64{{0.15, 0.6}, {0.3, 0.3}, {0.5, 0.12}} {
		var ratio [2][]float64
		for seed := range uint64(draws) {
			h := Hyper{Lengthscales: truth, Outputscale: 1, Noise: 3e-4}
			x, y := drawn(newRand(seed), 50, h)
			m, _ := Fit(x, y, 2, Settings{})
			for j := range ratio {
				ratio[j] = append(ratio[j], m.Hyper().Lengthscales[j]/truth[j])
			}
		}
		for j := range ratio {
			sort.Float64s(ratio[j])
			median := ratio[j][draws/2]
			t.Logf("truth %v, input %d: median ratio %.2f, from %.2f to %.2f", truth, j, median, ratio[j][0], ratio[j][draws-1])
			if !(median > 0.5 && median < 2) {
				t.Errorf("truth %v, input %d: median ratio %v", truth, j, median)
			}
		}
	}
}

// Data drawn with one kernel are mostly likelier under that one than under the other.
func TestFitTellsSmoothFromRough(t *testing.T) {
	const draws = 20
	for _, truth := range []Kernel{Matern52, Matern32} {
		right := 0
		for seed := range uint64(draws) {
			x, y := drawn(newRand(seed), 60, Hyper{Lengthscales: []float64{0.4}, Outputscale: 1, Noise: 1e-6, Kernel: truth})
			density := func(k Kernel) float64 {
				m, _ := Fit(x, y, 1, Settings{Kernel: k, Noise: &Noise{Min: 1e-6, Max: 1e-3}})
				if m.Hyper().Kernel != k {
					t.Fatalf("asked for %v, fitted %v", k, m.Hyper().Kernel)
				}
				return m.LogDensity()
			}
			if density(truth) > density(Matern52+Matern32-truth) {
				right++
			}
		}
		t.Logf("kernel %v: %d of %d", truth, right, draws)
		if right < draws*3/4 {
			t.Errorf("kernel %v: recognised in %d of %d", truth, right, draws)
		}
	}
}

// Noise far above the deterministic box is found if it is allowed.
func TestFitFindsNoise(t *testing.T) {
	var found []float64
	for seed := range uint64(9) {
		x, y := drawn(newRand(seed), 60, Hyper{Lengthscales: []float64{0.4}, Outputscale: 1, Noise: 0.25})
		m, _ := Fit(x, y, 1, Settings{Noise: &Noisy})
		found = append(found, m.Hyper().Noise*m.Standard().Scale*m.Standard().Scale)
	}
	sort.Float64s(found)
	if median := found[len(found)/2]; !(median > 0.12 && median < 0.5) {
		t.Errorf("median noise %v of %v, truth 0.25", median, found)
	}
}

func TestFitIsNotWorseThanThePriorsModes(t *testing.T) {
	for _, noise := range []Noise{Deterministic, Noisy} {
		for _, weight := range []float64{1, 2} {
			for _, c := range []struct{ n, dim int }{{1, 1}, {2, 3}, {6, 2}, {12, 5}, {40, 3}} {
				rng := newRand(uint64(c.n))
				x := cloud(rng, c.n, c.dim)
				y := wavy(x)
				_, r := Fit(x, y, c.dim, Settings{Noise: &noise, PriorWeight: weight})
				h := (&Settings{Noise: &noise}).priorModes(c.dim)
				// The modes get the best mean, too.
				e := newEvidence(x, standardised(y), c.dim, Settings{Noise: &noise, PriorWeight: weight})
				theta := make([]float64, 0, c.dim+2)
				for _, l := range h.Lengthscales {
					theta = append(theta, math.Log(l))
				}
				modes := e.eval(nil, append(theta, math.Log(h.Outputscale), math.Log(h.Noise)))
				if got := reached(r, weight); r.Fallback || got < modes-1e-9*math.Abs(modes) {
					t.Errorf("n=%d d=%d weight %v: reached %v, the modes have %v", c.n, c.dim, weight, got, modes)
				}
			}
		}
	}
}

func standardised(y []float64) []float64 {
	s, targets := Standardise(y), make([]float64, len(y))
	for i, v := range y {
		targets[i] = s.To(v)
	}
	return targets
}

func TestFitStaysInItsBox(t *testing.T) {
	for _, noise := range []Noise{Deterministic, Noisy} {
		for seed := range uint64(6) {
			rng := newRand(seed)
			x := cloud(rng, 10, 2)
			y := make([]float64, len(x))
			for i := range y {
				y[i] = rng.NormFloat64() // nothing but noise
			}
			m, _ := Fit(x, y, 2, Settings{Noise: &noise})
			h := m.Hyper()
			if !(h.Noise >= noise.Min*(1-1e-12) && h.Noise <= noise.Max*(1+1e-12)) {
				t.Errorf("noise %v", h.Noise)
			}
			for _, l := range h.Lengthscales {
				if !(l >= minLengthscale*(1-1e-12) && l <= maxLengthscale*(1+1e-12)) {
					t.Errorf("lengthscale %v", l)
				}
			}
		}
	}
}

func TestFitIsDeterministic(t *testing.T) {
	rng := newRand(3)
	x := cloud(rng, 25, 3)
	y := wavy(x)
	s := Settings{Starts: 6, Seed: 11}
	a, ra := Fit(x, y, 3, s)
	b, rb := Fit(x, y, 3, s)
	if d := cmp.Diff(a.Hyper(), b.Hyper()) + cmp.Diff(ra, rb); d != "" {
		t.Error(d)
	}
}

func TestWarmStartIsNotWorse(t *testing.T) {
	for seed := range uint64(5) {
		rng := newRand(seed)
		x := cloud(rng, 30, 3)
		y := wavy(x)
		before, _ := Fit(x[:29], y[:29], 3, Settings{})
		h := before.Hyper()
		_, cold := Fit(x, y, 3, Settings{})
		_, warm := Fit(x, y, 3, Settings{Warm: &h})
		if reached(warm, 1) < reached(cold, 1)-1e-9 {
			t.Errorf("seed %d: warm %v, cold %v", seed, reached(warm, 1), reached(cold, 1))
		}
	}
}

func TestWarmStartIsTriedFirst(t *testing.T) {
	warm := Hyper{Lengthscales: []float64{0.7, 0.2}, Outputscale: 2, Noise: 2e-4}
	f := newFitter(2, Settings{Noise: &Deterministic, Starts: 5, Warm: &warm})
	starts := f.starts()
	if len(starts) != 6 || !cmp.Equal(starts[0], warm) || !cmp.Equal(starts[1], (&Settings{Noise: &Deterministic}).priorModes(2)) {
		t.Errorf("starts %+v", starts)
	}
}

// A warm start that makes no sense does no harm.
func TestUselessWarmStartIsIgnored(t *testing.T) {
	rng := newRand(1)
	x := cloud(rng, 10, 2)
	y := wavy(x)
	_, cold := Fit(x, y, 2, Settings{})
	for name, h := range map[string]Hyper{
		"other dimension": {Lengthscales: []float64{1}, Outputscale: 1, Noise: 1e-4},
		"NaN":             {Lengthscales: []float64{math.NaN(), 1}, Outputscale: 1, Noise: 1e-4},
		"zero":            {Lengthscales: []float64{0, 1}, Outputscale: 0, Noise: 0},
		"infinite":        {Lengthscales: []float64{1, math.Inf(1)}, Outputscale: math.Inf(1), Noise: 1},
	} {
		_, warm := Fit(x, y, 2, Settings{Warm: &h})
		if !(reached(warm, 1) >= reached(cold, 1)-1e-9) {
			t.Errorf("%s: %v, without %v", name, reached(warm, 1), reached(cold, 1))
		}
	}
}

func BenchmarkFit(b *testing.B) {
	for _, n := range []int{10, 50, 100} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			x := cloud(newRand(1), n, 3)
			y := wavy(x)
			for b.Loop() {
				Fit(x, y, 3, Settings{})
			}
		})
	}
}
