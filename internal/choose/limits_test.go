package choose

import (
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
)

// shelves is a study of a whole number and another one, which has to be just below it: the best is where a second limit ends that, between two whole numbers.
func shelves(n int) model.State {
	s := model.State{Dim: 2, Parameters: 2, Initial: 60, Remaining: 40, Seed: 5, Trial: n, Further: []model.Quantity{{Name: "gap"}, {Name: "load", Least: -0.3}}}
	s.Snap = func(x []float64) []float64 { return []float64{(math.Min(math.Floor(20*x[0]), 19) + 0.5) / 20, x[1]} }
	s.Neighbours = func(x []float64) (list [][]float64) {
		for _, step := range []float64{-0.05, 0.05} {
			if y := x[0] + step; y > 0 && y < 1 {
				list = append(list, s.Snap([]float64{y, x[1]}))
			}
		}
		return list
	}
	for i, x := range maximise.RawPoints(n, 2, 3) {
		x = s.Snap(x)
		gap, load := x[0]-x[1], -x[0]*x[1]
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, x[1]-0.6*x[0]), append(s.LnCost, 0.1*float64(i%3))
		s.Further[0].Y, s.Further[1].Y = append(s.Further[0].Y, gap), append(s.Further[1].Y, load)
		s.Misses = append(s.Misses, gap < 0 || load < -0.3)
	}
	return s
}

// A search finds the best setting next to limits, not the best point, rounded.
func TestSearchRoundsBesideLimits(t *testing.T) {
	s := shelves(16)
	d := modeltest.Believe(t, &s, model.Settings{Threads: 1})
	function := safely(LogEIPUC, d)
	value := ValueOf(function, d)
	best := math.Inf(-1)
	for i := range 20 {
		for j := range 2001 {
			best = math.Max(best, value([]float64{(float64(i) + 0.5) / 20, float64(j) / 2000}))
		}
	}
	chosen := func(found maximise.Result) float64 {
		p, err := NewSelector(t.Context(), d, 1, value).choose(found.Peaks, found.Top())
		if err != nil || !slices.Equal(p.X, s.Snap(p.X)) {
			t.Fatal(p, err)
		}
		return p.Value
	}
	if got := chosen(maximiseSettings(t.Context(), function, d, 1)); got < best-1e-3 {
		t.Errorf("a search has %v, and the best setting has %v", got, best)
	}
	if got := chosen(Maximise(t.Context(), function, d.Belief, d, d.Effort(s.Dim), 1)); got > best-0.1 {
		t.Errorf("without care for rounding it has %v, and the best setting %v: this test proves nothing", got, best)
	}
	if got := stepped(&s, []float64{0.525, 1}); !slices.Equal(got, []int{0}) {
		t.Errorf("coordinates %v have steps", got)
	}
}

// trade is a study with two objectives of a whole number and another one: the first objective rises with the whole number, the second falls, and the price rises, too. All whole
// numbers but one have been tried where both objectives are best, and every fourth at some distances from there as well.
func trade(untried int, price float64, distances ...float64) model.State {
	s := shelves(0)
	s.Further, s.Worst, s.Aims = nil, -2, []model.Quantity{{Name: "second", Least: -2}}
	for i := range 20 {
		for _, off := range append([]float64{0}, distances...) {
			if i == untried || off != 0 && i%4 != 0 {
				continue
			}
			x := []float64{(float64(i) + 0.5) / 20, 0.6 + off}
			s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, -math.Exp(-3*x[0])-off*off), append(s.LnCost, price*x[0])
			s.Aims[0].Y = append(s.Aims[0].Y, -x[0]-off*off)
		}
	}
	s.Initial, s.Remaining, s.Trial = 1e5, 5e4, len(s.X)
	return s
}

