package gp

import (
	"fmt"
	"math"
	"testing"
)

func TestConditionEqualsNew(t *testing.T) {
	const chain = 9
	var mean, variance, evidence worst
	for _, c := range []struct{ n, dim int }{{0, 1}, {1, 2}, {3, 3}, {8, 2}, {30, 4}} {
		rng := newRand(uint64(50 + c.n))
		x := cloud(rng, c.n+chain, c.dim)
		x[c.n+4] = x[c.n+1] // a point conditioned on twice
		if c.n > 0 {
			x[c.n+6] = x[0] // and a point that is a datum
		}
		y := wavy(x)
		y[c.n+4] += 0.3
		s, h := Standardise(y[:c.n]), someHyper(rng, c.dim)
		m := New(x[:c.n], y[:c.n], s, h)
		points := append(cloud(rng, 5, c.dim), x[c.n+1])
		for k := c.n; k < len(x); k++ {
			m = m.Condition(x[k], y[k])
			want := New(x[:k+1], y[:k+1], s, h)
			if m.Len() != k+1 || m.Dim() != c.dim || m.Standard() != s {
				t.Fatalf("%d data, %d inputs, standard %v", m.Len(), m.Dim(), m.Standard())
			}
			for _, p := range points {
				gotMean, gotVar := m.Posterior(p)
				wantMean, wantVar := want.Posterior(p)
				mean.see(gotMean, wantMean, s.Scale)
				variance.see(gotVar, wantVar, s.Scale*s.Scale)
			}
			evidence.see(m.LogEvidence(), want.LogEvidence(), math.Max(1, math.Abs(want.LogEvidence())))
		}
	}
	t.Logf("worst deviations: mean %.2g, variance %.2g, log evidence %.2g", mean, variance, evidence)
	if mean > 1e-9 || variance > 1e-9 || evidence > 1e-9 {
		t.Errorf("deviations: mean %.2g, variance %.2g, log evidence %.2g", mean, variance, evidence)
	}
}

func TestConditionLeavesTheModelAlone(t *testing.T) {
	rng := newRand(1)
	m := someModel(rng, 7, 2)
	p := []float64{0.4, 0.6}
	mean, variance := m.Posterior(p)
	m.Condition(p, 100)
	if a, b := m.Posterior(p); a != mean || b != variance || m.Len() != 7 {
		t.Error("the model changed")
	}
}

// A model keeps none of its caller's slices, and Hyper returns none of its own.
func TestModelCopiesWhatItIsGiven(t *testing.T) {
	rng := newRand(2)
	x := cloud(rng, 6, 2)
	y := wavy(x)
	h := someHyper(rng, 2)
	m := New(x, y, Standardise(y), h)
	mean, variance := m.Posterior([]float64{0.5, 0.5})
	x[0][0], y[0], h.Lengthscales[0] = 9, 9, 9
	m.Hyper().Lengthscales[0] = 9
	if a, b := m.Posterior([]float64{0.5, 0.5}); a != mean || b != variance {
		t.Error("the model changed with its arguments")
	}
}

