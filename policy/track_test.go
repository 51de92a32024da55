package policy

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// Forecasts that were good leave all as it is. Forecasts that were wrong again and again make further ones wider, and good ones after them make
// up for it.
func TestDoubt(t *testing.T) {
	s := State{Dim: 1}
	forecast := func(errors float64, times int) float64 {
		for range times {
			track := s.track()
			track.Mean, track.SD = 2, 0.5
			s.Previous = &Plan{Point: []float64{0.5}, Observed: len(s.X), Track: track}
			s.X, s.Y = append(s.X, []float64{0.5}), append(s.Y, 2+errors*0.5)
		}
		return s.doubt()
	}
	if got := s.doubt(); got != 1 {
		t.Errorf("before any forecast: %v", got)
	}
	if got := forecast(0.8, 10); got != 1 {
		t.Errorf("after good forecasts: %v", got)
	}
	bad := forecast(6, 6)
	if bad < 2 || bad > 6 {
		t.Errorf("after six errors of six standard deviations: %v", bad)
	}
	if got := forecast(0.5, 40); got != 1 {
		t.Errorf("after many more good ones: %v", got)
	}
}

// A plan from a file may hold anything.
func TestDoubtOfNonsense(t *testing.T) {
	for _, track := range []Track{{Mean: math.NaN(), SD: 1}, {SD: 0}, {SD: -1, Weight: 2, Squares: math.Inf(1)}, {SD: 1, Weight: math.NaN(), Squares: -3}, {Mean: 1e308, SD: 1e-308, Weight: -2}} {
		s := State{Dim: 1, X: [][]float64{{0.5}}, Y: []float64{1}, Previous: &Plan{Point: []float64{0.5}, Track: track}}
		if got := s.doubt(); !(got >= 1 && got < 1e3) {
			t.Errorf("%+v: %v", track, got)
		}
	}
}

// Hyperparameters that were kept give the models that the same hyperparameters give anew, and are searched again when the data have
// grown by a tenth or surprise.
func TestModelsAreUpdated(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	s := State{Dim: 2, Initial: 100, Remaining: 60, Seed: 1}
	observe := func(bump float64) {
		x := []float64{rng.Float64(), rng.Float64()}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, math.Sin(4*x[0])+x[1]*x[1]+bump), append(s.LnCost, x[0])
		s.Trial++
	}
	for range 40 {
		observe(0)
	}
	p, err := New("ei", Settings{})
	if err != nil {
		t.Fatal(err)
	}
	suggest := func() int {
		out, err := p.Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		s.Previous = out.Plan
		return out.Plan.Searched
	}
	for i, want := range []int{40, 40, 40, 40, 44, 44} {
		if got := suggest(); got != want {
			t.Fatalf("suggestion %d: searched at %d data, want %d", i, got, want)
		}
		observe(0)
	}
	observe(30)
	if got := suggest(); got != len(s.X) {
		t.Errorf("a surprise left the hyperparameters as they were at %d data", got)
	}
}
