package gp

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/eke-bo/eke/internal/gradcheck"
)

// someFollower returns a model that follows another one, its data, and the slow twin of what it models.
func someFollower(t *testing.T, seed uint64, n, dim int) (m *Model, x [][]float64, y []float64, twin *naive) {
	rng := newRand(seed)
	of := modelWith(kernels[seed%3], rng, 30, dim)
	trend := Trend{Of: of, Slope: 0.7, Shift: make([]float64, dim), SlopeSD: 0.5, ShiftSD: 0.1}
	for j := range trend.Shift {
		trend.Shift[j] = 0.1 * rng.NormFloat64()
	}
	x = cloud(rng, n, dim)
	y = wavy(x)
	s, h := Standard{Shift: 0.3, Scale: 1.7}, someHyper(rng, dim)
	rest := make([]float64, n)
	for i, v := range y {
		rest[i] = s.To(v) - slowTrend(trend, x[i])/s.Scale
	}
	return NewTrended(x, nil, y, s, h, trend), x, y, newNaive(t, x, rest, h)
}

// slowTrend is MATH.md (27) as it is written.
func slowTrend(t Trend, x []float64) float64 {
	moved := make([]float64, len(x))
	for j, v := range x {
		moved[j] = v + t.Shift[j]
	}
	mean, _ := t.Of.Posterior(moved)
	return t.Slope * mean
}

func TestTrendAgainstSlowTwin(t *testing.T) {
	for seed := range uint64(6) {
		m, x, y, twin := someFollower(t, seed, 12, 1+int(seed%3))
		s := m.Standard()
		for _, p := range cloud(newRand(seed+50), 5, m.Dim()) {
			mean, variance := m.Posterior(p)
			wantMean, wantVar := twin.mean(p), twin.covariance(p, p)
			if want := s.From(wantMean) + slowTrend(m.Trend(), p); math.Abs(mean-want) > 1e-8 {
				t.Errorf("seed %d: mean %v, slow twin %v", seed, mean, want)
			}
			if want := s.Scale * s.Scale * wantVar; math.Abs(variance-want) > 1e-7 {
				t.Errorf("seed %d: variance %v, slow twin %v", seed, variance, want)
			}
		}
		for i, v := range m.Fitted() {
			if mean, _ := m.Posterior(x[i]); math.Abs(mean-v) > 1e-8 {
				t.Errorf("seed %d: fitted %v, posterior %v", seed, v, mean)
			}
		}
		more := cloud(newRand(seed+90), 1, m.Dim())[0]
		grown, whole := m.Condition(more, 2.5), m.Like(append(x[:len(x):len(x)], more), append(y[:len(y):len(y)], 2.5), m.Hyper())
		for _, p := range cloud(newRand(seed+70), 3, m.Dim()) {
			a, _ := grown.Posterior(p)
			if b, _ := whole.Posterior(p); math.Abs(a-b) > 1e-7 {
				t.Errorf("seed %d: %v with one more observation, %v with all at once", seed, a, b)
			}
		}
	}
}

