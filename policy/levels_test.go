package policy

import (
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/gp"
)

// planned returns a state of 8 evaluations at the top and 22 looks, with the plan of its models, and the policy.
func planned(t *testing.T) (*policy, State) {
	t.Helper()
	s := leveledState(8, 22, 4)
	p, d := leveledDecision(t, &s)
	s.Previous = p.newPlan(d, s.X[0])
	return p, s
}

// Models gain new data under the last plan's hyperparameters, and are then the models of all data. When these have grown by a tenth, or
// one of them surprised, hyperparameters are searched anew.
func TestLeveledModelsAreUpdated(t *testing.T) {
	p, s := planned(t)
	if s.Previous.Searched != 8 || s.Previous.SearchedLooks != 22 {
		t.Fatalf("searched with %d and %d observations", s.Previous.Searched, s.Previous.SearchedLooks)
	}
	grow := func(s State, looks int, shift float64) fitted {
		for _, l := range leveledState(0, looks, 9).Looks {
			l.Y += shift
			s.Looks = append(slices.Clip(s.Looks), l)
		}
		s.X, s.Y, s.LnCost = append(slices.Clip(s.X), []float64{0.2, 0.9}), append(slices.Clip(s.Y), atLevel([]float64{0.2, 0.9}, 1)), append(slices.Clip(s.LnCost), 0)
		return p.fitModels(t.Context(), &s, p.newHistory(&s))
	}
	few, many, odd := grow(s, 1, 0), grow(s, 2, 0), grow(s, 1, 3)
	if few.searched != 8 || few.searchedLooks != 22 || few.objective.Len() != 32 || len(few.values) != 9 {
		t.Errorf("with 2 new observations: searched with %d and %d, %d modelled, %d values", few.searched, few.searchedLooks, few.objective.Len(), len(few.values))
	}
	for name, f := range map[string]fitted{"3 new observations": many, "a surprise": odd} {
		if f.searched != 9 || f.searchedLooks < 23 {
			t.Errorf("%s: searched with %d and %d", name, f.searched, f.searchedLooks)
		}
	}
	first := s.Looks[0]
	order := slices.Concat(s.X, [][]float64{{0.2, 0.9}})
	y, levels := append(slices.Clone(s.Y), atLevel([]float64{0.2, 0.9}, 1)), slices.Repeat([]float64{1}, 9)
	for _, l := range append(slices.Clone(s.Looks), leveledState(0, 1, 9).Looks...) {
		order, y, levels = append(order, l.X), append(y, l.Y), append(levels, l.Level)
	}
	plan := s.Previous
	twin := gp.NewAt(order, levels, warped(plan.Warp, y), plan.Standard[0], plan.Hyper[0])
	for _, level := range []float64{0, 1} {
		mean, variance := few.objective.At(level).Posterior(first.X)
		wantMean, wantVariance := twin.At(level).Posterior(first.X)
		if math.Abs(mean-wantMean) > 1e-8 || math.Abs(variance-wantVariance) > 1e-8 {
			t.Errorf("level %v: %v ± %v, all data say %v ± %v", level, mean, variance, wantMean, wantVariance)
		}
	}
}

// What is new comes last, whether it is a look or not, and a failure's cost is never new.
func TestNewObservationsComeLast(t *testing.T) {
	s := leveledState(4, 10, 2)
	s.Previous = &Plan{Searched: 3, SearchedLooks: 8}
	s.LnCost[0] = math.NaN()
	o := s.observations(mostLeveled)
	if o.known != 11 || !slices.Equal(o.x[11], s.X[3]) || !slices.Equal(o.x[12], s.Looks[8].X) || o.levels[11] != 1 {
		t.Errorf("%d known, then %v", o.known, o.x[11:])
	}
	costs := o.priced([]Failure{{X: []float64{0.5, 0.5}, LnCost: 1}, {X: []float64{0.1, 0.5}, LnCost: math.NaN()}})
	if costs.known != 11 || len(costs.x) != 14 || costs.lnCost[0] != 1 {
		t.Errorf("%d of %d costs known, the first is %v", costs.known, len(costs.x), costs.lnCost[0])
	}
}

