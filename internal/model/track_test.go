package model

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/student"
)

// judged adds results to a study of one parameter whose forecasts were all 2 ± 0.5, of values and of costs, and wrong by as many scales.
func judged(s *State, near float64, errors ...float64) {
	for _, e := range errors {
		t := s.track()
		x := []float64{0.5}
		t.Last = append(t.Last, Forecast{X: x, Observed: len(s.X), Mean: []float64{2, 2}, Scale: []float64{0.5, 0.5}, Near: []float64{near, near}})
		s.Previous = &Plan{Point: x, Observed: len(s.X), Track: t}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, 2+e*0.5), append(s.LnCost, 2-e*0.5)
	}
}

// Errors as large as they should be leave forecasts about as wide as they are before any. Large ones make them wider, and small ones
// narrower, but far from results not by much; then either is forgotten.
func TestWidths(t *testing.T) {
	s := State{Dim: 1}
	usual := s.widths()
	good := []float64{0.1, -0.4, 0.7, 1, -1.4, 2.2, -0.2, 0.6}
	check := func(when string, least, most float64, of func(width) float64) {
		t.Helper()
		for output, w := range s.widths() {
			if r := of(w) / of(usual[output]); !(r >= least && r <= most) {
				t.Errorf("%s: output %d has %v times the usual width, %+v", when, output, r, w)
			}
		}
	}
	far, near := func(w width) float64 { return w.far }, func(w width) float64 { return w.near }
	judged(&s, 0, good...)
	check("after good forecasts", 0.8, 1.1, far)
	judged(&s, 0, slices.Repeat([]float64{6}, 8)...)
	check("after eight errors of six scales", 2, 6, far)
	judged(&s, 0, slices.Repeat([]float64{0.01}, 2*mostErrors)...)
	check("after many small errors", 0.7, 0.85, far)
	judged(&s, 0, slices.Concat(good, good)...)
	check("after good ones again", 0.75, 1.1, far)
	judged(&s, 1, slices.Repeat([]float64{0.01}, mostErrors)...)
	check("after small errors next to results", 0.005, 0.1, near)
	check("they say nothing of what is far", 0.9, 1.1, far)
}

// Errors drawn from forecasts that are too wide or too narrow give the factors that mend them.
func TestWidthsFindTheTruth(t *testing.T) {
	for _, truth := range []width{{1, 1}, {3, 0.1}, {1.5, 0.03}, {3, 2}} {
		rng, sum := rand.New(rand.NewPCG(5, 7)), [2]float64{}
		const studies = 60
		for range studies {
			var errors []Miss
			for i := range 2 * mostErrors {
				part := float64(i % 2)
				z := student.Quantile(rng.Float64()) * truth.of(part)
				errors = append(errors, Miss{float32(math.Abs(z)), float32(part)})
			}
			w := expectedWidth(errors, forecastingOf(value).before)
			sum[0], sum[1] = sum[0]+math.Log(w.far)/studies, sum[1]+math.Log(w.near)/studies
		}
		if far, near := math.Exp(sum[0]), math.Exp(sum[1]); math.Abs(math.Log(far/truth.far)) > 0.3 || math.Abs(math.Log(near/truth.near)) > 0.3 {
			t.Errorf("errors of %+v give %v and %v", truth, far, near)
		}
	}
}

// Forecasts wait for their results, in whatever order these come, and each is judged once, by its own result and its own warp.
func TestTrackWaits(t *testing.T) {
	a, b, failed := []float64{0.1}, []float64{0.9}, []float64{0.4}
	one := func(x []float64, mean float64) Forecast {
		return Forecast{X: x, Mean: []float64{mean, 0}, Scale: []float64{1, 1}, Near: []float64{0, 0}, Observed: 1}
	}
	s := State{Dim: 1, X: [][]float64{a}, Y: []float64{50}, LnCost: []float64{0}}
	s.Previous = &Plan{Track: Track{Last: []Forecast{one(a, 1), one(failed, 2), one(b, 3)}}}
	if got := s.track(); len(got.Last) != 3 || got.Errors != nil {
		t.Fatalf("the result was known before: %+v", got)
	}
	s.X, s.Y, s.LnCost = append(s.X, b), append(s.Y, 5), append(s.LnCost, math.NaN())
	first := s.track()
	if len(first.Last) != 2 || len(first.Errors[0]) != 1 || first.Errors[0][0].Size != 2 || first.Errors[1] != nil {
		t.Fatalf("of the second forecast, without a cost: %+v", first)
	}
	s.Previous = &Plan{Track: first}
	s.X, s.Y, s.LnCost = append(s.X, a), append(s.Y, 0.5), append(s.LnCost, 3)
	if got := s.track(); len(got.Last) != 1 || len(got.Errors[0]) != 2 || got.Errors[0][1].Size != 0.5 || len(got.Errors[1]) != 1 || got.Errors[1][0].Size != 3 {
		t.Errorf("of the first forecast: %+v", got)
	}
	if len(first.Errors[0]) != 1 {
		t.Error("a track that was kept has changed")
	}
}