// With several objectives a search finds the best setting, too, where the best points lie between settings of the front. With few results that is the cheapest whole number, and
// the other number lies between those that were tried; with more, it is the untried number.
func TestSearchRoundsBetweenTheFront(t *testing.T) {
	for _, c := range []struct {
		price     float64
		distances []float64
		numbers   []int
		untried   bool
	}{
		{5, []float64{0.2, -0.3}, []int{9, 13, 17}, false},
		{3, []float64{0.1, -0.1, 0.2, -0.3, 0.35, -0.5}, []int{13, 17}, true},
	} {
		missed := 0
		for _, n := range c.numbers {
			s := trade(n, c.price, c.distances...)
			d := modeltest.Believe(t, &s, model.Settings{Threads: 1})
			function := safely(LogEIPUC, d)
			value := ValueOf(function, d)
			best, at := math.Inf(-1), 0
			for i := range 20 {
				for j := range 2001 {
					if v := value([]float64{(float64(i) + 0.5) / 20, float64(j) / 2000}); v > best {
						best, at = v, i
					}
				}
			}
			if (at == n) != c.untried {
				t.Fatalf("where %d is untried, %d is best", n, at)
			}
			chosen := func(found maximise.Result) float64 {
				p, err := NewSelector(t.Context(), d, 1, value).choose(found.Peaks, found.Top())
				if err != nil || !slices.Equal(p.X, s.Snap(p.X)) {
					t.Fatal(p, err)
				}
				return p.Value
			}
			got := chosen(maximiseSettings(t.Context(), function, d, 1))
			old := chosen(Maximise(t.Context(), function, d.Belief, d, d.Effort(s.Dim), 1))
			if got < best-1e-2 {
				t.Errorf("where %d is untried, a search has %v, and the best setting has %v", n, got, best)
			}
			if old < best-0.1 {
				missed++
			}
		}
		if missed == 0 {
			t.Errorf("without care for rounding nothing is missed among %v: this test proves nothing", c.numbers)
		}
	}
}

// Where many raw points stand for each setting, the best of them are still several settings, and all are new.
func TestRawPointsAreDistinctSettings(t *testing.T) {
	s := trade(9, 5, 0.2, -0.3)
	s.Snap = func(x []float64) []float64 {
		return []float64{(math.Min(math.Floor(20*x[0]), 19) + 0.5) / 20, (math.Min(math.Floor(4*x[1]), 3) + 0.5) / 4}
	}
	for i, x := range s.X {
		s.X[i] = s.Snap(x)
	}
	d := modeltest.Believe(t, &s, model.Settings{Threads: 1})
	function := safely(LogEIPUC, d)
	var settings []maximise.Peak
	for i := range 20 {
		for j := range 4 {
			if x := s.Snap([]float64{(float64(i) + 0.5) / 20, (float64(j) + 0.5) / 4}); model.IsNew(x, d.Taken...) {
				settings = append(settings, maximise.Peak{X: x, Value: ValueOf(function, d)(x)})
			}
		}
	}
	best := maximise.Result{Peaks: settings}
	best.Keep(roundedPoints)
	found := maximiseSettings(t.Context(), function, d, 1)
	for _, p := range best.Peaks {
		if !slices.ContainsFunc(found.Peaks, func(f maximise.Peak) bool { return slices.Equal(f.X, p.X) }) {
			t.Errorf("%v is not among the peaks, and one of the best settings, with %v", p.X, p.Value)
		}
	}
}

// A draw within a range is one draw: a range as narrow as a hair has nothing to gain, and one with far ends changes nothing.
func TestGainWithinARange(t *testing.T) {
	gain := func(most float64) float64 {
		s := shelves(16)
		s.Further[1].Most = &most
		return expectedGain(modeltest.Believe(t, &s, model.Settings{Threads: 1}))
	}
	if hair, far := gain(-0.3+1e-12), gain(1e6); hair != leastGain || !(far > 10*leastGain) {
		t.Errorf("within a hair %v, and without an upper end %v", hair, far)
	}
}
