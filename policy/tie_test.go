package policy_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/eke-bo/eke/policy"
)

// bumps is a function with many hills, and what it costs if better points are dearer by a factor and some regions are dearer too.
func bumps(x []float64, factor float64) (y, lnCost float64) {
	y = math.Sin(8*x[0]) * math.Cos(7*x[1])
	return y, factor*y + 3*x[0] - 2*x[1]*x[1]
}

// bumpy returns a state with results of bumps.
func bumpy(n int, factor float64) policy.State {
	rng := rand.New(rand.NewPCG(2, 3))
	s := policy.State{Dim: 2, Initial: 100, Remaining: 60, Seed: 5, Trial: n}
	for range n {
		x := []float64{rng.Float64(), rng.Float64()}
		y, c := bumps(x, factor)
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, y), append(s.LnCost, c)
	}
	return s
}

func TestCostsAreTiedToValuesWhereTheyGoTogether(t *testing.T) {
	for factor, tied := range map[float64]bool{-0.9: true, 0: false, 0.9: true} {
		s := bumpy(14, factor)
		out, err := must(t, "log-ei-puc", small(policy.Settings{})).Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Plan.Tie.Slope * factor; tied != (got > 0) {
			t.Errorf("costs with %v times the values: tied with the slope %v", factor, out.Plan.Tie.Slope)
		}
	}
}

func TestATieForecastsCostsBetter(t *testing.T) {
	s := bumpy(14, 0.9)
	loss := func(paper bool) (sum float64) {
		m, err := policy.Fit(context.Background(), s, small(policy.Settings{Paper: paper}))
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(6, 6))
		for range 200 {
			x := []float64{rng.Float64(), rng.Float64()}
			_, lnCost := bumps(x, 0.9)
			p := m.Predict([][]float64{x})[0]
			z := (lnCost - p.LnCost) / p.LnCostSD
			sum += (z*z/2 + math.Log(p.LnCostSD)) / 200
		}
		return sum
	}
	if with, without := loss(false), loss(true); with > without-0.03 {
		t.Errorf("the costs' score is %v with the tie and %v without; lower is better", with, without)
	}
}

// A suggestion whose models are the last plan's, with new data, keeps the tie. A plan that a file has spoilt does not.
func TestAPlanKeepsTheTie(t *testing.T) {
	s := bumpy(20, 0.9)
	p := must(t, "log-ei-puc", small(policy.Settings{}))
	out, err := p.Suggest(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	y, lnCost := bumps(out.X, 0.9)
	s.X, s.Y, s.LnCost, s.Trial = append(s.X, out.X), append(s.Y, y), append(s.LnCost, lnCost), s.Trial+1
	raw, _ := json.Marshal(out.Plan)
	s.Previous = &policy.Plan{}
	if err := json.Unmarshal(raw, s.Previous); err != nil {
		t.Fatal(err)
	}
	next, err := p.Suggest(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if next.Plan.Searched != out.Plan.Searched || !reflect.DeepEqual(next.Plan.Tie, out.Plan.Tie) {
		t.Errorf("searched after %d and %d results; tied by %+v and then %+v", out.Plan.Searched, next.Plan.Searched, out.Plan.Tie, next.Plan.Tie)
	}
	s.Previous.Tie.Hyper.Lengthscales = []float64{-1}
	if next, err = p.Suggest(context.Background(), s); err != nil || next.Plan.Searched != len(s.X) {
		t.Errorf("with a spoilt plan: %v, searched after %d results", err, next.Plan.Searched)
	}
}