// The variance of a trend is that of the other function, given its data and this model's, each at its level, and what slope and shift add to the variance of a
// model whose mean is not known, either.
func TestTrendSDAgainstSlowTwin(t *testing.T) {
	for seed := range uint64(12) {
		m, x, y, _ := someFollower(t, seed%6, 2+4*int(seed%2), 1+int(seed%3))
		trend, of, h := m.Trend(), m.Trend().Of, m.Hyper()
		both, hyper := append(of.points(), trend.moved(x)...), of.Hyper()
		atTop, own := func(p []float64) []float64 { return p }, x
		if seed >= 6 {
			rng := newRand(seed)
			levels := someLevels(rng, len(x))
			h.Fading = someFading(rng)
			m, hyper.Fading = NewTrended(x, levels, y, m.Standard(), h, trend), h.Fading
			both, own = withLevel(both, append(slices.Repeat([]float64{1}, of.n), levels...)...), withLevel(x, levels...)
			atTop = func(p []float64) []float64 { return withLevel([][]float64{p}, 1)[0] }
		}
		known := newNaive(t, both, make([]float64, len(both)), hyper)
		slopes := func(p []float64) (list []float64) { // by finite differences, in units of their standard deviations
			for i := range 1 + len(p) {
				up, down := trend, trend
				up.Shift, down.Shift = slices.Clone(trend.Shift), slices.Clone(trend.Shift)
				sd := 0.1
				if i == 0 {
					up.Slope, down.Slope, sd = trend.Slope+1e-5, trend.Slope-1e-5, 0.5
				} else {
					up.Shift[i-1] += 1e-5
					down.Shift[i-1] -= 1e-5
				}
				list = append(list, sd*(slowTrend(up, p)-slowTrend(down, p))/2e-5/m.Standard().Scale)
			}
			return list
		}
		variance := func(p []float64, free bool) float64 {
			kernel := func(a, b []float64) float64 {
				sum := naiveKernel(h, a, b) + 1e4 // the mean may be anything
				if free {
					sum += mat.Dot(mat.NewVecDense(1+m.dim, slopes(a[:m.dim])), mat.NewVecDense(1+m.dim, slopes(b[:m.dim])))
				}
				return sum
			}
			k, row := mat.NewSymDense(len(x), nil), mat.NewVecDense(len(x), nil)
			for i := range x {
				for j := range i + 1 {
					k.SetSym(i, j, kernel(own[i], own[j]))
				}
				k.SetSym(i, i, k.At(i, i)+h.Noise)
				row.SetVec(i, kernel(own[i], p))
			}
			var solved mat.VecDense
			if err := solved.SolveVec(k, row); err != nil {
				t.Fatal(err)
			}
			return kernel(p, p) - mat.Dot(row, &solved)
		}
		for _, p := range append(cloud(newRand(seed+50), 4, m.Dim()), x[0]) {
			moved := atTop(trend.moved([][]float64{p})[0])
			unknown := trend.Slope * of.Standard().Scale * math.Sqrt(known.covariance(moved, moved))
			aligned := m.Standard().Scale * math.Sqrt(math.Max(variance(atTop(p), true)-variance(atTop(p), false), 0))
			if got, want := m.TrendSD(p), math.Hypot(unknown, aligned); math.Abs(got-want) > 1e-3*(1+want) {
				t.Errorf("seed %d at %v: %v, slow twin %v", seed, p, got, want)
			}
		}
	}
}

// Looks at a point do not settle what the other function is there. A datum at the top does.
func TestLooksDoNotSettleATrend(t *testing.T) {
	var known [][]float64
	for i := range 7 {
		known = append(known, []float64{0.05 * float64(i)})
	}
	of := someModelOf(t, known, func(x []float64) float64 { return math.Sin(12 * x[0]) })
	h := Hyper{Lengthscales: []float64{0.3}, Outputscale: 0.05, Noise: 1e-6, Fading: &Fading{Lengthscale: 2, Bias: 5, Shift: 0.1, Power: 1, Loss: 0.9}}
	point, trend := []float64{0.9}, Trend{Of: of, Slope: 1, SlopeSD: 1e-6}
	_, alone := of.PosteriorSD(point)
	seen := func(level float64) *Model {
		return NewTrended([][]float64{{0.1}, point}, []float64{1, level}, []float64{0, 0}, Standard{Scale: 1}, h, trend)
	}
	if sd := seen(0).TrendSD(point); sd < 0.5*alone {
		t.Errorf("after a look %v is left of %v", sd, alone)
	}
	more, _, _ := NewTrended([][]float64{{0.1}}, []float64{1}, []float64{0}, Standard{Scale: 1}, h, trend).At(0).Believe(point)
	if sd := more.TrendSD(point); sd < 0.5*alone {
		t.Errorf("with a look under way %v is left of %v", sd, alone)
	}
	if sd := seen(1).TrendSD(point); sd > 0.05*alone {
		t.Errorf("after a datum at the top %v is left of %v", sd, alone)
	}
}

