package gp

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
)

// someLaw returns a law, and a model that follows it.
func someLaw(seed uint64, n, dim int) (*Law, *Model) {
	rng := newRand(seed)
	law := &Law{Fixed: -1, Level: 0.3 * rng.NormFloat64(), Slopes: make([]float64, dim), Down: seed%2 == 1}
	for j := range law.Slopes {
		law.Slopes[j] = 3 * rng.NormFloat64()
	}
	x := cloud(rng, n, dim)
	return law, NewTrended(x, nil, wavy(x), Standard{Shift: 0.3, Scale: 1.7}, someHyper(rng, dim), Trend{Law: law})
}

// slowLaw is MATH.md (76) as it is written.
func slowLaw(l *Law, x []float64) float64 {
	work := l.Level
	for j, b := range l.Slopes {
		work += b * (x[j] - 0.5)
	}
	if ln := math.Log(math.Exp(l.Fixed) + math.Exp(work)); !l.Down {
		return ln
	} else {
		return -ln
	}
}

func TestLawAgainstSlowTwin(t *testing.T) {
	for seed := range uint64(6) {
		dim := 1 + int(seed%3)
		law, m := someLaw(seed, 12, dim)
		rng, x := newRand(seed), m.points()
		y, rest := wavy(x), make([]float64, len(x))
		for i := range x {
			rest[i] = m.Standard().To(y[i]) - slowLaw(law, x[i])/m.Standard().Scale
		}
		twin := newNaive(t, x, rest, m.Hyper())
		for _, p := range cloud(rng, 5, dim) {
			mean, _ := m.Posterior(p)
			if want := m.Standard().From(twin.mean(p)) + slowLaw(law, p); math.Abs(mean-want) > 1e-7 {
				t.Errorf("seed %d: mean %v, slow twin %v", seed, mean, want)
			}
		}
		for i, v := range m.Fitted() {
			if mean, _ := m.Posterior(x[i]); math.Abs(mean-v) > 1e-7 {
				t.Errorf("seed %d: fitted %v, posterior %v", seed, v, mean)
			}
		}
		more := cloud(rng, 1, dim)[0]
		grown, whole := m.Condition(more, 2.5), m.Like(append(x[:len(x):len(x)], more), append(y[:len(y):len(y)], 2.5), m.Hyper())
		a, _ := grown.Posterior(x[0])
		if b, _ := whole.Posterior(x[0]); math.Abs(a-b) > 1e-7 {
			t.Errorf("seed %d: %v with one more observation, %v with all at once", seed, a, b)
		}
	}
}

func TestLawDerivatives(t *testing.T) {
	for seed := range uint64(6) {
		dim := 1 + int(seed%3)
		law, m := someLaw(seed, 8, dim)
		b := m.NewBatch(2, nil)
		gradcheck.Check(t, func(grad, x []float64) float64 {
			b.Forward(x, grad != nil)
			if grad != nil {
				clear(grad)
				b.ClearBars()
				b.MeanBar[0], b.MeanBar[1] = 1, -0.5
				b.Pull(grad)
			}
			return b.Mean[0] - 0.5*b.Mean[1]
		}, slices.Concat(cloud(newRand(seed+20), 2, dim)...), gradcheck.Settings{})
		p := cloud(newRand(seed+30), 1, dim)[0]
		gradcheck.Check(t, func(grad, values []float64) float64 {
			l := (&Law{Slopes: make([]float64, dim), Down: law.Down}).moved(1, values)
			if grad != nil {
				for i, c := range l.derivatives(2, p) {
					grad[i] = c[0]
				}
			}
			return slowLaw(l, p) / 2
		}, law.values(), gradcheck.Settings{})
	}
}

// Costs of a program that takes a while to start, known for small problems alone: what a large one costs is forecast all the same.
func TestLawBeyondWhatWasTried(t *testing.T) {
	cost := func(x []float64) float64 { return math.Log(0.06 + 0.01*math.Exp(11*x[0]-6*x[1])) }
	x := cloud(newRand(3), 14, 2)
	var y []float64
	for i := range x {
		x[i][0] *= 0.5
		y = append(y, cost(x[i]))
	}
	large := []float64{0.95, 0.1}
	plain, _ := Fit(x, y, 2, Settings{Kernel: Gaussian})
	m, density := FitLaw(x, y, false, 2, Settings{Kernel: Matern52})
	without, _ := plain.Posterior(large)
	with, _ := m.Posterior(large)
	if math.Abs(with-cost(large)) > 0.5 || cost(large)-without < 2 {
		t.Errorf("ln cost %.2f is forecast to be %.2f with a law, and %.2f without", cost(large), with, without)
	}
	if density < plain.LogDensity()+5 {
		t.Errorf("log density %.2f with a law, %.2f without", density, plain.LogDensity())
	}
	if near, far := m.TrendSD(x[0]), m.TrendSD(large); !(near < 0.01) || !(far > 5*near) {
		t.Errorf("the law is in doubt by %v next to a cost, and by %v far away", near, far)
	}
}

// Costs that have nothing to do with a law are likelier without one.
func TestNoLaw(t *testing.T) {
	for seed := range uint64(4) {
		x := cloud(newRand(seed), 30, 2)
		y := make([]float64, len(x))
		for i, p := range x {
			y[i] = math.Sin(9*p[0]) * math.Cos(7*p[1])
		}
		plain, _ := Fit(x, y, 2, Settings{Kernel: Matern52})
		if _, density := FitLaw(x, y, false, 2, Settings{Kernel: Matern52}); density > plain.LogDensity() {
			t.Errorf("seed %d: log density %.2f with a law, %.2f without", seed, density, plain.LogDensity())
		}
	}
}

// A law comes from a file.
func TestLawOfNonsense(t *testing.T) {
	for _, raw := range []string{`{}`, `{"fixed": 1e300, "slopes": [1, 2]}`, `{"slopes": [1]}`, `{"slopes": [1, -1e9]}`} {
		var l Law
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			t.Fatal(err)
		}
		if l.IsUsable(2) {
			t.Errorf("%s counts as a law of two parameters", raw)
		}
	}
	if l := (Law{Level: math.NaN(), Slopes: []float64{1}}); l.IsUsable(1) {
		t.Error("a law of NaN is usable")
	}
}
