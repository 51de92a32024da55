package model

import (
	"math"
	"testing"
)

// flat is a study whose costs so far are all 3, at points that differ in the first coordinate alone, unless spread says otherwise.
func flat(n int, spread bool) *State {
	s := &State{Dim: 2, Initial: 100, Remaining: 60}
	for i := range n {
		x := []float64{(float64(i) + 0.5) / float64(n), 0.5}
		if spread {
			x[1] = math.Mod(0.5+0.618*float64(i), 1)
		}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, math.Sin(5*x[0])), append(s.LnCost, math.Log(3))
	}
	return s
}

// Three equal costs do not make the fourth certain, least where a parameter has not varied. Many do.
func TestFewEqualCostsAreNoCertainty(t *testing.T) {
	f, err := NewFitter(Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	sd := func(s *State, x ...float64) float64 { return f.Fit(t.Context(), s).Predict([][]float64{x})[0].LnCostSD }
	few := flat(3, false)
	near, along, aside := sd(few, 0.52, 0.5), sd(few, 0.34, 0.5), sd(few, 0.5, 1)
	if !(near < along && along < aside && aside > 0.15) {
		t.Errorf("the forecast of a log-cost has the standard deviation %v next to a setting, %v between two, and %v along a parameter that has not varied", near, along, aside)
	}
	if most := 3 * math.Exp(tenth*aside); most < 3.6 {
		t.Errorf("after three trials that cost 3, nine in ten are said to cost less than %v", most)
	}
	if many := sd(flat(40, true), 0.5, 1); many > 0.05 {
		t.Errorf("after forty equal costs the standard deviation is %v", many)
	}
}

// Costs that vary are forecast by their models alone.
func TestCostsThatVaryAreNotDoubted(t *testing.T) {
	s := flat(6, true)
	for i, x := range s.X {
		s.LnCost[i] = x[0]
	}
	if v := doubtfulVariance(s.LnCost, usualSpread); v != 0 {
		t.Errorf("log-costs from 0 to 1 leave a variance of %v in doubt", v)
	}
}

// An earlier study knows that costs rise with the second parameter. The first trials of this one cost the same, as it expected of them, and so it is believed.
func TestEarlierCostsCount(t *testing.T) {
	s, e := flat(3, false), &Earlier{}
	for i := range 36 {
		x := []float64{(float64(i%6) + 0.5) / 6, (float64(i/6) + 0.5) / 6}
		e.X, e.Y, e.LnCost = append(e.X, x), append(e.Y, math.Sin(5*x[0])), append(e.LnCost, 2*x[1])
	}
	s.Earlier = e
	f, err := NewFitter(Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := f.Fit(t.Context(), s)
	list := m.Predict([][]float64{{0.5, 0.5}, {0.5, 0.9}})
	if rise := list[1].LnCost - list[0].LnCost; !m.EarlierUse().Costs || rise < 0.5 || rise > 1.1 {
		t.Errorf("the log-cost is expected to rise by %v, want about 0.8; costs of the earlier study are followed: %v", rise, m.EarlierUse().Costs)
	}
}

// An earlier study has tried low temperatures alone. The new one follows it, and its forecasts do not take for certain what the earlier one only guesses.
func TestForecastsOfWhatTheEarlierStudyGuesses(t *testing.T) {
	s, e := flat(0, false), &Earlier{}
	f := func(x []float64) float64 { return math.Sin(5*x[0]) + math.Cos(3*x[1]) }
	for i := range 36 {
		x := []float64{(float64(i%6) + 0.5) / 12, (float64(i/6) + 0.5) / 6}
		e.X, e.Y, e.LnCost = append(e.X, x), append(e.Y, f(x)), append(e.LnCost, x[1])
		if i%5 == 2 {
			s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, 1.3*f(x)+0.2), append(s.LnCost, x[1])
		}
	}
	s.Earlier = e
	fitter, err := NewFitter(Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := fitter.Fit(t.Context(), s)
	if !m.EarlierUse().Values {
		t.Fatal("the earlier study is not followed")
	}
	wider := func(x []float64) float64 {
		_, sd := m.Objective().PosteriorSD(x)
		scale, _ := plainScale(m.Objective(), value, x, sd)
		return scale / math.Hypot(sd, noiseSD(m.Objective()))
	}
	if tried, guessed := wider([]float64{0.25, 0.5}), wider([]float64{0.95, 0.5}); guessed < 3*tried {
		t.Errorf("forecasts are %v times as wide as the models say where the earlier study has results, and %v times where it has none", tried, guessed)
	}
}