func TestNewRefusesWrongShapes(t *testing.T) {
	h := Hyper{Lengthscales: []float64{1, 1}, Outputscale: 1, Noise: 1e-4}
	with := func(change func(*Hyper)) Hyper {
		c := h
		c.Lengthscales = []float64{1, 1}
		change(&c)
		return c
	}
	one := [][]float64{{0, 0}}
	for name, f := range map[string]func(){
		"more targets than inputs": func() { New(one, []float64{1, 2}, Standard{Scale: 1}, h) },
		"short datum":              func() { New([][]float64{{0}}, []float64{1}, Standard{Scale: 1}, h) },
		"no noise":                 func() { New(one, []float64{1}, Standard{Scale: 1}, with(func(h *Hyper) { h.Noise = 0 })) },
		"negative outputscale":     func() { New(one, []float64{1}, Standard{Scale: 1}, with(func(h *Hyper) { h.Outputscale = -1 })) },
		"lengthscale NaN": func() {
			New(one, []float64{1}, Standard{Scale: 1}, with(func(h *Hyper) { h.Lengthscales[1] = math.NaN() }))
		},
		"lengthscale infinite": func() {
			New(one, []float64{1}, Standard{Scale: 1}, with(func(h *Hyper) { h.Lengthscales[0] = math.Inf(1) }))
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// If there is too little noise for rounding, the model raises it and says so.
func TestNewRaisesNoiseUntilItCanFactor(t *testing.T) {
	x := make([][]float64, 40)
	y := make([]float64, len(x))
	for i := range x {
		x[i], y[i] = []float64{0.5}, float64(i%3)
	}
	m := New(x, y, Standardise(y), Hyper{Lengthscales: []float64{1}, Outputscale: 1, Noise: 1e-30})
	if noise := m.Hyper().Noise; !(noise > 1e-20 && noise < 1e-10) {
		t.Errorf("noise %v", noise)
	}
	if mean, variance := m.Posterior([]float64{0.5}); !isFinite(mean) || !(variance >= 0) {
		t.Errorf("posterior %v, %v", mean, variance)
	}
}

func BenchmarkCondition(b *testing.B) {
	for _, n := range []int{20, 50, 100, 200} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			m := someModel(newRand(1), n, 3)
			p := []float64{0.2, 0.5, 0.7}
			for b.Loop() {
				m.Condition(p, 3)
			}
		})
	}
}

// The surprise of a new observation is its distance from the forecast, in standard deviations of what is observed.
func TestSurpriseEqualsForecastError(t *testing.T) {
	rng := newRand(4)
	x := cloud(rng, 20, 2)
	y := wavy(x)
	s, h := Standardise(y), someHyper(rng, 2)
	want := 0.0
	for i := len(x) - 1; i >= 0; i-- {
		before := New(x[:i], y[:i], s, h)
		mean, variance := before.Posterior(x[i])
		sd := math.Sqrt(variance + h.Noise*s.Scale*s.Scale)
		want = math.Max(want, math.Abs(y[i]-mean)/sd)
		if got := New(x, y, s, h).Surprise(i); math.Abs(got-want) > 1e-8*want {
			t.Errorf("from %d on the surprise is %v, forecasts say %v", i, got, want)
		}
	}
	if got := New(x, y, s, h).Surprise(len(x)); got != 0 {
		t.Errorf("no observation surprises by %v", got)
	}
}

func TestFittedEqualsPosteriorAtTheData(t *testing.T) {
	rng := newRand(6)
	x := cloud(rng, 30, 3)
	y := wavy(x)
	m := New(x, y, Standardise(y), someHyper(rng, 3))
	for i, got := range m.Fitted() {
		if want, _ := m.Posterior(x[i]); math.Abs(got-want) > 1e-8 {
			t.Errorf("datum %d: %v, the posterior mean is %v", i, got, want)
		}
	}
}

// To believe in a point is to condition on the posterior mean there: that leaves all means as they are.
func TestBelieve(t *testing.T) {
	x, y := []([]float64){{0.1, 0.2}, {0.7, 0.4}, {0.5, 0.9}}, []float64{3, 5, 4}
	m := New(x, y, Standardise(y), Hyper{Lengthscales: []float64{0.5, 0.8}, Outputscale: 1.5, Noise: 1e-3, Mean: 0.2})
	at, other := []float64{0.3, 0.6}, []float64{0.9, 0.1}
	c, mean, sd := m.Believe(at)
	if wantMean, wantSD := m.PosteriorSD(at); mean != wantMean || sd != wantSD {
		t.Errorf("%v ± %v, want %v ± %v", mean, sd, wantMean, wantSD)
	}
	want := m.Condition(at, mean)
	for _, p := range [][]float64{at, other} {
		got, variance := c.Posterior(p)
		before, uncertain := m.Posterior(p)
		if a, b := want.Posterior(p); got != a || variance != b {
			t.Errorf("at %v: %v with %v, want %v with %v", p, got, variance, a, b)
		}
		if math.Abs(got-before) > 1e-9 || variance >= uncertain {
			t.Errorf("at %v: %v with %v, before %v with %v", p, got, variance, before, uncertain)
		}
	}
}
