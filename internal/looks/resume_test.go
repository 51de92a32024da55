package looks

import (
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
)

// What was paid for a look is taken off the price of an evaluation that goes on from it, and of nothing else; and a setting that is
// partly paid for is evaluated rather than a fresh one that is worth no more.
func TestResumedEvaluationsCostTheDifference(t *testing.T) {
	s := modeltest.Leveled(6, 10, 3)
	x := []float64{0.3, 0.6}
	s.Looks = append(s.Looks, model.Look{X: x, Level: 0, Y: modeltest.AtLevel(x, 0), LnCost: math.Log(1.0 / 9)}, model.Look{X: x, Level: 0.5, Y: modeltest.AtLevel(x, 0.5), LnCost: math.Log(1.0 / 3)})
	fresh := []float64{0.31, 0.58}
	d := modeltest.Believe(t, &s, model.Settings{Threads: 1})
	plain := NewWorth(d, model.Suggestion{X: fresh})
	if out := plain.resumed(model.Suggestion{X: fresh}); !slices.Equal(out.X, fresh) {
		t.Errorf("without resuming, %v is chosen", out.X)
	}
	s.Resume = true
	w := NewWorth(d, model.Suggestion{X: fresh})
	for j, top := range w.Tops {
		mean, _ := d.Belief.LnCost.Posterior(top)
		whole, want := math.Exp(mean), math.Exp(mean)
		for _, l := range s.Looks {
			if slices.Equal(l.X, top) {
				want = math.Max(whole-math.Exp(l.LnCost), LeastRest*whole) // the last is the highest
			}
		}
		if got := math.Exp(w.lnCost[j]); math.Abs(got-want) > 1e-12 {
			t.Errorf("top %d costs %v, want %v of %v", j, got, want, whole)
		}
	}
	if out := w.resumed(model.Suggestion{X: fresh}); !slices.Equal(out.X, x) {
		t.Errorf("%v is chosen, want %v", out.X, x)
	}
	s.Looks[10].Elsewhere, s.Looks[11].Elsewhere = true, true
	if got := paid(&s, x); got != 0 {
		t.Errorf("%v is paid for a point that was looked at elsewhere", got)
	}
	s.Looks[10].Elsewhere, s.Looks[11].Elsewhere = false, false
	s.Feasible = func(y []float64) bool { return !slices.Equal(y, x) } // by a constraint that came after the looks
	if out := NewWorth(d, model.Suggestion{X: fresh}).resumed(model.Suggestion{X: fresh}); !slices.Equal(out.X, fresh) {
		t.Errorf("%v is chosen, which is not allowed", out.X)
	}
	s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, 0), append(s.LnCost, 0)
	if got := paid(&s, x); got != 0 {
		t.Errorf("%v is paid for a point that was evaluated", got)
	}
}