// Errors are by place, so that those of other quantities are forgotten, such as of the two ends of a range, which were two quantities once.
func TestTrackOfOtherQuantities(t *testing.T) {
	a, b := []float64{0.1}, []float64{0.9}
	forecast := Forecast{X: b, Mean: []float64{1, 0, 2, 2}, Scale: []float64{1, 1, 1, 1}, Near: make([]float64, 4), Observed: 1}
	errors := [][]Miss{{{Size: 1}}, {{Size: 2}}, {{Size: 3}}, {{Size: 4}}}
	s := State{Dim: 1, X: [][]float64{a, b}, Y: []float64{50, 5}, LnCost: []float64{0, 0}, Further: []Quantity{{Name: "q", Y: []float64{7, 8}}}}
	s.Previous = &Plan{Quantities: []string{"q"}, Track: Track{Last: []Forecast{forecast, {X: []float64{0.5}, Mean: forecast.Mean}}, Errors: errors}}
	if got := s.track(); len(got.Errors[2]) != 2 || got.Errors[2][1].Size != 6 {
		t.Errorf("of the same quantity: %+v", got)
	}
	s.Previous.Quantities = []string{"q upper", "q"}
	got := s.track()
	if len(got.Errors) != 2 || len(got.Errors[0]) != 2 || got.Errors[1][0].Size != 2 || len(got.Last) != 1 || len(got.Last[0].Mean) != 2 {
		t.Errorf("of other quantities: %+v", got)
	}
	if len(s.Previous.Track.Errors) != 4 || len(s.Previous.Track.Last[0].Mean) != 4 {
		t.Error("the plan has changed")
	}
}

// A plan from a file may hold anything, and earlier versions kept another track.
func TestWidthsOfNonsense(t *testing.T) {
	usual := (&State{}).widths()
	x := []float64{0.5}
	forecast := func(mean, scale, near float64) Track {
		return Track{Last: []Forecast{{X: x, Observed: -3, Mean: []float64{mean, mean}, Scale: []float64{scale, scale}, Near: []float64{near, near}}}}
	}
	nan, inf := math.NaN(), math.Inf(1)
	list := []Track{forecast(nan, 1, 0), forecast(1, 0, 0), forecast(1, -1, 0), forecast(1, nan, 0), forecast(0, 1, 7), forecast(inf, inf, 0), forecast(1, 1, nan)}
	list = append(list, Track{Errors: [][]Miss{{{float32(nan), 0}, {-1, 0.5}}, {{1, 9}, {1, float32(nan)}}}})
	var old Plan
	if err := json.Unmarshal([]byte(`{"point": [0.5], "track": {"mean": 1.5, "sd": 0.2, "weight": 3, "squares": 40}}`), &old); err != nil {
		t.Fatal(err)
	}
	for _, track := range append(list, old.Track) {
		s := State{Dim: 1, X: [][]float64{x}, Y: []float64{1}, LnCost: []float64{1}, Previous: &Plan{Point: x, Track: track}}
		if got := s.widths(); !slices.Equal(got, usual) {
			t.Errorf("%+v: %+v", track, got)
		}
	}
	s := State{Dim: 1, X: [][]float64{x}, Y: []float64{1}, LnCost: []float64{1}, Previous: &Plan{Point: x, Track: forecast(1e308, 1e-308, 0)}}
	if got := s.widths(); !(got[0].far > usual[0].far && got[0].far <= mostFar && got[1].far > usual[1].far) {
		t.Errorf("an immense error: %+v", got)
	}
}
