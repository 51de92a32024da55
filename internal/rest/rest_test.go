package rest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/eke-bo/eke/internal/model"
)

// bowl is a state of n results of a smooth function, with money for some more.
func bowl(n, dim int, money float64) model.State {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(dim)))
	s := model.State{Dim: dim, Initial: float64(n) + money, Remaining: money, Seed: 7, Trial: n}
	for range n {
		x, y, c := make([]float64, dim), 0.0, 0.0
		for j := range x {
			x[j] = rng.Float64()
			y -= (x[j] - 0.4) * (x[j] - 0.4) * float64(j+1)
			c += x[j] / float64(dim)
		}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, y+math.Sin(9*x[0])/5), append(s.LnCost, c-0.5)
	}
	return s
}

func fit(t testing.TB, s model.State, set model.Settings) *model.Models {
	t.Helper()
	f, err := model.NewFitter(set)
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	return f.Fit(t.Context(), &s)
}

func restOf(t *testing.T, s model.State, set model.Settings, money []float64, trials int) Rest {
	t.Helper()
	r, err := Forecast(t.Context(), fit(t, s, set), money, trials)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// More money never buys less, the quantiles are in order, and the best value only gets better.
func TestRestIsAFan(t *testing.T) {
	money := []float64{1, 2, 5, 10, 20}
	for _, s := range []model.State{bowl(3, 2, 20), bowl(12, 2, 20), bowl(30, 4, 20)} {
		r := restOf(t, s, model.Settings{}, money, 0)
		if r.Best != s.Y[model.Highest(s.Y)] && math.Abs(r.Best-s.Y[model.Highest(s.Y)]) > 1e-9 {
			t.Errorf("the best is %v, not %v", r.Best, s.Y[model.Highest(s.Y)])
		}
		last := Outlook{Low: r.Best, Median: r.Best, High: r.Best, Same: 1}
		for i, o := range r.After {
			const slack = 1e-9
			if o.Money != money[i] || o.Low > o.Median || o.Median > o.High || o.Low < last.Low-slack || o.Median < last.Median-slack || o.High < last.High-slack || o.Gain < last.Gain-slack ||
				o.Same < 0 || o.Same > last.Same || (o.Same > 0.1) != (o.Low == r.Best) && o.Same != 0.1 {
				t.Errorf("%+v after %+v", o, last)
			}
			last = o
		}
		if !(last.Gain > 0) {
			t.Errorf("twenty times the usual price gains %v", last.Gain)
		}
	}
}

// Where evaluations have noise, the median never gets worse with more money either, though the next results may make the best look worse.
func TestMedianWithNoise(t *testing.T) {
	s := bowl(40, 2, 20)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range s.Y {
		s.Y[i] += 0.1 * rng.NormFloat64()
	}
	r := restOf(t, s, model.Settings{Noise: model.Noisy()}, []float64{1, 2, 3, 4, 5, 7, 10, 15, 20}, 0)
	last := r.Best
	for _, o := range r.After {
		if o.Median < last || o.Low > o.Median || o.High < o.Median {
			t.Errorf("%+v after a median of %v", o, last)
		}
		last = o.Median
	}
}

// Equal states give equal forecasts, on any number of threads.
func TestRestIsDeterministic(t *testing.T) {
	s := bowl(15, 3, 10)
	s.Pending = [][]float64{{0.1, 0.2, 0.3}}
	want := restOf(t, s, model.Settings{Threads: 1}, []float64{5, 10}, 0)
	for _, threads := range []int{2, 7} {
		if got := restOf(t, s, model.Settings{Threads: threads}, []float64{5, 10}, 0); !reflect.DeepEqual(got, want) {
			t.Errorf("%d threads: %+v, want %+v", threads, got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	m := fit(t, s, model.Settings{})
	cancel()
	if _, err := Forecast(ctx, m, []float64{1}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("half a forecast came with %v", err)
	}
}

// Nothing overflows: values and costs of any size, one result, equal results, money for nothing and for thousands.
func TestRestAtTheExtremes(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes one suggestion after another, which the race detector learns nothing from")
	}
	check := func(name string, s model.State, money ...float64) {
		t.Helper()
		for _, set := range []model.Settings{{}, {Noise: model.Noisy()}} {
			r := restOf(t, s, set, money, 0)
			for _, o := range r.After {
				for _, v := range []float64{r.Best, o.Low, o.Median, o.High, o.Gain} {
					if !model.Finite(v) {
						t.Fatalf("%s: %+v", name, r)
					}
				}
				if !(o.Low <= o.Median && o.Median <= o.High && o.Gain >= 0) {
					t.Errorf("%s: %+v", name, o)
				}
			}
		}
	}
	for _, scale := range []float64{1e-300, 1e-100, 1e-9, 1e9, 1e100, 1e300} {
		s := bowl(9, 2, 4)
		for i := range s.Y {
			s.Y[i] *= scale
		}
		check("values", s, 2, 4)
		s = bowl(9, 2, 4)
		for i := range s.LnCost {
			s.LnCost[i] += math.Log(scale)
		}
		check("costs, money for nothing or for all", s, 2, 4)
		s.Initial, s.Remaining = 13*scale, 4*scale
		check("costs", s, 2*scale, 4*scale)
	}
	check("one result", bowl(1, 3, 5), 5)
	check("one result, a little money", bowl(1, 3, 5), 1e-9)
	equal := bowl(8, 2, 5)
	for i := range equal.Y {
		equal.Y[i], equal.LnCost[i] = 3, 0
	}
	check("equal results", equal, 5)
	apart := bowl(8, 2, 5)
	apart.Y[0], apart.Y[1] = -1e300, 1e300
	check("far apart", apart, 5)
}

// With one trial to come, the expected gain is no more than with many.
func TestRestOfOneTrial(t *testing.T) {
	s := bowl(10, 2, 100)
	one, many := restOf(t, s, model.Settings{}, []float64{100}, 1).After[0], restOf(t, s, model.Settings{}, []float64{100}, 0).After[0]
	if !(one.Gain > 0 && one.Gain < many.Gain) {
		t.Errorf("one trial gains %v, many %v", one.Gain, many.Gain)
	}
	s.Remaining = 1e-6
	if none := restOf(t, s, model.Settings{}, []float64{1e-6}, 0).After[0]; none.Gain != 0 || none.High != s.Y[model.Highest(s.Y)] && none.High-s.Y[model.Highest(s.Y)] > 1e-9 {
		t.Errorf("money for nothing gains %+v", none)
	}
}

// After a handful of results, two of which are far better than the others, the rest of a study is not expected to go several ranges of all values beyond the best.
func TestRestStaysNearWhatWasSeen(t *testing.T) {
	s := model.State{Dim: 4, Parameters: 4, Initial: 60, Remaining: 50, Seed: 1, Trial: 8}
	for _, r := range [][6]float64{ // a point, the value and the cost
		{0.31, 0.41, 1, 0.70, -0.2584, 2.8}, {0.70, 0.57, 0, 0.5, -0.467, 3.5}, {0.745, 0, 1, 0.54, -1.382, 0.7}, {0.47, 0, 1, 0.01, -1.098, 0.7},
		{0.72, 0, 0, 0.5, -1.367, 0.5}, {0.82, 0, 1, 0.16, -1.64, 0.7}, {0.48, 0, 0, 0.5, -1.038, 0.5}, {0.11, 0, 0, 0.5, -1.199, 0.5},
	} {
		s.X, s.Y, s.LnCost = append(s.X, slices.Clone(r[:4])), append(s.Y, r[4]), append(s.LnCost, math.Log(r[5]))
	}
	spread := slices.Max(s.Y) - slices.Min(s.Y)
	if r := restOf(t, s, model.Settings{}, []float64{50}, 0); r.After[0].High > r.Best+1.5*spread || r.After[0].Median > r.Best+spread {
		t.Errorf("%+v, with a best of %v and a spread of %v", r.After[0], r.Best, spread)
	}
}

// Where settings are few, each is tried once, and then nothing is to be gained.
func TestRestOfAFiniteSpace(t *testing.T) {
	s := model.State{Dim: 1, Initial: 100, Remaining: 90, Snap: func(x []float64) []float64 { return []float64{math.Round(4*x[0]) / 4} }}
	for _, x := range []float64{0, 0.25, 0.5, 0.75, 1} {
		s.X, s.Y, s.LnCost = append(s.X, []float64{x}), append(s.Y, -x*x), append(s.LnCost, 0)
	}
	if r := restOf(t, s, model.Settings{}, []float64{90}, 0).After[0]; r.Gain != 0 || r.High != 0 || r.Same != 1 {
		t.Errorf("%+v of a space where everything was tried", r)
	}
	s.X, s.Y, s.LnCost = s.X[1:], s.Y[1:], s.LnCost[1:]
	if r := restOf(t, s, model.Settings{}, []float64{90}, 0).After[0]; r.Gain == 0 {
		t.Errorf("%+v where one setting is left, beside the best one", r)
	}
}

func BenchmarkRest(b *testing.B) {
	for _, n := range []int{50, 2000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			m := fit(b, bowl(n, 6, 20), model.Settings{Threads: 1})
			for b.Loop() {
				if _, err := Forecast(b.Context(), m, []float64{10, 20}, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A best value that several settings have reached is likely the best that there is.
func TestRestAtACeiling(t *testing.T) {
	s := bowl(12, 2, 20)
	alone := restOf(t, s, model.Settings{}, []float64{20}, 0).After[0]
	best := s.Y[model.Highest(s.Y)] + 0.01
	same, first := s, s
	same.Y, first.Y = slices.Clone(s.Y), slices.Clone(s.Y)
	for i := range 3 {
		same.Y[9+i], first.Y[i] = best, best
	}
	m := fit(t, same, model.Settings{})
	if ties, plain := m.Ties(), fit(t, first, model.Settings{}).Ties(); ties != 3 || plain != 1 {
		t.Fatalf("%d ties; %d if they come first", ties, plain)
	}
	tied := restOf(t, same, model.Settings{}, []float64{20}, 0).After[0]
	if least := 1 - 1/float64(m.Ties()); alone.Same > 0.5 || tied.Same < least-0.01 || tied.Median > best+1e-12 {
		t.Errorf("nothing better comes in %v of the simulations, want %v at least; without ties %v", tied.Same, least, alone.Same)
	}
}
