package gp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
)

// someLevels returns levels of data, with the lowest and the top among them.
func someLevels(rng *rand.Rand, n int) []float64 {
	levels := make([]float64, n)
	for i := range levels {
		levels[i] = []float64{1, 0, 0.25, 0.5, rng.Float64()}[i%5]
	}
	return levels
}

func someFading(rng *rand.Rand) *Fading {
	return &Fading{0.5 + 2*rng.Float64(), 0.2 + rng.Float64(), 0.5 + 3*rng.Float64(), 0.5 + 1.5*rng.Float64(), 0.1 + 0.6*rng.Float64()}
}

// withLevel returns the points with the level as a last entry, as the slow twin has them.
func withLevel(x [][]float64, levels ...float64) [][]float64 {
	out := make([][]float64, len(x))
	for i, p := range x {
		out[i] = append(slices.Clone(p), levels[i%len(levels)])
	}
	return out
}

// What a model says about any level, and about two levels together, is what the textbook says of one more input.
func TestLevelsEqualTextbook(t *testing.T) {
	const rows = 4
	var mean, cov, evidence worst
	for i, c := range slices.Concat(twinSizes, twinSizes, twinSizes) {
		rng := newRand(uint64(c.n))
		x, levels := cloud(rng, c.n, c.dim), someLevels(rng, c.n)
		y := wavy(x)
		h := someHyper(rng, c.dim)
		h.Kernel, h.Fading = kernels[i/len(twinSizes)], someFading(rng)
		top := NewAt(x, levels, y, Standard{Scale: 1}, h)
		twin := newNaive(t, withLevel(x, levels...), y, h)
		points := cloud(rng, rows, c.dim)
		points[1] = x[0]
		tops := top.NewBatch(rows, nil)
		tops.Forward(flatten(points), false)
		for _, level := range []float64{1, 0, 0.4} {
			b, here := top.At(level).NewBatch(rows, allPairs(rows)), withLevel(points, level)
			b.Forward(flatten(points), false)
			across := make([]float64, rows*rows)
			b.CovarianceWith(tops, across)
			for i, p := range here {
				mean.see(b.Mean[i], twin.mean(p), 1)
				cov.see(b.Var[i], twin.covariance(p, p), 1)
				for j, q := range withLevel(points, 1) {
					cov.see(across[i*rows+j], twin.covariance(p, q), 1)
				}
			}
			for k, ij := range allPairs(rows) {
				cov.see(b.Cov[k], twin.covariance(here[ij[0]], here[ij[1]]), 1)
			}
		}
		evidence.see(top.LogEvidence(), twin.logEvidence(), math.Max(1, math.Abs(twin.logEvidence())))
	}
	t.Logf("worst deviations: mean %.2g, covariance %.2g, log evidence %.2g (relative)", mean, cov, evidence)
	if mean > 1e-8 || cov > 1e-8 || evidence > 1e-10 {
		t.Errorf("deviations: mean %.2g, covariance %.2g, log evidence %.2g", mean, cov, evidence)
	}
}

// A model that gained an observation at a level is the model of all the data.
func TestConditionAtALevel(t *testing.T) {
	var off worst
	for _, level := range []float64{0, 0.4, 1} {
		rng := newRand(3)
		x, levels := cloud(rng, 12, 3), someLevels(rng, 12)
		y, h := wavy(x), someHyper(rng, 3)
		h.Fading = someFading(rng)
		levels[11] = level
		s := Standardise(y)
		short := NewAt(x[:11], levels[:11], y[:11], s, h)
		full, grown := NewAt(x, levels, y, s, h), short.At(level).Condition(x[11], y[11])
		for _, at := range []float64{0, 0.3, 1} {
			for _, p := range cloud(rng, 5, 3) {
				m1, v1 := full.At(at).Posterior(p)
				m2, v2 := grown.At(at).Posterior(p)
				off.see(m2, m1, 1)
				off.see(v2, v1, 1)
			}
		}
	}
	if off > 1e-9 {
		t.Errorf("off by %.2g", off)
	}
}

// What is known of the levels is added to what a model says of them, and taken off what it learns there.
func TestRising(t *testing.T) {
	rng := newRand(5)
	x, levels := cloud(rng, 12, 2), someLevels(rng, 12)
	h := someHyper(rng, 2)
	h.Fading = someFading(rng)
	rise := func(level float64) float64 { return 3 * math.Log(0.1+0.9*level) }
	plain := NewAt(x, levels, wavy(x), Standard{Shift: 2, Scale: 4}, h)
	m := plain.Rising(rise)
	point := []float64{0.3, 0.8}
	for _, level := range []float64{1, 0, 0.4} {
		want, wantVar := plain.At(level).Posterior(point)
		if mean, variance := m.At(level).Posterior(point); math.Abs(mean-want-rise(level)) > 1e-12 || variance != wantVar {
			t.Errorf("level %v: %v ± %v, without the rise %v ± %v", level, mean, variance, want, wantVar)
		}
		learnt, twin := m.At(level).Condition(point, 7+rise(level)), plain.At(level).Condition(point, 7)
		for _, other := range []float64{1, 0.2} {
			want, _ := twin.At(other).Posterior([]float64{0.5, 0.5})
			if mean, _ := learnt.At(other).Posterior([]float64{0.5, 0.5}); math.Abs(mean-want-rise(other)) > 1e-9 {
				t.Errorf("learnt at %v, at %v: %v, without the rise %v", level, other, mean, want)
			}
		}
	}
}