// Where looks have nothing to do with the top, the values are modelled without them, also when the models are updated, and there are no
// further looks.
func TestMisleadingLooks(t *testing.T) {
	s := leveledState(14, 30, 6)
	if _, d := leveledDecision(t, &s); !d.isLeveled() {
		t.Fatal("looks that tell are left out")
	}
	for i, l := range s.Looks {
		s.Looks[i].Y = math.Sin(23*l.X[0]+1) * math.Cos(19*l.X[1])
	}
	p, d := leveledDecision(t, &s)
	if d.isLeveled() || d.objective.Len() != len(s.X) || len(d.values) != len(s.X) {
		t.Fatalf("a model of %d observations, with levels: %v", d.objective.Len(), d.isLeveled())
	}
	s.Previous = p.newPlan(d, s.X[0])
	s.X, s.Y, s.LnCost = append(s.X, []float64{0.2, 0.9}), append(s.Y, atLevel([]float64{0.2, 0.9}, 1)), append(s.LnCost, 0)
	for _, givenUp := range []int{2, 0} { // earlier versions did not write it down
		s.Previous.GivenUp = givenUp
		if f := p.fitModels(t.Context(), &s, p.newHistory(&s)); f.searched != 14 || f.isLeveled() || f.objective.Len() != 15 || f.givenUp != 2 {
			t.Errorf("searched with %d, %d modelled, %d levels given up, with levels: %v", f.searched, f.objective.Len(), f.givenUp, f.isLeveled())
		}
	}
	s.Looking = []Look{{X: []float64{0.5, 0.5}, Level: 0}}
	out, err := p.Suggest(t.Context(), s)
	if err != nil || out.Level != 1 || out.Look != nil {
		t.Errorf("level %v, %+v, %v", out.Level, out.Look, err)
	}
}

// If only the lowest levels tell nothing, only these are given up: the values are modelled without them, also when the models are updated, and
// there are no further looks on them.
func TestBlankLevels(t *testing.T) {
	s := leveledState(6, 30, 6)
	s.Levels = []float64{0, 0.25, 0.5, 1}
	for i := range s.Looks {
		if l := &s.Looks[i]; l.Level == 0 {
			l.Level, l.Y = s.Levels[i/2%2], 0.01*math.Sin(23*l.X[0]+1)*math.Cos(19*l.X[1])-6
			l.LnCost = -math.Log(9) * (1 - l.Level)
		}
	}
	p, d := leveledDecision(t, &s)
	if d.givenUp != 2 || !d.isLeveled() || d.objective.Len() != 21 || d.lnCost.Len() != 36 {
		t.Fatalf("%d levels given up, %d values and %d costs modelled, with levels: %v", d.givenUp, d.objective.Len(), d.lnCost.Len(), d.isLeveled())
	}
	s.Previous = p.newPlan(d, s.X[0])
	s.Looks = append(s.Looks, Look{X: []float64{0.7, 0.7}, Y: -6, LnCost: -math.Log(9)}, Look{X: []float64{0.7, 0.2}, Level: 0.5, Y: atLevel([]float64{0.7, 0.2}, 0.5), LnCost: -math.Log(9) / 2})
	s.Looking = []Look{{X: []float64{0.5, 0.5}, Level: 0}}
	d = &decision{State: &s, history: p.newHistory(&s)}
	if d.fitted = p.fitModels(t.Context(), &s, d.history); d.searchedLooks != 30 || d.givenUp != 2 || d.objective.Len() != 22 || d.lnCost.Len() != 38 {
		t.Errorf("searched with %d looks, %d levels given up, %d values and %d costs modelled", d.searchedLooks, d.givenUp, d.objective.Len(), d.lnCost.Len())
	}
	if err := p.believe(d, 0); err != nil || d.belief.Objective.Len() != 22 || d.belief.LnCost.Len() != 39 {
		t.Errorf("%d values and %d costs with the look under way, %v", d.belief.Objective.Len(), d.belief.LnCost.Len(), err)
	}
	looks := 0
	for trial := range 20 {
		s.Trial = 40 + trial
		out, err := p.Suggest(t.Context(), s)
		if err != nil || out.Level < 0.5 {
			t.Fatalf("level %v, %v", out.Level, err)
		}
		if out.Level == 0.5 {
			looks++
			s.Looks = append(s.Looks, Look{X: out.X, Level: 0.5, Y: atLevel(out.X, 0.5), LnCost: -math.Log(9) / 2})
		} else {
			s.X, s.Y, s.LnCost = append(s.X, out.X), append(s.Y, atLevel(out.X, 1)), append(s.LnCost, 0)
		}
		s.Previous = out.Plan
	}
	if looks == 0 {
		t.Error("no looks on the level that tells")
	}
	for _, absurd := range []int{-3, math.MaxInt} {
		s.Previous.GivenUp = absurd
		if out, err := p.Suggest(t.Context(), s); err != nil || !finite(out.Predicted.Value) {
			t.Errorf("%d levels given up: %+v, %v", absurd, out, err)
		}
	}
}
