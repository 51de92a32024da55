package advisor

import (
	"testing"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// A band has its lower end first, whether the study minimizes or maximizes.
func TestExpectedBand(t *testing.T) {
	for goal, want := range map[study.Goal]study.Expected{
		study.Maximize: {Value: -5, ValueSD: 6, ValueLow: -14, ValueHigh: -1},
		study.Minimize: {Value: 5, ValueSD: 6, ValueLow: 1, ValueHigh: 14},
	} {
		a, err := New(&study.Study{
			Name: "kiln", Objective: study.Objective{Name: "loss", Goal: goal}, Cost: study.Cost{Source: study.Reported, Unit: "euros"},
			Budget: study.Budget{Total: 4}, Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := a.Expected(policy.Prediction{Value: -5, ValueSD: 6, ValueLow: -14, ValueHigh: -1})
		if got.Value != want.Value || got.ValueLow != want.ValueLow || got.ValueHigh != want.ValueHigh || got.ValueSD != want.ValueSD {
			t.Errorf("%s: %+v", goal, got)
		}
	}
}

// The chance to beat the best is left out as long as nobody knows the scale of values.
func TestEarlyExpectedBeatsNothing(t *testing.T) {
	a := limited(study.Reported, study.Budget{})
	for early, want := range map[bool]float64{true: 0, false: 0.4} {
		if got := a.Expected(policy.Prediction{Early: early, Beats: 0.4}).Beats; got != want {
			t.Errorf("early: %v: %v", early, got)
		}
	}
}
