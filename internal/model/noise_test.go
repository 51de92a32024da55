package model

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/student"
)

// noisily returns what is believed of a state whose values have noise.
func noisily(t *testing.T, s *State) *Beliefs {
	t.Helper()
	f, err := NewFitter(Settings{Noise: Noisy(), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Believe(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// loud is a study with noise whose values are modelled after a transformation, and cannot be above 0.
func loud(t *testing.T) (*State, *Beliefs) {
	t.Helper()
	s, most, rng := skewed(24), 0.0, rand.New(rand.NewPCG(1, 2))
	s.Bounds = []Bound{{Most: &most}}
	for i := range s.Y {
		s.Y[i] *= math.Exp(0.3 * rng.NormFloat64())
	}
	d := noisily(t, &s)
	if d.Warp == (gp.Warp{}) {
		t.Fatal("the values are modelled as they are")
	}
	return &s, d
}

// What a trial is expected to gain is the integral of its forecast above the best that is reported.
func TestGainIsThatOfTheForecast(t *testing.T) {
	s, d := loud(t)
	_, best, _ := d.Best(d.Counts)
	w := d.widths()[value]
	for _, x := range [][]float64{{0.9, 0.1}, {0.35, 0.5}, {0.3, 0.6}, {1, 1}, s.X[3]} {
		p := d.Expect(x, 1)
		const steps = 20000
		sum, step := 0.0, (0-best.Value)/steps
		for i := range steps { // the slow twin adds up the chances to be above each value up to the bound
			sum += step * d.chanceAbove(d.Belief.Objective, value, x, d.Warp.To(best.Value+(float64(i)+0.5)*step), w)
		}
		got := d.Gain(p)
		if math.Abs(got-sum) > 1e-3*sum {
			t.Errorf("at %v the gain is %v, the forecast has %v", x, got, sum)
		}
		if p.ValueHigh < best.Value && got > -best.Value/10 {
			t.Errorf("at %v the gain is %v, with a tenth above %v, a best of %v and a most of 0", x, got, p.ValueHigh, best.Value)
		}
		p.MayFail, p.Works = true, 0.5
		if half := d.Gain(p); math.Abs(half-got/2) > 1e-12 {
			t.Errorf("at %v the gain is %v with a chance of a half to work, and %v without", x, half, got)
		}
	}
}

// With noise, the chance to beat the best is that of the means, of which both are uncertain.
func TestBeatsWithNoiseIsOfTheMeans(t *testing.T) {
	s, d := loud(t)
	m, rng := d.Belief.Objective, rand.New(rand.NewPCG(3, 4))
	beats, factor := d.Beats(), widening(m, value)/asNormal*d.widths()[value].far
	for _, x := range [][]float64{{0.9, 0.1}, {0.35, 0.5}, {0.3, 0.65}} {
		var sum, square float64
		const draws = 20000
		sampler := m.NewSampler([][]float64{x, d.Incumbent})
		for range draws {
			f := sampler.Draw(rng)
			sum, square = sum+(f[0]-f[1])/draws, square+(f[0]-f[1])*(f[0]-f[1])/draws
		}
		if got, want := beats(x), student.CDF(sum/math.Sqrt(square-sum*sum)/factor); math.Abs(got-want) > 0.01 {
			t.Errorf("%v beats the best with a chance of %v, draws say %v", x, got, want)
		}
	}
	if got := beats(slices.Clone(d.Incumbent)); got != 0 {
		t.Errorf("the best beats itself with a chance of %v", got)
	}
	most := s.Y[0] - 1000
	s.Bounds[0].Most = &most
	if got := beats([]float64{0.5, 0.5}); got != 0 {
		t.Errorf("the best is as good as any can be, and is beaten with a chance of %v", got)
	}
}

// With noise and several objectives, it is the chance that a point's means extend the front of the means.
func TestExtendsWithNoiseIsOfTheMeans(t *testing.T) {
	s, rng := skewed(20), rand.New(rand.NewPCG(5, 6))
	other := make([]float64, len(s.X))
	for i, x := range s.X {
		s.Y[i], other[i] = x[0]+0.3*rng.NormFloat64(), 1-x[0]*x[0]+0.3*rng.NormFloat64()
	}
	s.Worst, s.Aims = -2, []Quantity{{Y: other, Least: -2}}
	d := noisily(t, &s)
	beats, widths := d.Beats(), d.widths()
	outcomes, places := d.onFront()
	x := []float64{0.45, 0.35}
	var mean, scale []float64
	for j, m := range d.Belief.Objectives() {
		middle, sd := m.PosteriorSD(x)
		mean, scale = append(mean, middle), append(scale, sd*widening(m, d.outputOf(j))/asNormal*widths[d.outputOf(j)].far)
	}
	const draws = 20000
	hits := 0
	for range draws {
		y := []float64{mean[0] + scale[0]*student.Quantile(rng.Float64()), mean[1] + scale[1]*student.Quantile(rng.Float64())}
		if y[0] > -2 && y[1] > -2 && !slices.ContainsFunc(outcomes, func(o []float64) bool { return o[0] >= y[0] && o[1] >= y[1] }) {
			hits++
		}
	}
	if got, want := beats(x), float64(hits)/draws; math.Abs(got-want) > 0.015 || !(got > 0) {
		t.Errorf("%v extends the front with a chance of %v, draws say %v", x, got, want)
	}
	if got := beats(s.X[places[0]]); got != 0 {
		t.Errorf("a point on the front extends it with a chance of %v", got)
	}
}

// Two values do not tell their scale, and three do.
func TestForecastsAreEarly(t *testing.T) {
	for n, want := range map[int]bool{1: true, 2: true, 3: false} {
		s := skewed(n)
		if got := believed(t, &s, false).Expect([]float64{0.5, 0.5}, 1).Early; got != want {
			t.Errorf("with %d values: early is %v", n, got)
		}
	}
}

// A fit that is cut short holds as many observations as one that is not, with and without an earlier study: the best is looked for among them.
func TestCutShort(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, follows := range []bool{false, true} {
		f, err := NewFitter(Settings{Noise: Noisy(), Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		s := skewed(400)
		if follows {
			earlier := skewed(60)
			s.Earlier = &Earlier{X: earlier.X, Y: earlier.Y, LnCost: earlier.LnCost}
		}
		m := f.Fit(ended, &s)
		if got, want := m.Objective().Len(), len(m.list[value].modelled); got < want {
			t.Fatalf("the model holds %d observations, want %d", got, want)
		}
		index, e, ok := m.Best(func(int) bool { return true })
		if sorted := slices.Sorted(slices.Values(s.Y)); !ok || math.IsNaN(e.Value) || s.Y[index] < sorted[len(sorted)/2] {
			t.Errorf("the best is %d, %+v, %v", index, e, ok)
		}
	}
}
