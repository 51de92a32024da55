package choose

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
)

// The least chance for which a trial is worth paying grows with the part of the budget that it takes. A state that does not say what the whole budget was is
// judged by what is left.
func TestDearTrialsNeedBetterOdds(t *testing.T) {
	for _, budget := range []float64{12, 1e6, 0} {
		s := model.State{Dim: 1, Initial: budget, Remaining: math.Max(budget, 12), Seed: 5}
		for i := range 6 {
			x := float64(i) / 5
			s.X, s.Y, s.LnCost = append(s.X, []float64{x}), append(s.Y, math.Sin(5*x)), append(s.LnCost, 2*x)
		}
		d := modeltest.Believe(t, &s, model.Settings{Threads: 1})
		beats, skipped, kept := d.Beats(), 0, 0
		selector := Selector{}.Hopeful(d, 0)
		for _, x := range maximise.RawPoints(200, 1, 3) {
			lnCost, _ := d.Belief.LnCostAt(x)
			want := beats(x) < math.Max(0.009, 0.1*math.Exp(lnCost)/math.Max(budget, 12))
			if got := selector.hopeless(x); got != want {
				t.Fatalf("budget %v, %v: hopeless %v with a chance of %v at a price of %v", budget, x, got, beats(x), math.Exp(lnCost))
			}
			if want {
				skipped++
			} else {
				kept++
			}
		}
		if skipped == 0 || kept == 0 {
			t.Errorf("budget %v: %d points are skipped and %d kept", budget, skipped, kept)
		}
	}
	s := model.State{Dim: 1, Initial: 12, Remaining: 12, X: [][]float64{{0}, {1}}, Y: []float64{0, 1}, LnCost: []float64{0, 0}}
	for _, settings := range []model.Settings{{LongShots: true}, {Paper: true}, {Noise: model.Noisy()}} {
		if (Selector{}.Hopeful(modeltest.Believe(t, &s, settings), 0)).hopeless != nil {
			t.Errorf("%+v: some points are skipped", settings)
		}
	}
}

// Where failures cost next to nothing, what may fail needs a smaller chance: as much smaller as its expected price is.
func TestCheapFailuresNeedLess(t *testing.T) {
	s := model.State{Dim: 1, Initial: 100, Remaining: 60, Seed: 5}
	for i := range 10 {
		x := []float64{float64(i) / 9}
		if i < 7 {
			s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, math.Sin(7*x[0])), append(s.LnCost, 0)
			continue
		}
		s.Failed, s.FailedCost = append(s.Failed, model.Failure{X: x, LnCost: math.NaN()}), append(s.FailedCost, -6)
	}
	cheap := modeltest.Believe(t, &s, model.Settings{Threads: 1})
	for i := range s.Failed {
		s.FailedCost[i] = 0
	}
	dear := modeltest.Believe(t, &s, model.Settings{Threads: 1})
	more := 0
	for _, x := range maximise.RawPoints(300, 1, 3) {
		c, d := Selector{}.Hopeful(cheap, 0).hopeless(x), Selector{}.Hopeful(dear, 0).hopeless(x)
		if c && !d {
			t.Fatalf("%v is hopeless where failures are cheap, and not where they are dear", x)
		}
		if d && !c {
			more++
		}
	}
	if more == 0 {
		t.Error("nothing more is hopeful where failures are cheap")
	}
}

// Where failures cost next to nothing, the gain for the price stays as high as it was, and a setting would be tried again and again. Close to two failures nothing is.
func TestSureFailuresAreNotTried(t *testing.T) {
	levels := func(x []float64) []float64 { return []float64{(math.Floor(math.Min(x[0], 0.999)*4) + 0.5) / 4, x[1]} }
	s := model.State{Dim: 2, Initial: 100, Remaining: 80, Seed: 3, Snap: levels}
	for i := range 9 {
		x := levels([]float64{float64(i%3) / 4, float64(i) / 8})
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, 3*x[0]-(x[1]-0.4)*(x[1]-0.4)), append(s.LnCost, 0)
	}
	policy, err := Policy{Rule: Gittins(true)}.New("gittins-d", model.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		out, err := policy.Suggest(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		near := 0
		for _, f := range s.Failed {
			if math.Abs(f.X[0]-out.X[0]) < 0.01 && math.Abs(f.X[1]-out.X[1]) < 0.02 {
				near++
			}
		}
		if near >= 2 {
			t.Errorf("after %d failures %v is tried, with a chance to work of %.3f", len(s.Failed), out.X, out.Predicted.Works)
		}
		if s.Trial++; out.X[0] < 0.75 {
			s.X, s.Y, s.LnCost = append(s.X, out.X), append(s.Y, 3*out.X[0]-(out.X[1]-0.4)*(out.X[1]-0.4)), append(s.LnCost, 0)
			continue
		}
		s.Failed, s.FailedCost = append(s.Failed, model.Failure{X: out.X, LnCost: math.NaN()}), append(s.FailedCost, -6)
	}
	if len(s.Failed) != 2 {
		t.Errorf("%d settings failed: the second failure is to show that the first was no fluke", len(s.Failed))
	}
}

// A study that starts from another one with the same seed does not pay for the same design once more.
func TestDesignAfterAnEarlierStudy(t *testing.T) {
	for _, seed := range []uint64{0, 5} {
		for trial := range 4 {
			s := model.State{Dim: 2, Seed: seed, Trial: trial}
			before := designPoint(&s)
			s.Earlier = &model.Earlier{X: [][]float64{before}, Y: []float64{1}, LnCost: []float64{0}}
			if got := designPoint(&s); slices.Equal(got, before) {
				t.Errorf("seed %d, trial %d: %v again", seed, trial, got)
			}
		}
	}
}

// Forecasts are judged by what is evaluated. If another evaluation is resumed in place of what was chosen, its forecast waits for the result.
func TestForecastIsOfWhatIsEvaluated(t *testing.T) {
	s := modeltest.Leveled(6, 10, 3)
	resumed := s.Looks[9].X
	resume := func(_ context.Context, _ *model.Beliefs, chosen model.Suggestion) model.Suggestion {
		chosen.X, chosen.Level = resumed, 1
		return chosen
	}
	p, err := Policy{Rule: OneStep(LogEIPUC), Look: resume}.New("resumes", model.Settings{Threads: 1, Design: -1})
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Suggest(t.Context(), s)
	if err != nil || len(out.Plan.Track.Last) != 1 || !slices.Equal(out.Plan.Track.Last[0].X, resumed) {
		t.Errorf("%v is evaluated, and the forecasts that wait are %+v, %v", out.X, out.Plan.Track.Last, err)
	}
}
