// Package insight tells what a study has learnt: how value and cost follow each parameter, which parameters matter, and what two of them do
// together. It also tells how good the forecasts of past trials were. It uses the models that choose the next trial, and answers in the
// study's parameters and units.
package insight

import (
	"context"
	"fmt"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Insight is what the models of a study have learnt, in the study's own words: values with the study's own
// sign, costs in its unit. It does not change, and may be used by many goroutines at once.
type Insight struct {
	State    State  `json:"state"`               // State says whether there are models; without them only forecasts are there.
	Missing  string `json:"missing,omitempty"`   // Missing says what the models lack where the state is not Ready.
	Observed int    `json:"observed"`            // Observed is the number of results that the models were fitted to.
	Looks    int    `json:"looks,omitempty"`     // Looks is the number of looks, at a lower fidelity, that they were fitted to as well.
	CutShort bool   `json:"cut_short,omitempty"` // CutShort says that the context ended before all was found.

	Best       int           `json:"best,omitempty"`       // Best is the number of the best trial; 0: there is none, or the best result was known already.
	Through    space.Setting `json:"through,omitempty"`    // Through is the setting that the slices go through, the setting of the best result.
	Slices     []Slice       `json:"slices,omitempty"`     // Slices has one for every parameter that exists there and can vary.
	Importance []Importance  `json:"importance,omitempty"` // Importance says how much each parameter matters.
	Forecasts  []Forecast    `json:"forecasts,omitempty"`  // Forecasts compares what was expected of trials with what came, oldest first.

	space   *space.Space
	advisor *advisor.Advisor // speaks the study's own words
	models  *policy.Models
	centre  []float64 // the point of Through
}

// State says whether there is enough to learn from.
type State string

const (
	Ready     State = "ready"      // Ready says that there are models.
	NotEnough State = "not_enough" // NotEnough says that there are too few results for models; there may be forecasts all the same.
)

// ErrNotEnough says that there are too few trials to model.
var ErrNotEnough error = fault.New(fault.Conflict, "", "there are not enough trials yet to learn from")

// fewestObserved is how many trials a model needs: through one point goes any line.
const fewestObserved = 2

// Of fits the models that the next trial would be chosen by, and asks them about the study. Too few trials
// are no error but a state. When the context ends meanwhile, the insight is what was found so far and says so.
func Of(ctx context.Context, a *advisor.Advisor, r *study.Record) (*Insight, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in := &Insight{State: NotEnough, Forecasts: forecasts(r), space: a.Space(), advisor: a}
	state, err := a.State(r)
	if err != nil {
		return nil, err
	}
	in.Observed = len(state.X)
	for _, l := range state.Looks {
		if !l.Step {
			in.Looks++
		}
	}
	best, ok := centre(a.Study().Objective.Goal, r)
	if state.Dim == 0 || !ok || in.Observed < fewestObserved {
		in.Missing = say.Missing(state.Dim > 0, ok, in.Observed, in.Looks, fewestObserved)
		return in, nil
	}
	if in.models, err = a.Fit(ctx, r, state); err != nil {
		return nil, err
	}
	if expected, ok := a.BestBy(in.models, state, r); ok {
		best, in.Best = expected.Trial, expected.Number
	}
	in.Through = best.Setting
	if in.centre, err = in.space.Encode(best.Setting); err != nil {
		return nil, fmt.Errorf("the setting of trial %d: %w", best.Number, err)
	}
	in.State = Ready
	in.Slices = in.slices()
	in.Importance = in.importance(ctx)
	in.CutShort = ctx.Err() != nil
	return in, nil
}

// centre returns the best trial: of the trials that count or, if none does, of all.
func centre(goal study.Goal, r *study.Record) (best study.Trial, ok bool) {
	if best, ok = r.Best(goal); ok {
		return best, true
	}
	for _, trial := range r.Trials {
		if trial.State == study.Done && trial.IsEvidence() && (!ok || goal.Better(trial.Value, best.Value)) {
			best, ok = trial, true
		}
	}
	return best, ok
}

// Forecast is what was expected of a trial when it was chosen, against what came.
type Forecast struct {
	Trial    int            `json:"trial"`           // Trial is the number of the trial.
	State    study.State    `json:"state"`           // State is how it ended.
	Expected study.Expected `json:"expected"`        // Expected is what the models expected when it was chosen.
	Value    *float64       `json:"value,omitempty"` // Value is what it returned; nil if it did not, or if too little was known to forecast it.
	Cost     float64        `json:"cost"`            // Cost is what it was charged.
}

// forecasts lists the ended trials that came with an expectation. What somebody had forgotten says nothing about it.
func forecasts(r *study.Record) (list []Forecast) {
	for _, trial := range r.Trials {
		why, _ := advisor.WhyOf(trial.Why)
		if !trial.State.Ended() || trial.Forgotten || why.Expected == nil {
			continue
		}
		f := Forecast{Trial: trial.Number, State: trial.State, Expected: *why.Expected, Cost: trial.Charged}
		if trial.State == study.Done && !f.Expected.Early {
			value := trial.Value
			f.Value = &value
		}
		list = append(list, f)
	}
	return list
}
