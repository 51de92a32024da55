package looks

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/front"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
)

// second is a second objective, which is best elsewhere. Looks see it without its slope.
func second(x []float64, level float64) float64 {
	return 1 - math.Pow(x[0]-0.8, 2) - 2*math.Pow(x[1]-0.2, 2) - 0.3*(1-level)*x[0]
}

// twoAims is a state with two objectives and looks at both.
func twoAims(tops, looks int, seed uint64) model.State {
	s := modeltest.Leveled(tops, looks, seed)
	q := model.Quantity{Name: "second", Least: -0.5}
	for _, x := range s.X {
		q.Y = append(q.Y, second(x, 1))
	}
	for _, l := range s.Looks {
		q.Looks = append(q.Looks, second(l.X, l.Level))
	}
	s.Aims, s.Worst = []model.Quantity{q}, -3
	return s
}

// The slow twin conditions the models of both objectives on each outcome, and asks them again about every top.
func TestLookWorthWithTwoObjectivesEqualsConditioning(t *testing.T) {
	s := twoAims(6, 10, 3)
	s.Looking = []model.Look{{X: []float64{0.4, 0.4}, Level: 0.5}}
	d := modeltest.Believe(t, &s, model.Settings{Threads: 1})
	w := NewWorth(d, model.Suggestion{X: []float64{0.31, 0.58}})
	points, scratch := w.Tops[:2], make([]float64, 4)
	gainer := front.NewGainer(d.Belief.Front.Boxes, nil)
	models := d.Belief.Objectives()
	unit := models[0].Standard().Scale * models[1].Standard().Scale
	for _, level := range []float64{0, 0.5} {
		l := w.newLooking(level, points)
		for i, x := range points {
			paid := l.pay(spending{}, i)
			got, want := w.after([][]float64{l.direction(i)}, paid, w.one), 0.0
			then, _ := w.then(paid)
			for q, z := range w.one.z {
				best, after := 0.0, make([]*gp.Model, 2)
				for o, m := range models {
					at := m.At(level)
					mean, variance := at.Posterior(x)
					after[o] = at.Condition(x, mean+math.Sqrt(variance+at.Hyper().Noise*math.Pow(m.Standard().Scale, 2))*z[o]).At(1)
				}
				for j, top := range w.Tops {
					m0, sd0 := after[0].PosteriorSD(top)
					m1, sd1 := after[1].PosteriorSD(top)
					gain := math.Exp(gainer.Log([]float64{m0, m1}, []float64{sd0, sd1}, scratch[:2], scratch[2:])) / unit
					best = math.Max(best, gain*then[j].fits-then[j].price)
				}
				want += w.one.weights[q] * best
			}
			if want -= w.lambda * paid.price; math.Abs(got-want) > 1e-5*want {
				t.Errorf("a look at %v on level %v is worth %v, by conditioning %v", x, level, got, want)
			}
			rng, many := rand.New(rand.NewPCG(1, 1)), outcomes{}
			for range 1500 {
				many.z, many.weights = append(many.z, []float64{rng.NormFloat64(), rng.NormFloat64()}), append(many.weights, 1.0/1500)
			}
			if slow := w.after([][]float64{l.direction(i)}, paid, many); math.Abs(got-slow) > 0.05*slow {
				t.Errorf("a look at %v on level %v is worth %v, by 1500 outcomes %v", x, level, got, slow)
			}
		}
	}
}

// Looks come first where they are cheap, the same from the same state, and not where nothing could follow.
func TestLooksGoWithSeveralObjectives(t *testing.T) {
	s := twoAims(4, 8, 3)
	s.Remaining, s.Initial = 12, 30
	d := modeltest.Believe(t, &s, model.Settings{Threads: 1})
	chosen := First(t.Context(), d, model.Suggestion{X: []float64{0.45, 0.45}})
	if chosen.Level == 1 || chosen.Look == nil || len(chosen.Look.Others) != 1 || !(chosen.Look.Gain > 1) {
		t.Fatalf("no look, where one costs a ninth: %+v", chosen)
	}
	again := First(t.Context(), modeltest.Believe(t, &s, model.Settings{Threads: 1}), model.Suggestion{X: []float64{0.45, 0.45}})
	if !slices.Equal(again.X, chosen.X) || again.Level != chosen.Level {
		t.Errorf("a look at %v on level %v, and then at %v on level %v", chosen.X, chosen.Level, again.X, again.Level)
	}
	s.Remaining = 0.3 // what is left buys no evaluation at the top
	if poor := First(t.Context(), modeltest.Believe(t, &s, model.Settings{Threads: 1}), model.Suggestion{X: []float64{0.45, 0.45}}); poor.Level != 1 {
		t.Errorf("a look that nothing can follow: %+v", poor)
	}
}

// Before there is an evaluation at the top, the first one is good in all objectives rather than the best in one.
func TestBeginWithSeveralObjectives(t *testing.T) {
	s := twoAims(0, 0, 3)
	for _, x := range [][]float64{{0.3, 0.6}, {0.8, 0.2}, {0.55, 0.4}, {0.05, 0.95}, {0.02, 0.02}, {0.98, 0.98}, {0.1, 0.2}} {
		s.Looks = append(s.Looks, model.Look{X: x, Level: 0.5, Y: modeltest.AtLevel(x, 0.5), LnCost: -math.Log(3)})
		s.Aims[0].Looks = append(s.Aims[0].Looks, second(x, 0.5))
	}
	begin, ok := Begin(modeltest.Believe(t, &s, model.Settings{Threads: 1}))
	if !ok || !slices.Equal(begin.X, []float64{0.55, 0.4}) {
		t.Errorf("the first evaluation at the top is at %v", begin.X)
	}
}

// What is under way is stopped if it will hardly extend the front, and goes on if it is the best in one objective.
func TestGoOnWithSeveralObjectives(t *testing.T) {
	stops := func(x []float64, shift float64) Going {
		s := twoAims(6, 10, 3)
		u := underway(&s, x, shift)
		for _, l := range s.Looks[10:] {
			s.Aims[0].Looks = append(s.Aims[0].Looks, second(x, l.Level)+shift)
		}
		g, ok := GoOn(modeltest.Believe(t, &s, model.Settings{Threads: 1}).Models, u)
		if !ok {
			t.Fatal("nothing to compare with")
		}
		return g
	}
	if g := stops([]float64{0.02, 0.98}, -0.1); !g.Stops() {
		t.Errorf("far below the front: %+v", g)
	}
	if g := stops([]float64{0.8, 0.2}, 0); g.Stops() || g.Chance < 0.5 {
		t.Errorf("the best in the second objective: %+v", g)
	}
}
