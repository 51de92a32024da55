package gp

import (
	"math"
	"os"
	"testing"
	"time"
)

// sane fits data and fails t if any result is not a usable number.
func sane(t testing.TB, x [][]float64, y []float64, dim int, s Settings) *Model {
	t.Helper()
	m, r := Fit(x, y, dim, s)
	if math.IsNaN(r.LogEvidence) || math.IsNaN(r.LogPrior) || math.IsInf(r.LogEvidence, 1) {
		t.Errorf("report %+v", r)
	}
	h := m.Hyper()
	if !isFinite(h.Mean) {
		t.Errorf("hyperparameters %+v", h)
	}
	points := cloud(newRand(99), 6, dim)
	points = append(points, x[:min(len(x), 3)]...)
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range y {
		low, high = math.Min(low, v), math.Max(high, v)
	}
	b := m.NewBatch(len(points), allPairs(len(points)))
	b.Forward(flatten(points), true)
	for i := range points {
		if !isFinite(b.Mean[i]) || !isFinite(b.Var[i]) || !(b.Var[i] > 0) || b.Var[i] > h.Outputscale {
			t.Errorf("standardised mean %v, variance %v (outputscale %v)", b.Mean[i], b.Var[i], h.Outputscale)
		}
		b.MeanBar[i], b.VarBar[i] = 1, 1
	}
	for i, v := range b.Cov {
		if !isFinite(v) {
			t.Errorf("covariance %v", v)
		}
		b.CovBar[i] = 1
	}
	grad := make([]float64, len(points)*dim)
	b.Pull(grad)
	for _, v := range grad {
		if !isFinite(v) {
			t.Errorf("gradient %v", grad)
			break
		}
	}
	for _, p := range points {
		saneUnits(t, m, p)
	}
	for i, v := range m.Sample(points, newRand(5)) {
		if !isFinite(v) {
			t.Errorf("sample %v at point %d", v, i)
		}
	}
	return m
}

// saneUnits looks at the posterior in the targets' units, where a variance may overflow to +Inf or
// underflow to 0 but nothing may be NaN.
func saneUnits(t testing.TB, m *Model, p []float64) {
	t.Helper()
	mean, variance, dMean, dVar := m.PosteriorGrad(p)
	if !isFinite(mean) || !(variance >= 0) {
		t.Errorf("mean %v, variance %v", mean, variance)
	}
	_, dx, dy := m.CovarianceGrad(p, make([]float64, len(p)))
	for _, grad := range [][]float64{dMean, dVar, dx, dy} {
		for _, v := range grad {
			if math.IsNaN(v) {
				t.Errorf("gradient NaN at %v", p)
			}
		}
	}
	c := m.Condition(p, mean)
	if again, after := c.Posterior(p); !isFinite(again) || !(after <= variance) {
		t.Errorf("conditioned on its mean: %v, %v from %v, %v", again, after, mean, variance)
	}
}

func TestAnyDataGiveAUsableModel(t *testing.T) {
	rng := newRand(1)
	x := cloud(rng, 12, 2)
	y := wavy(x)
	times := func(size float64) []float64 {
		out := make([]float64, len(y))
		for i, v := range y {
			out[i] = size * (v - 3)
		}
		return out
	}
	constant := func(v float64) []float64 {
		out := make([]float64, len(x))
		for i := range out {
			out[i] = v
		}
		return out
	}
	spread := make([]float64, len(x))
	for i := range spread {
		spread[i] = math.Pow(10, -12+24*float64(i)/11) * float64(1-2*(i%2))
	}
	twice := append(append([][]float64(nil), x[:6]...), x[:6]...)
	same := make([][]float64, len(x))
	for i := range same {
		same[i] = x[0]
	}
	near := make([][]float64, len(x))
	for i := range near {
		near[i] = []float64{0.5 + 1e-17*float64(i), 0.5 + 1e-15*float64(i)}
	}
	nearlyConstant := constant(1e300)
	nearlyConstant[3] = math.Nextafter(1e300, 2e300)
	for name, c := range map[string]struct {
		x [][]float64
		y []float64
	}{
		"no data":                     {nil, nil},
		"one datum":                   {x[:1], y[:1]},
		"two data":                    {x[:2], y[:2]},
		"each point twice":            {twice, append(append([]float64(nil), y[:6]...), y[:6]...)},
		"each point twice, differing": {twice, y},
		"one point only":              {same, y},
		"points a rounding apart":     {near, y},
		"constant 0":                  {x, constant(0)},
		"constant 0.1":                {x, constant(0.1)},
		"constant -7e12":              {x, constant(-7e12)},
		"constant 1e300":              {x, constant(1e300)},
		"nearly constant 1e300":       {x, nearlyConstant},
		"one point and value":         {same, constant(3)},
		"1e-12 … 1e12 in one":         {x, spread},
		"one outlier":                 {x, append(append([]float64(nil), y[:11]...), -1e200)},
		"size 1e300":                  {x, times(1e300)},
		"size 1e-300":                 {x, times(1e-300)},
		"subnormal":                   {x, times(1e-312)},
		"smallest":                    {x, append(make([]float64, 11), math.SmallestNonzeroFloat64)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, noise := range []Noise{Deterministic, Noisy} {
				for _, weight := range []float64{1, 2} {
					sane(t, c.x, c.y, 2, Settings{Noise: &noise, PriorWeight: weight})
				}
			}
		})
	}
}