// The gradients at a level are those of finite differences.
func TestGradientsAtALevel(t *testing.T) {
	for _, level := range []float64{0, 0.4, 1} {
		for _, kernel := range kernels {
			rng := newRand(5)
			x := cloud(rng, 15, 3)
			h := someHyper(rng, 3)
			h.Kernel, h.Fading = kernel, someFading(rng)
			y := wavy(x)
			m := NewAt(x, someLevels(rng, 15), y, Standardise(y), h).At(level)
			gradcheck.Check(t, weighted(m, 3, allPairs(3), rng), flatten(cloud(rng, 3, 3)), gradcheck.Settings{})
		}
	}
}

// Points of several levels in one batch are what the textbook says, and have its gradients.
func TestBatchOfSeveralLevels(t *testing.T) {
	const rows = 4
	var off worst
	for _, kernel := range kernels {
		rng := newRand(7)
		x, at := cloud(rng, 15, 3), []float64{0, 1, 0.4, 0}
		levels, y, h := someLevels(rng, 15), wavy(x), someHyper(rng, 3)
		h.Kernel, h.Fading = kernel, someFading(rng)
		m := NewAt(x, levels, y, Standard{Scale: 1}, h)
		twin := newNaive(t, withLevel(x, levels...), y, h)
		points := cloud(rng, rows, 3)
		b, here := m.NewBatchAt(rows, allPairs(rows), at), withLevel(points, at...)
		b.Forward(flatten(points), false)
		for i, p := range here {
			off.see(b.Mean[i], twin.mean(p), 1)
			off.see(b.Var[i], twin.covariance(p, p), 1)
		}
		for k, ij := range allPairs(rows) {
			off.see(b.Cov[k], twin.covariance(here[ij[0]], here[ij[1]]), 1)
		}
		gradcheck.Check(t, weightedOf(b, rows, allPairs(rows), rng), flatten(points), gradcheck.Settings{})
	}
	if off > 1e-8 {
		t.Errorf("off by %.2g", off)
	}
}

func TestEvidenceGradientWithLevels(t *testing.T) {
	for _, kernel := range kernels {
		for _, c := range []struct{ n, dim int }{{1, 1}, {2, 2}, {8, 1}, {17, 4}, {40, 2}} {
			t.Run(fmt.Sprintf("kernel=%v,n=%d,d=%d", kernel, c.n, c.dim), func(t *testing.T) {
				rng := newRand(uint64(c.n))
				x := cloud(rng, c.n, c.dim)
				levels, y := someLevels(rng, c.n), wavy(x)
				e := newEvidence(x, y, c.dim, Settings{Kernel: kernel, Noise: &Noisy, PriorWeight: 1, Levels: levels})
				for range 2 {
					theta := someTheta(rng, c.dim)
					for _, v := range someFading(rng).list() {
						theta = append(theta, math.Log(v))
					}
					gradcheck.Check(t, e.eval, theta, gradcheck.Settings{})
					got, h := e.eval(nil, theta), e.hyper(theta)
					if want := NewAt(x, levels, y, Standard{Scale: 1}, h).LogEvidence() + Noisy.LogPrior(h); math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
						t.Errorf("the evidence is %v, the model's %v", got, want)
					}
				}
			})
		}
	}
}

// Where the levels below the top are another function that varies as much, a fit notices that they tell little.
func TestFitWithMisleadingLevels(t *testing.T) {
	f := func(p []float64, s float64) float64 {
		return math.Sin(7*p[0]+s) + math.Cos(6*p[1]-2*s) + math.Sin(5*p[0]*p[1]*s)
	}
	for seed := range uint64(3) {
		var x [][]float64
		var y, levels []float64
		for i, p := range cloud(newRand(seed+1), 40, 2) {
			x, y, levels = append(x, p), append(y, f(p, 2.5)), append(levels, float64(i%3)/3)
			if i%4 == 0 {
				x, y, levels = append(x, p), append(y, f(p, 0.3)), append(levels, 1)
			}
		}
		m, _ := Fit(x, y, 2, Settings{Levels: levels})
		if corr := m.Hyper().LevelCorrelation(0); corr > 0.45 {
			t.Errorf("the correlation of unrelated levels is %.2f: %+v", corr, *m.Hyper().Fading)
		}
	}
}

// A fit learns from cheap data what the top looks like, and how far it can rely on them.
func TestFitWithLevels(t *testing.T) {
	top := func(x float64) float64 { return math.Sin(6 * x) }
	for _, c := range []struct {
		name      string
		cheap     func(x float64) float64
		low, high float64 // of the correlation that is found
		error     float64 // of the forecast of the top
	}{
		{"shifted", func(x float64) float64 { return top(x) + 3 + 0.1*x }, 0.85, 1, 0.2},
		{"unrelated", func(x float64) float64 { return math.Cos(17*x + 1) }, 0, 0.75, math.Inf(1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var x [][]float64
			var y, levels []float64
			for i := range 25 {
				at := float64(i) / 24
				x, y, levels = append(x, []float64{at}), append(y, c.cheap(at)), append(levels, 0)
				if i%3 == 0 {
					x, y, levels = append(x, []float64{at}), append(y, top(at)), append(levels, 1)
				}
			}
			m, report := Fit(x, y, 1, Settings{Levels: levels})
			if report.Fallback {
				t.Fatal("the fit failed")
			}
			corr := m.Hyper().LevelCorrelation(0)
			t.Logf("correlation %.3f, %+v", corr, *m.Hyper().Fading)
			if corr < c.low || corr > c.high {
				t.Errorf("the correlation of the levels is %.3f, not in [%v, %v]", corr, c.low, c.high)
			}
			for _, at := range []float64{0.1, 0.33, 0.72, 0.9} {
				if mean, _ := m.Posterior([]float64{at}); math.Abs(mean-top(at)) > c.error {
					t.Errorf("at %v: %.3f, not %.3f", at, mean, top(at))
				}
			}
		})
	}
}
