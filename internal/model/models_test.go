package model_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/policy"
)

// The models predict for a point what a suggestion of that point says.
func TestModelsAgreeWithSuggest(t *testing.T) {
	s := model.State{Dim: 2, Initial: 10, Remaining: 7, Seed: 5, Trial: 8}
	a, _ := model.PairedPoints(8, 2)
	for _, x := range a {
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, math.Sin(5*x[0])+x[1]), append(s.LnCost, x[0]-1)
	}
	p, err := policy.New("ei", model.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	suggested, err := p.Suggest(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	m, err := policy.Fit(context.Background(), s, model.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	points := make([][]float64, model.RowsAtOnce+3) // more than one batch
	for i := range points {
		points[i] = suggested.X
	}
	for _, got := range m.Predict(points) {
		want := suggested.Predicted
		for _, pair := range [][2]float64{{got.Value, want.Value}, {got.ValueSD, want.ValueSD}, {got.Cost, want.Cost}, {got.CostSD, want.CostSD}, {got.Fits, want.Fits}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9*math.Abs(pair[1]) {
				t.Fatalf("%+v, want %+v", got, want)
			}
		}
	}
	if _, err := policy.Fit(context.Background(), model.State{Dim: 1, X: [][]float64{{2}}, Y: []float64{0}, LnCost: []float64{0}}, model.Settings{}); err == nil {
		t.Error("a point outside the cube was taken")
	}
}

// Of f = x·y around the middle, all variation is interaction.
func TestSensitivitySeesInteraction(t *testing.T) {
	s := model.State{Dim: 2, Initial: 1, Remaining: 1}
	for i := range 7 {
		for j := range 7 {
			x, y := float64(i)/6, float64(j)/6
			s.X, s.Y, s.LnCost = append(s.X, []float64{x, y}), append(s.Y, (x-0.5)*(y-0.5)), append(s.LnCost, 1)
		}
	}
	m, err := policy.Fit(context.Background(), s, model.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	objective, lnCost, _ := m.Sensitivity(context.Background(), []model.Span{{0, 1}, {1, 2}}, nil)
	for i, o := range objective {
		if o.First > 0.03 || o.Total < 0.97 || lnCost[i] != (model.Share{}) {
			t.Errorf("input %d: %+v, of a constant cost %+v", i, o, lnCost[i])
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if objective, _, _ := m.Sensitivity(ended, []model.Span{{0, 1}}, nil); objective != nil {
		t.Error("shares after the end")
	}
	if _, err := policy.Fit(ended, s, model.Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("models after the end: %v", err)
	}
}

// A point whose cost is not known teaches the objective's model and not the cost's.
func TestUnknownCosts(t *testing.T) {
	s := model.State{Dim: 1, Initial: 10, Remaining: 10}
	for i := range 9 {
		x := float64(i) / 8
		s.X, s.Y, s.LnCost = append(s.X, []float64{x}), append(s.Y, math.Sin(5*x)), append(s.LnCost, x)
	}
	known := s
	s.X, s.Y, s.LnCost = append(slices.Clone(s.X), []float64{0.4375}), append(slices.Clone(s.Y), -3), append(slices.Clone(s.LnCost), math.NaN())
	with, err := policy.Fit(t.Context(), s, model.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	without, err := policy.Fit(t.Context(), known, model.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	at := [][]float64{{0.44}}
	a, b := with.Predict(at)[0], without.Predict(at)[0]
	if a.LnCost != b.LnCost || a.LnCostSD != b.LnCostSD {
		t.Errorf("the cost's model has changed: %v, %v", a, b)
	}
	if a.Value > -2 || b.Value < 0 {
		t.Errorf("the objective's model has not: %v, %v", a, b)
	}
	for i := range s.LnCost {
		s.LnCost[i] = math.NaN()
	}
	if _, err := policy.Fit(t.Context(), s, model.Settings{}); err == nil {
		t.Error("no cost at all was taken")
	}
}

// With very many data, only some are modelled: the best, the newest, and others spread over the rest.
func TestModelsOfVeryManyData(t *testing.T) {
	const n = 2600
	s := model.State{Dim: 1, Initial: 1, Remaining: 1}
	for i := range n {
		x := float64(i*7%n) / n
		s.X, s.Y, s.LnCost = append(s.X, []float64{x}), append(s.Y, math.Sin(9*x)), append(s.LnCost, math.NaN())
	}
	for _, i := range []int{3, 900} { // the only costs there are
		s.LnCost[i] = 2
	}
	places := model.Modelled(&s)
	if len(places) != model.MostModelled || !slices.IsSorted(places) || len(slices.Compact(slices.Clone(places))) != model.MostModelled {
		t.Fatalf("%d places; some are equal or out of order", len(places))
	}
	best := 0
	for i, y := range s.Y {
		if y > s.Y[best] {
			best = i
		}
	}
	for _, i := range []int{best, n - 1, n - model.MostModelled/4} {
		if !slices.Contains(places, i) {
			t.Errorf("datum %d is left out", i)
		}
	}
	m, err := policy.Fit(t.Context(), s, model.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Objective().Len() != model.MostModelled || m.LogCost().Len() != 2 {
		t.Errorf("models of %d values and %d costs", m.Objective().Len(), m.LogCost().Len())
	}
	for _, p := range m.Predict([][]float64{{0.1}, {0.5}, {0.95}}) {
		if math.Abs(p.Value-math.Sin(9*p.X[0])) > 0.01 || math.Abs(p.LnCost-2) > 1e-9 {
			t.Errorf("predicted %+v", p)
		}
	}
}