// Three results cannot settle a slope and four shifts, though these explain them to the last digit.
func TestAFewDataLeaveSomethingToModel(t *testing.T) {
	f := func(x []float64) float64 { return bump(x[0], x[1]) + bump(x[2], x[3]) }
	of := someModelOf(t, cloud(newRand(1), 25, 4), f)
	for seed := range uint64(12) {
		x := cloud(newRand(seed+2), 3, 4)
		y := make([]float64, len(x))
		for i, p := range x {
			y[i] = 5 + 1.1*f(p)
		}
		set := Settings{Noise: &Noise{Min: 1e-8, Max: 1e-3}}
		m, _ := FitTrend(x, y, 4, of, TrendSettings{Settings: set, SlopeSD: 0.5, ShiftSD: 0.1, Spread: 0.1 * of.Standard().Scale})
		if s := m.Hyper().Outputscale; s < 0.5 {
			t.Errorf("seed %d: the differences have the variance %v, as if all were known", seed, s)
		}
	}
}

func TestTrendGradient(t *testing.T) {
	for seed := range uint64(4) {
		m, _, _, _ := someFollower(t, seed, 9, 2)
		rng := newRand(seed)
		gradcheck.Check(t, weighted(m, 3, allPairs(3), rng), flatten(cloud(rng, 3, 2)), gradcheck.Settings{})
	}
}

// The derivatives of the alignment's loss, by finite differences.
func TestAlignmentGradient(t *testing.T) {
	m, x, y, _ := someFollower(t, 3, 8, 2)
	gradcheck.Check(t, func(grad, theta []float64) float64 {
		a := &alignment{x: x, y: y, Trend: Trend{Of: m.trend.Of, Slope: theta[0], Shift: theta[1:]}}
		a.use(m)
		for i := range grad {
			grad[i] = 0
			for k, v := range a.white[i] {
				grad[i] -= v * a.rest[k]
			}
		}
		return a.loss
	}, []float64{0.8, 0.05, -0.03}, gradcheck.Settings{})
}

// A moved, stretched and lifted copy is recognised, with next to nothing left to model.
func TestFollowFindsTheShift(t *testing.T) {
	of := someModelOf(t, cloud(newRand(1), 60, 2), func(x []float64) float64 { return bump(x[0], x[1]) })
	x := cloud(newRand(2), 12, 2)
	y := make([]float64, len(x))
	for i, p := range x {
		y[i] = 5 + 1.4*bump(p[0]-0.08, p[1]+0.05)
	}
	m, density := FitTrend(x, y, 2, of, TrendSettings{SlopeSD: 0.5, ShiftSD: 0.1, Spread: 0.1 * of.Standard().Scale})
	trend := m.Trend()
	if math.Abs(trend.Slope-1.4) > 0.1 || math.Abs(trend.Shift[0]+0.08) > 0.02 || math.Abs(trend.Shift[1]-0.05) > 0.02 {
		t.Errorf("slope %v, shift %v", trend.Slope, trend.Shift)
	}
	plain, _ := Fit(x, y, 2, Settings{})
	if density < plain.LogDensity()+5 {
		t.Errorf("log density %v with the trend, %v without", density, plain.LogDensity())
	}
	noise := newRand(3)
	for i := range y {
		y[i] = noise.NormFloat64()
	}
	_, density = FitTrend(x, y, 2, of, TrendSettings{SlopeSD: 0.5, ShiftSD: 0.1, Spread: 0.1 * of.Standard().Scale})
	if plain, _ = Fit(x, y, 2, Settings{Noise: &Noisy}); density > plain.LogDensity()+2 {
		t.Errorf("values that have nothing to do with it: log density %v with the trend, %v without", density, plain.LogDensity())
	}
}

func bump(a, b float64) float64 {
	return math.Exp(-8*((a-0.5)*(a-0.5)+(b-0.4)*(b-0.4))) + 0.3*math.Sin(4*a)
}

func someModelOf(t *testing.T, x [][]float64, f func([]float64) float64) *Model {
	t.Helper()
	y := make([]float64, len(x))
	for i, p := range x {
		y[i] = f(p)
	}
	m, _ := Fit(x, y, len(x[0]), Settings{})
	return m
}
