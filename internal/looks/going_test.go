package looks

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
	"github.com/eke-bo/eke/internal/normal"
)

// underway is an evaluation at x that has shown values at the two lower levels, of a function that is shifted by so much.
func underway(s *model.State, x []float64, shift float64) Underway {
	for _, level := range []float64{0, 0.5} {
		s.Looks = append(s.Looks, model.Look{X: x, Level: level, Y: modeltest.AtLevel(x, level) + shift, LnCost: -math.Log(9) * (1 - level), Step: true})
	}
	return Underway{X: x, Level: 1, Spent: 1.0 / 3}
}

// The slow twin asks the models about one point after another, and integrates the improvement.
func TestGoOnEqualsIntegration(t *testing.T) {
	s := modeltest.Leveled(6, 10, 3)
	u := underway(&s, []float64{0.9, 0.1}, 0)
	const n = 400_000
	quantiles := make([]float64, n) // once for all points, as finding them is what takes long
	for i := range quantiles {
		quantiles[i] = normal.Quantile((float64(i) + 0.5) / n)
	}
	for _, level := range []float64{1, 0.5} {
		u.Level = level
		m := modeltest.Believe(t, &s, model.Settings{Threads: 1})
		g, ok := GoOn(m.Models, u)
		if !ok {
			t.Fatal("nothing to compare with")
		}
		std, best := m.Objective().Standard(), math.Inf(-1)
		for _, v := range m.Values {
			best = math.Max(best, v)
		}
		improvement := func(x []float64) (chance, mean float64) {
			mu, sd := m.Objective().PosteriorSD(x)
			for _, z := range quantiles {
				if v := mu + sd*z - best; v > 0 {
					chance, mean = chance+1.0/n, mean+v/std.Scale/n
				}
			}
			return chance, mean
		}
		price := func(level float64, x []float64) float64 {
			ln, _ := m.LogCost().At(level).Posterior(x)
			return math.Exp(ln)
		}
		chance, gain := improvement(u.X)
		rest := math.Max(price(1, u.X)-u.Spent, 0.05*price(1, u.X))
		if level < 1 {
			rest = math.Max(price(level, u.X)-u.Spent, 0.05*price(level, u.X)) + price(1, u.X)
		}
		other := 0.0
		for _, x := range NewWorth(m, model.Suggestion{X: u.X}).Tops[1:] {
			ln, sd := m.LogCost().PosteriorSD(x)
			if normal.CDF((math.Log(s.Remaining)-ln)/sd) < 0.999999 {
				t.Fatal("a price that may not fit is not for this test")
			}
			if mu, sd := m.Objective().PosteriorSD(x); (mu-best)/sd < -3 {
				continue // it cannot be the best, and integrating it takes long
			}
			_, gain := improvement(x)
			other = math.Max(other, gain/price(1, x))
		}
		if math.Abs(g.Chance-chance) > 1e-5+1e-3*chance || math.Abs(g.Rest-rest) > 1e-9 || math.Abs(g.Worth-gain/rest/other) > 1e-2*g.Worth+1e-6 {
			t.Errorf("level %v: %+v, the twin has chance %v, rest %v, worth %v", level, g, chance, rest, gain/rest/other)
		}
	}
}

func fitted(t *testing.T, s model.State) *model.Models {
	return modeltest.Believe(t, &s, model.Settings{Threads: 1}).Models
}

func TestGoOnStopsWhatDoesNotEarnItsRest(t *testing.T) {
	s := modeltest.Leveled(6, 10, 3)
	bad := underway(&s, []float64{0.95, 0.05}, 0)
	if g, ok := GoOn(fitted(t, s), bad); !ok || !g.Stops() {
		t.Errorf("far from the best: %+v", g)
	}
	s = modeltest.Leveled(6, 10, 3)
	good := underway(&s, []float64{0.3, 0.6}, 0)
	if g, ok := GoOn(fitted(t, s), good); !ok || g.Stops() {
		t.Errorf("at the best: %+v", g)
	}
	s = model.State{Dim: 2, Levels: []float64{0, 0.5, 1}, Initial: 30, Remaining: 20, Seed: 1, Looks: s.Looks}
	if g, ok := GoOn(fitted(t, s), good); ok {
		t.Errorf("without a value at the top: %+v", g)
	}
}
