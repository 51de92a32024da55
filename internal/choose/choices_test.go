package choose

import (
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
)

// glazes is a study of a number and a choice among three values. The best number depends on the value.
func glazes(n int) model.State {
	s := model.State{Dim: 4, Parameters: 2, Choices: []model.Span{{From: 1, To: 4}}, Initial: 30, Remaining: 20, Seed: 5, Trial: n}
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

// Every peak of a search is a setting, and moving its number alone does not improve it. In the paper a peak may lie between
// values.
func TestSearchKeepsToTheValuesOfAChoice(t *testing.T) {
	s := glazes(9)
	for _, settled := range []bool{true, false} {
		d := modeltest.Believe(t, &s, model.Settings{Paper: !settled, Threads: 1})
		found := Maximise(t.Context(), LogEIPUC, d.Belief, d, d.Effort(s.Dim), 1)
		between, values := 0, map[int]bool{}
		value := LogEIPUC(d.Belief, d).Log()
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
		if got := held(&s, x[:]); !slices.Equal(got, want) {
			t.Errorf("at %v: %v held, want %v", x, got, want)
		}
	}
	s.Feasible = func(x []float64) bool { return x[2] != 1 }
	if got := otherValues(&s, []float64{0.3, 1, 0, 0, 0.5}); len(got) != 1 || !slices.Equal(got[0], []float64{0.3, 0, 0, 1, 0.5}) {
		t.Errorf("other values %v", got)
	}
}

// What was seen with one value of a choice tells about another until results say otherwise.
func TestValuesOfAChoiceAreRelated(t *testing.T) {
	s := model.State{Dim: 4, Initial: 100, Remaining: 50, Seed: 5, Trial: 7, Choices: []model.Span{{From: 1, To: 4}}}
	for i := range 7 {
		x := float64(i) / 6
		s.X, s.Y, s.LnCost = append(s.X, []float64{x, 1, 0, 0}), append(s.Y, -3*(x-0.3)*(x-0.3)), append(s.LnCost, 0)
	}
	correlation := func(paper bool) float64 {
		p := modeltest.Believe(t, &s, model.Settings{Paper: paper, Threads: 1}).Predict([][]float64{{0.3, 0, 1, 0}, {1, 0, 1, 0}})
		return p[0].Value - p[1].Value
	}
	if related, unrelated := correlation(false), correlation(true); related < 0.3 || unrelated > 0.1 {
		t.Errorf("where one value is better by 1.47, another is expected to be by %v, and by %v if they are not related", related, unrelated)
	}
}
