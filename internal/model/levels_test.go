package model_test

import (
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
	"github.com/eke-bo/eke/policy"
)

func leveled(t *testing.T, s *model.State) *model.Beliefs {
	return modeltest.Believe(t, s, model.Settings{Threads: 1})
}

func logEIPUC(t *testing.T) policy.Policy {
	t.Helper()
	p, err := policy.New("log-ei-puc", model.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Models gain new data under the last plan's hyperparameters, and are then the models of all data. When these have grown by a tenth, or
// one of them surprised, hyperparameters are searched anew.
func TestLeveledModelsAreUpdated(t *testing.T) {
	s := modeltest.Leveled(8, 22, 4) // with the plan of its models
	s.Previous = leveled(t, &s).NewPlan(s.X[0])
	if s.Previous.Searched != 8 || s.Previous.SearchedLooks != 22 {
		t.Fatalf("searched with %d and %d observations", s.Previous.Searched, s.Previous.SearchedLooks)
	}
	grow := func(s model.State, looks int, shift float64) model.Fitted {
		for _, l := range modeltest.Leveled(0, looks, 9).Looks {
			l.Y += shift
			s.Looks = append(slices.Clip(s.Looks), l)
		}
		s.X, s.Y, s.LnCost = append(slices.Clip(s.X), []float64{0.2, 0.9}), append(slices.Clip(s.Y), modeltest.AtLevel([]float64{0.2, 0.9}, 1)), append(slices.Clip(s.LnCost), 0)
		return leveled(t, &s).Fitted
	}
	few, many, odd := grow(s, 1, 0), grow(s, 2, 0), grow(s, 1, 3)
	if few.Searched != 8 || few.SearchedLooks != 22 || few.Objective().Len() != 32 || len(few.Values) != 9 {
		t.Errorf("with 2 new observations: searched with %d and %d, %d modelled, %d values", few.Searched, few.SearchedLooks, few.Objective().Len(), len(few.Values))
	}
	for name, f := range map[string]model.Fitted{"3 new observations": many, "a surprise": odd} {
		if f.Searched != 9 || f.SearchedLooks < 23 {
			t.Errorf("%s: searched with %d and %d", name, f.Searched, f.SearchedLooks)
		}
	}
	first := s.Looks[0]
	order := slices.Concat(s.X, [][]float64{{0.2, 0.9}})
	y, levels := append(slices.Clone(s.Y), modeltest.AtLevel([]float64{0.2, 0.9}, 1)), slices.Repeat([]float64{1}, 9)
	for _, l := range append(slices.Clone(s.Looks), modeltest.Leveled(0, 1, 9).Looks...) {
		order, y, levels = append(order, l.X), append(y, l.Y), append(levels, l.Level)
	}
	plan := s.Previous
	twin := gp.NewAt(order, levels, model.Warped(plan.Warp, y), plan.Standard[0], plan.Hyper[0])
	for _, level := range []float64{0, 1} {
		mean, variance := few.Objective().At(level).Posterior(first.X)
		wantMean, wantVariance := twin.At(level).Posterior(first.X)
		if math.Abs(mean-wantMean) > 1e-8 || math.Abs(variance-wantVariance) > 1e-8 {
			t.Errorf("level %v: %v ± %v, all data say %v ± %v", level, mean, variance, wantMean, wantVariance)
		}
	}
}

// What is new comes last, whether it is a look or not, and a failure's cost is never new.
func TestNewObservationsComeLast(t *testing.T) {
	s := modeltest.Leveled(4, 10, 2)
	s.Previous = &model.Plan{Searched: 3, SearchedLooks: 8}
	s.LnCost[0] = math.NaN()
	s.Failed = []model.Failure{{X: []float64{0.5, 0.5}, LnCost: 1}, {X: []float64{0.1, 0.5}, LnCost: math.NaN()}}
	v, c := model.Observations(&s)
	if v.Known != 11 || !slices.Equal(v.X[11], s.X[3]) || !slices.Equal(v.X[12], s.Looks[8].X) || v.Levels[11] != 1 {
		t.Errorf("%d known, then %v", v.Known, v.X[11:])
	}
	if c.Known != 11 || len(c.X) != 14 || c.Targets[0] != 1 {
		t.Errorf("%d of %d costs known, the first is %v", c.Known, len(c.X), c.Targets[0])
	}
}

// Where looks have nothing to do with the top, the values are modelled without them, also when the models are updated, and there are no
// further looks.
func TestMisleadingLooks(t *testing.T) {
	s := modeltest.Leveled(14, 30, 6)
	if d := leveled(t, &s); !d.IsLeveled() {
		t.Fatal("looks that tell are left out")
	}
	for i, l := range s.Looks {
		s.Looks[i].Y = math.Sin(23*l.X[0]+1) * math.Cos(19*l.X[1])
	}
	d := leveled(t, &s)
	if d.IsLeveled() || d.Objective().Len() != len(s.X) || len(d.Values) != len(s.X) {
		t.Fatalf("a model of %d observations, with levels: %v", d.Objective().Len(), d.IsLeveled())
	}
	s.Previous = d.NewPlan(s.X[0])
	s.X, s.Y, s.LnCost = append(s.X, []float64{0.2, 0.9}), append(s.Y, modeltest.AtLevel([]float64{0.2, 0.9}, 1)), append(s.LnCost, 0)
	for _, givenUp := range []int{2, 0} { // earlier versions did not write it down
		s.Previous.GivenUp = givenUp
		if f := leveled(t, &s); f.Searched != 14 || f.IsLeveled() || f.Objective().Len() != 15 || f.GivenUp != 2 {
			t.Errorf("searched with %d, %d modelled, %d levels given up, with levels: %v", f.Searched, f.Objective().Len(), f.GivenUp, f.IsLeveled())
		}
	}
	s.Looking = []model.Look{{X: []float64{0.5, 0.5}, Level: 0}}
	out, err := logEIPUC(t).Suggest(t.Context(), s)
	if err != nil || out.Level != 1 || out.Look != nil {
		t.Errorf("level %v, %+v, %v", out.Level, out.Look, err)
	}
}

// If only the lowest levels tell nothing, only these are given up: the values are modelled without them, also when the models are updated, and
// there are no further looks on them.
func TestBlankLevels(t *testing.T) {
	s := modeltest.Leveled(6, 30, 6)
	s.Levels = []float64{0, 0.25, 0.5, 1}
	for i := range s.Looks {
		if l := &s.Looks[i]; l.Level == 0 {
			l.Level, l.Y = s.Levels[i/2%2], 0.01*math.Sin(23*l.X[0]+1)*math.Cos(19*l.X[1])-6
			l.LnCost = -math.Log(9) * (1 - l.Level)
		}
	}
	d := leveled(t, &s)
	if d.GivenUp != 2 || !d.IsLeveled() || d.Objective().Len() != 21 || d.LogCost().Len() != 36 {
		t.Fatalf("%d levels given up, %d values and %d costs modelled, with levels: %v", d.GivenUp, d.Objective().Len(), d.LogCost().Len(), d.IsLeveled())
	}
	s.Previous = d.NewPlan(s.X[0])
	s.Looks = append(s.Looks, model.Look{X: []float64{0.7, 0.7}, Y: -6, LnCost: -math.Log(9)}, model.Look{X: []float64{0.7, 0.2}, Level: 0.5, Y: modeltest.AtLevel([]float64{0.7, 0.2}, 0.5), LnCost: -math.Log(9) / 2})
	s.Looking = []model.Look{{X: []float64{0.5, 0.5}, Level: 0}}
	if d = leveled(t, &s); d.SearchedLooks != 30 || d.GivenUp != 2 || d.Objective().Len() != 22 || d.LogCost().Len() != 38 {
		t.Errorf("searched with %d looks, %d levels given up, %d values and %d costs modelled", d.SearchedLooks, d.GivenUp, d.Objective().Len(), d.LogCost().Len())
	}
	if d.Belief.Objective.Len() != 22 || d.Belief.LnCost.Len() != 39 {
		t.Errorf("%d values and %d costs with the look under way", d.Belief.Objective.Len(), d.Belief.LnCost.Len())
	}
	looks, p := 0, logEIPUC(t)
	for trial := range 20 {
		s.Trial = 40 + trial
		out, err := p.Suggest(t.Context(), s)
		if err != nil || out.Level < 0.5 {
			t.Fatalf("level %v, %v", out.Level, err)
		}
		if out.Level == 0.5 {
			looks++
			s.Looks = append(s.Looks, model.Look{X: out.X, Level: 0.5, Y: modeltest.AtLevel(out.X, 0.5), LnCost: -math.Log(9) / 2})
		} else {
			s.X, s.Y, s.LnCost = append(s.X, out.X), append(s.Y, modeltest.AtLevel(out.X, 1)), append(s.LnCost, 0)
		}
		s.Previous = out.Plan
	}
	if looks == 0 {
		t.Error("no looks on the level that tells")
	}
	for _, absurd := range []int{-3, math.MaxInt} {
		s.Previous.GivenUp = absurd
		if out, err := p.Suggest(t.Context(), s); err != nil || !model.Finite(out.Predicted.Value) {
			t.Errorf("%d levels given up: %+v, %v", absurd, out, err)
		}
	}
}

func TestStatesWithLevelsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*model.State){
		"no levels":         func(s *model.State) { s.Levels = nil },
		"one level":         func(s *model.State) { s.Levels = []float64{1} },
		"no top":            func(s *model.State) { s.Levels = []float64{0, 0.5} },
		"not in order":      func(s *model.State) { s.Levels = []float64{0.5, 0, 1} },
		"a look at the top": func(s *model.State) { s.Looks[0].Level = 1 },
		"no value":          func(s *model.State) { s.Looks[0].Y = math.NaN() },
		"another dimension": func(s *model.State) { s.Looks[0].X = []float64{1} },
	} {
		s := modeltest.Leveled(2, 2, 1)
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		if change(&s); s.Check() == nil {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
}

// Too many looks are thinned, those at the top are not.
func TestObservationsAreThinned(t *testing.T) {
	s := modeltest.Leveled(7, 500, 1)
	o, _ := model.Observations(&s)
	if len(o.X) != model.MostLeveled || o.Levels[6] != 1 || o.Levels[7] == 1 {
		t.Errorf("%d observations, levels %v", len(o.X), o.Levels[:9])
	}
}

// Before anything has been evaluated at the top, looks at a ninth of the fidelity say what the top costs: nine times as much. Once results say
// otherwise, they are believed.
func TestPricesRiseWithTheFidelity(t *testing.T) {
	s := modeltest.Leveled(0, 0, 4)
	s.Share = func(level float64) float64 { return math.Pow(9, level-1) }
	for i := range 8 {
		x := []float64{float64(i) / 8, float64(i*3%8) / 8}
		s.Looks = append(s.Looks, model.Look{X: x, Y: modeltest.AtLevel(x, 0), LnCost: x[0] - math.Log(9)})
	}
	price := func() float64 { return leveled(t, &s).Predict([][]float64{{0.4, 0.4}})[0].LnCost }
	if ln := price(); math.Abs(ln-0.4) > 0.1 {
		t.Errorf("the top is expected to cost %.2f, not 1.49", math.Exp(ln))
	}
	s.Previous = leveled(t, &s).NewPlan(s.Looks[0].X)
	s.X, s.Y, s.LnCost = [][]float64{{0.45, 0.4}, {0.3, 0.5}}, []float64{-1, -1.1}, []float64{-math.Log(9), -math.Log(9)} // whatever the fidelity
	if ln := price(); math.Abs(ln+math.Log(9)) > 0.3 {
		t.Errorf("the top is expected to cost %.2f, not 0.11", math.Exp(ln))
	}
}

// A plan of a version that did not know this is no start for models that do.
func TestPlanOfFlatPrices(t *testing.T) {
	s := modeltest.Leveled(8, 22, 4)
	s.Previous = leveled(t, &s).NewPlan(s.X[0])
	s.Share = func(level float64) float64 { return math.Pow(9, level-1) }
	s.Looks = append(slices.Clip(s.Looks), modeltest.Leveled(0, 1, 9).Looks...)
	if d := leveled(t, &s); d.SearchedLooks != 23 || !d.NewPlan(s.X[0]).Proportional {
		t.Errorf("searched with %d looks of 23", d.SearchedLooks)
	}
}

// Looks at a value of a choice that was never tried at the top are all that is known of it, so they stay, whatever they tell about the others.
func TestLooksAtAnotherChoice(t *testing.T) {
	for _, known := range []bool{true, false} {
		s := modeltest.Leveled(14, 30, 6)
		s.Dim, s.Choices = 5, []model.Span{{From: 2, To: 5}}
		at := func(x []float64, value int) []float64 {
			x = append(slices.Clip(x), 0, 0, 0)
			x[2+value] = 1
			return x
		}
		for i := range s.X {
			s.X[i] = at(s.X[i], i%2)
		}
		if known {
			s.X[0][2], s.X[0][4] = 0, 1
		}
		for i, l := range s.Looks {
			s.Looks[i].X, s.Looks[i].Y = at(l.X, i%3), math.Sin(23*l.X[0]+1)*math.Cos(19*l.X[1])
		}
		if d := leveled(t, &s); d.IsLeveled() == known {
			t.Errorf("all values known at the top: %v, with levels: %v", known, d.IsLeveled())
		}
	}
}
