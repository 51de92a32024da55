package insight

import (
	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/study"
)

// Forecast is what was expected of a trial when it was chosen, against what came.
type Forecast struct {
	Trial    int              `json:"trial"`           // Trial is the number of the trial.
	State    study.State      `json:"state"`           // State is how it ended.
	Expected advisor.Expected `json:"expected"`        // Expected is what the models expected when it was chosen.
	Value    *float64         `json:"value,omitempty"` // Value is what it returned; nil if it did not.
	Cost     float64          `json:"cost"`            // Cost is what it was charged.
}

// forecasts lists the ended trials that came with an expectation.
func forecasts(r *study.Record) (list []Forecast) {
	for _, trial := range r.Trials {
		why, _ := advisor.WhyOf(trial.Why)
		if !trial.State.Ended() || why.Expected == nil {
			continue
		}
		f := Forecast{Trial: trial.Number, State: trial.State, Expected: *why.Expected, Cost: trial.Charged}
		if trial.State == study.Done {
			value := trial.Value
			f.Value = &value
		}
		list = append(list, f)
	}
	return list
}
