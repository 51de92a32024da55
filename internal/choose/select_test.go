package choose

import (
	"math"
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
