package policy

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/normal"
)

// underway is an evaluation at x that has shown values at the two lower levels, of a function that is shifted by so much.
func underway(s *State, x []float64, shift float64) Underway {
	for _, level := range []float64{0, 0.5} {
		s.Looks = append(s.Looks, Look{X: x, Level: level, Y: atLevel(x, level) + shift, LnCost: -math.Log(9) * (1 - level), Step: true})
	}
	return Underway{X: x, Level: 1, Spent: 1.0 / 3}
}

func fitLeveled(t *testing.T, s State) *Models {
	t.Helper()
	m, err := Fit(t.Context(), s, Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The slow twin asks the models about one point after another, and integrates the improvement.
func TestGoOnEqualsIntegration(t *testing.T) {
	s := leveledState(6, 10, 3)
	u := underway(&s, []float64{0.9, 0.1}, 0)
	const n = 400_000
	quantiles := make([]float64, n) // once for all points, as finding them is what takes long
	for i := range quantiles {
		quantiles[i] = normal.Quantile((float64(i) + 0.5) / n)
	}
	for _, level := range []float64{1, 0.5} {
		u.Level = level
		m := fitLeveled(t, s)
		g, ok := m.GoOn(u)
		if !ok {
			t.Fatal("nothing to compare with")
		}
		std, best := m.objective.Standard(), math.Inf(-1)
		for _, v := range m.values {
			best = math.Max(best, v)
		}
		improvement := func(x []float64) (chance, mean float64) {
			mu, sd := m.objective.PosteriorSD(x)
			for _, z := range quantiles {
				if v := mu + sd*z - best; v > 0 {
					chance, mean = chance+1.0/n, mean+v/std.Scale/n
				}
			}
			return chance, mean
		}
		price := func(level float64, x []float64) float64 {
			ln, _ := m.lnCost.At(level).Posterior(x)
			return math.Exp(ln)
		}
		chance, gain := improvement(u.X)
		rest := math.Max(price(1, u.X)-u.Spent, 0.05*price(1, u.X))
		if level < 1 {
			rest = math.Max(price(level, u.X)-u.Spent, 0.05*price(level, u.X)) + price(1, u.X)
		}
		d := &decision{State: &s, history: m.policy.newHistory(&s), fitted: m.fitted}
		_ = m.policy.believe(d, best)
		other := 0.0
		for _, x := range m.policy.newLookWorth(d, Suggestion{X: u.X}).tops[1:] {
			ln, sd := m.lnCost.PosteriorSD(x)
			if normal.CDF((math.Log(s.Remaining)-ln)/sd) < 0.999999 {
				t.Fatal("a price that may not fit is not for this test")
			}
			if mu, sd := m.objective.PosteriorSD(x); (mu-best)/sd < -3 {
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

func TestGoOnStopsWhatDoesNotEarnItsRest(t *testing.T) {
	s := leveledState(6, 10, 3)
	bad := underway(&s, []float64{0.95, 0.05}, 0)
	if g, ok := fitLeveled(t, s).GoOn(bad); !ok || !g.Stops() {
		t.Errorf("far from the best: %+v", g)
	}
	s = leveledState(6, 10, 3)
	good := underway(&s, []float64{0.3, 0.6}, 0)
	if g, ok := fitLeveled(t, s).GoOn(good); !ok || g.Stops() {
		t.Errorf("at the best: %+v", g)
	}
	s = State{Dim: 2, Levels: []float64{0, 0.5, 1}, Initial: 30, Remaining: 20, Seed: 1, Looks: s.Looks}
	if _, err := Fit(t.Context(), s, Settings{Threads: 1}); err == nil {
		if g, ok := fitLeveled(t, s).GoOn(good); ok {
			t.Errorf("without a value at the top: %+v", g)
		}
	}
}
