package advisor

import (
	"context"
	"slices"

	"github.com/eke-bo/eke/study"
)

// Best is the best setting of a study so far.
type Best struct {
	// Trial is the trial that tried it, the first of several.
	study.Trial

	// Estimate is what the models say about the setting, for a study whose evaluations have noise. It is nil without noise, when the
	// value is what it is.
	Estimate *Estimate
}

// Estimate is what is known about the value of a setting that was evaluated with noise, with the study's own sign.
type Estimate struct {
	Value  float64   `json:"value"`  // Value is the expected value, without the noise.
	SD     float64   `json:"sd"`     // SD is its standard deviation.
	Low    float64   `json:"low"`    // Low is what the value is above with a chance of 90 %.
	High   float64   `json:"high"`   // High is what it is below with a chance of 90 %.
	Values []float64 `json:"values"` // Values are all that were observed at this setting, oldest first.
}

// Best returns the best setting so far. Where evaluations have noise, it is the one that the models expect to be the best: the
// best observation is mostly luck. Without a result, ok is false.
func (a *Advisor) Best(ctx context.Context, r *study.Record) (best Best, ok bool, err error) {
	raw, ok := r.Best(a.study.Objective.Goal)
	if !ok || !a.hasNoise(r) {
		return Best{Trial: raw}, ok, nil
	}
	state, err := a.State(r)
	if err != nil || len(state.X) == 0 {
		return Best{Trial: raw}, true, err
	}
	models, err := a.Fit(ctx, r, state)
	if err != nil {
		return Best{}, false, err
	}
	index, value, sd := models.Best()
	trial, values := a.triedAt(r, state.X[index])
	if len(values) == 0 { // only trials without a value, or beyond the budget, were there
		return Best{Trial: raw}, true, nil
	}
	value *= a.sign()
	return Best{trial, &Estimate{Value: value, SD: sd, Low: value - cautious*sd, High: value + cautious*sd, Values: values}}, true, nil
}

// triedAt returns the first trial at a point that counts as a result, and the values of all of them.
func (a *Advisor) triedAt(r *study.Record, point []float64) (first study.Trial, values []float64) {
	for _, t := range r.Results() {
		if slices.Equal(t.Point, point) {
			if len(values) == 0 {
				first = t
			}
			values = append(values, t.Value)
		}
	}
	return first, values
}

// hasNoise says whether evaluations have noise: the study says so, or a setting that was evaluated twice had two values.
func (a *Advisor) hasNoise(r *study.Record) bool {
	if a.study.Noisy {
		return true
	}
	values := map[string]float64{}
	for _, t := range r.Results() {
		key := a.space.Key(t.Setting)
		if value, again := values[key]; again && value != t.Value {
			return true
		}
		values[key] = t.Value
	}
	return false
}
