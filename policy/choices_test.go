package policy

import (
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/maximise"
)

// glazes is a study of a number and a choice among three values. The best number depends on the value.
func glazes(n int) State {
	s := State{Dim: 4, Parameters: 2, Choices: []Span{{1, 4}}, Initial: 30, Remaining: 20, Seed: 5, Trial: n}
	s.Snap = func(x []float64) []float64 {
		y := slices.Clone(x)
		clear(y[1:])
		y[1+slices.Index(x[1:], slices.Max(x[1:]))] = 1
		return y
	}
	for i, x := range maximise.RawPoints(n, 4, 3) {
		x = s.Snap(x)
		off := x[0] - 0.2 - 0.3*float64(slices.Index(x[1:], 1))
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, x[2]-8*off*off), append(s.LnCost, 0.1*float64(i%3))
	}
	return s
}

func settledOn(t *testing.T, s *State, preset Preset) (*policy, *decision) {
	t.Helper()
	set, err := Settings{Preset: &preset, Threads: 1}.complete()
	if err != nil {
		t.Fatal(err)
	}
	p := &policy{Settings: set}
	d := &decision{State: s, history: p.newHistory(s)}
	d.fitted = p.fitModels(t.Context(), s, d.history)
	best := p.best(d.fitted, d.history, d.X)
	d.incumbent = s.X[best.index]
	if err := p.believe(d, best.value); err != nil {
		t.Fatal(err)
	}
	return p, d
}

// Every peak of a search is a setting, and moving its number alone does not improve it. Without the field a peak may lie between
// values.
func TestSearchKeepsToTheValuesOfAChoice(t *testing.T) {
	s := glazes(9)
	for _, settled := range []bool{true, false} {
		preset := Default()
		preset.Settled = settled
		p, d := settledOn(t, &s, preset)
		found := p.maximiseOneStep(t.Context(), p.logEIPUC, d.belief, d, p.effort(s.Dim), 1)
		between, values := 0, map[int]bool{}
		value := p.logEIPUC(d.belief, d).Log()
		for _, peak := range found.Peaks {
			if !slices.Equal(peak.X, s.Snap(peak.X)) {
				between++
				continue
			}
			values[slices.Index(peak.X[1:], 1)] = true
			for _, step := range []float64{-1e-3, 1e-3} {
				moved := slices.Clone(peak.X)
				moved[0] = min(max(moved[0]+step, 0), 1)
				if v := value.Eval(nil, moved); settled && v > peak.Value+1e-4 {
					t.Errorf("%v has %v, and %v has %v", peak.X, peak.Value, moved, v)
				}
			}
		}
		if settled && (between > 0 || len(values) != 3) || !settled && between == 0 {
			t.Errorf("settled %v: %d of %d peaks are between values; peaks at %d values", settled, between, len(found.Peaks), len(values))
		}
	}
}

// Models are doubted at other values of a choice than the best setting has, the more the fewer trials had them, and only where searches
// keep to values.
func TestOtherValuesAreDoubted(t *testing.T) {
	s := glazes(9)
	p, d := settledOn(t, &s, Default())
	doubt := p.doubt(d)
	for _, y := range append(s.otherValues(d.incumbent), slices.Clone(d.incumbent)) {
		tried, want := 0.0, 1.0
		for _, x := range s.X {
			if slices.Equal(x[1:], y[1:]) {
				tried++
			}
		}
		if !slices.Equal(y[1:], d.incumbent[1:]) {
			want = math.Sqrt(1 + 2/math.Max(tried, 2))
		}
		if y[0] = 0.9; doubt(y) != want {
			t.Errorf("at %v, tried %v times, the standard deviation counts %v times, want %v; the best setting is %v", y, tried, doubt(y), want, d.incumbent)
		}
	}
	for _, change := range []func(p *Preset){func(p *Preset) { p.OtherValues = 0 }, func(p *Preset) { p.Settled = false }} {
		preset := Default()
		change(&preset)
		if p, d := settledOn(t, &s, preset); p.doubt(d) != nil {
			t.Error("doubt without the field, or in a search that may leave the values")
		}
	}
	s.Choices = nil
	if p, d := settledOn(t, &s, Default()); p.doubt(d) != nil {
		t.Error("doubt without a choice")
	}
}

// A search does not move what means nothing at its setting.
func TestIdleCoordinatesAreHeld(t *testing.T) {
	s := glazes(3)
	s.Dim = 5
	snap := s.Snap
	s.Snap = func(x []float64) []float64 {
		y := append(snap(x[:4]), x[4])
		if y[3] != 1 { // the last number exists with the last value only
			y[4] = 0.5
		}
		return y
	}
	for x, want := range map[[5]float64][]int{{0.3, 1, 0, 0, 0.5}: {1, 2, 3, 4}, {0.3, 0, 0, 1, 0.5}: {1, 2, 3}} {
		if got := s.held(x[:]); !slices.Equal(got, want) {
			t.Errorf("at %v: %v held, want %v", x, got, want)
		}
	}
	s.Feasible = func(x []float64) bool { return x[2] != 1 }
	if got := s.otherValues([]float64{0.3, 1, 0, 0, 0.5}); len(got) != 1 || !slices.Equal(got[0], []float64{0.3, 0, 0, 1, 0.5}) {
		t.Errorf("other values %v", got)
	}
}

// What was seen with one value of a choice tells about another until results say otherwise.
func TestValuesOfAChoiceAreRelated(t *testing.T) {
	s := State{Dim: 4, Initial: 100, Remaining: 50, Seed: 5, Trial: 7, Choices: []Span{{From: 1, To: 4}}}
	for i := range 7 {
		x := float64(i) / 6
		s.X, s.Y, s.LnCost = append(s.X, []float64{x, 1, 0, 0}), append(s.Y, -3*(x-0.3)*(x-0.3)), append(s.LnCost, 0)
	}
	alone := Default()
	alone.Related = 0
	correlation := func(preset Preset) float64 {
		m, err := Fit(t.Context(), s, Settings{Preset: &preset, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		p := m.Predict([][]float64{{0.3, 0, 1, 0}, {1, 0, 1, 0}})
		return p[0].Value - p[1].Value
	}
	if related, unrelated := correlation(Default()), correlation(alone); related < 0.3 || unrelated > 0.1 {
		t.Errorf("where one value is better by 1.47, another is expected to be by %v, and by %v if they are not related", related, unrelated)
	}
}