// The size of the targets changes nothing in standardised units.
func TestFitDoesNotDependOnTheTargetsUnits(t *testing.T) {
	rng := newRand(6)
	x := cloud(rng, 15, 2)
	y := wavy(x)
	want, _ := Fit(x, y, 2, Settings{})
	for _, size := range []float64{1e-290, 1e-12, 1e12, 1e290} {
		scaled := make([]float64, len(y))
		for i, v := range y {
			scaled[i] = size * v
		}
		m, _ := Fit(x, scaled, 2, Settings{})
		for j, l := range m.Hyper().Lengthscales {
			if math.Abs(math.Log(l/want.Hyper().Lengthscales[j])) > 1e-3 {
				t.Errorf("size %v: lengthscales %v, want %v", size, m.Hyper().Lengthscales, want.Hyper().Lengthscales)
			}
		}
	}
}

func TestWithoutDataThePosteriorIsThePrior(t *testing.T) {
	m, r := Fit(nil, nil, 3, Settings{})
	if r.Fallback || m.Len() != 0 || m.Dim() != 3 {
		t.Errorf("%d data, %d inputs, %+v", m.Len(), m.Dim(), r)
	}
	mean, variance := m.Posterior([]float64{0.1, 0.2, 0.3})
	if h := m.Hyper(); mean != h.Mean || variance != h.Outputscale {
		t.Errorf("mean %v, variance %v of %+v", mean, variance, h)
	}
}

func TestModelMeetsItsData(t *testing.T) {
	rng := newRand(2)
	x := cloud(rng, 20, 3)
	y := wavy(x)
	m := sane(t, x, y, 3, Settings{})
	for i := range x {
		mean, variance := m.Posterior(x[i])
		if scale := m.Standard().Scale; math.Abs(mean-y[i]) > 0.05*scale || variance > 1.1*m.Hyper().Noise*scale*scale {
			t.Errorf("at datum %d: mean %v, value %v, variance %v", i, mean, y[i], variance)
		}
	}
}

func TestTwentyInputs(t *testing.T) {
	rng := newRand(3)
	for _, n := range []int{5, 60} {
		x := cloud(rng, n, 20)
		sane(t, x, wavy(x), 20, Settings{})
	}
}

func TestAThousandData(t *testing.T) {
	if testing.Short() || os.Getenv("EKE_NOSIMD") == "1" {
		t.Skip("seconds, and many more without assembly")
	}
	rng := newRand(4)
	x := cloud(rng, 1000, 3)
	y := wavy(x)
	start := time.Now()
	m := sane(t, x, y, 3, Settings{Starts: 1})
	t.Logf("%v in all; %+v", time.Since(start).Round(time.Millisecond), m.Hyper())
	for _, p := range cloud(rng, 20, 3) {
		mean, _ := m.Posterior(p)
		if want := wavy([][]float64{p})[0]; math.Abs(mean-want) > 0.05*m.Standard().Scale {
			t.Errorf("%v at %v, want %v", mean, p, want)
		}
	}
}

// The largest supported size: a thousand data in twenty dimensions.
func TestAThousandDataInTwentyDimensions(t *testing.T) {
	if testing.Short() || os.Getenv("EKE_NOSIMD") == "1" {
		t.Skip("seconds, and many more without assembly")
	}
	x := cloud(newRand(5), 1000, 20)
	start := time.Now()
	m := sane(t, x, wavy(x), 20, Settings{Starts: 1})
	t.Logf("%v in all; outputscale %v", time.Since(start).Round(time.Millisecond), m.Hyper().Outputscale)
}

func TestNewDoesNotWaitForeverOnBadInputs(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v: no panic", bad)
				}
			}()
			Fit([][]float64{{0.5}, {bad}}, []float64{1, 2}, 1, Settings{})
		}()
	}
}
