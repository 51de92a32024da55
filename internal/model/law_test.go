package model_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/policy"
)

// program is a study of a program that takes a while to start. Costs differ by a factor of thousands, and small problems came first.
func program(n int) model.State {
	s := model.State{Dim: 2, Initial: 100, Remaining: 60, Seed: 1}
	for i := range n {
		solve(&s, []float64{math.Mod(float64(i)*math.Sqrt2, 0.5), math.Mod(float64(i)*math.Sqrt(3), 1)})
	}
	return s
}

func solve(s *model.State, x []float64) {
	s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, math.Sin(4*x[0])+x[1]*x[1]), append(s.LnCost, programCost(x))
	s.Trial++
}

func programCost(x []float64) float64 { return math.Log(0.06 + 0.01*math.Exp(11*x[0]-6*x[1])) }

// What a large problem costs is forecast from small ones, by models that are fitted and by those that only gain data; the plan keeps the law.
func TestCostsFollowALaw(t *testing.T) {
	s, large := program(16), []float64{0.95, 0.1}
	for i, searched := range []int{16, 16, 18} {
		f, err := model.NewFitter(model.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		m := f.Fit(context.Background(), &s)
		if got, _ := m.LogCost().Posterior(large); math.Abs(got-programCost(large)) > 1 {
			t.Errorf("fit %d: ln cost %.2f is forecast to be %.2f", i, programCost(large), got)
		}
		if m.Searched != searched {
			t.Errorf("fit %d: searched with %d results", i, m.Searched)
		}
		raw, err := json.Marshal(m.Learnt())
		if err != nil {
			t.Fatal(err)
		}
		s.Previous = new(model.Plan)
		if err := json.Unmarshal(raw, s.Previous); err != nil || s.Previous.Laws == nil {
			t.Fatalf("fit %d: %v, plan %s", i, err, raw)
		}
		solve(&s, []float64{0.3 + 0.1*float64(i), 0.45})
	}
	s.Previous.Laws[1].Slopes = s.Previous.Laws[1].Slopes[:1] // a plan comes from a file
	p, err := policy.New("gittins-d", model.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Suggest(context.Background(), s); err != nil {
		t.Error(err)
	}
}

// The paper's costs follow no law, and neither do those of an earlier study, whose model is followed itself.
func TestCostsWithoutALaw(t *testing.T) {
	s := program(16)
	paper, err := model.NewFitter(model.Settings{Paper: true})
	if err != nil {
		t.Fatal(err)
	}
	if paper.Fit(context.Background(), &s).LogCost().Trend().Law != nil {
		t.Error("the paper's costs follow a law")
	}
	next := program(8)
	next.Earlier = &model.Earlier{X: s.X, Y: s.Y, LnCost: s.LnCost}
	f, err := model.NewFitter(model.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if of := f.Fit(context.Background(), &next).LogCost().Trend().Of; of != nil && of.Trend().Law != nil {
		t.Error("the model of an earlier study follows a law")
	}
}
