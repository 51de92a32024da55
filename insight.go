package eke

import (
	"context"
	"errors"
	"fmt"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Insight is what the models of a study have learnt, in the study's own words: values with the study's own
// sign, costs in its unit. It does not change, and may be used by many goroutines at once.
type Insight struct {
	State    InsightState `json:"state"`
	Missing  string       `json:"missing,omitempty"` // what the models lack, where the state is not ready
	Observed int          `json:"observed"`          // trials the models were fitted to
	CutShort bool         `json:"cut_short,omitempty"`

	Best       int           `json:"best,omitempty"`    // number of the best trial; 0: there is none
	Through    space.Setting `json:"through,omitempty"` // the setting that the slices go through: the best trial's
	Slices     []Slice       `json:"slices,omitempty"`  // one for every parameter that exists there and can vary
	Importance []Importance  `json:"importance,omitempty"`
	Forecasts  []Forecast    `json:"forecasts,omitempty"` // oldest first

	space  *space.Space
	sign   float64
	models *policy.Models
	centre []float64 // the point of Through
}

// InsightState says whether there is enough to learn from.
type InsightState string

const (
	InsightReady     InsightState = "ready"
	InsightNotEnough InsightState = "not_enough" // too few trials for a model; forecasts may be there all the same
)

// ErrNotEnough says that there are too few trials to model.
var ErrNotEnough = errors.New("there are not enough trials yet to learn from")

// fewestObserved is how many trials a model needs: through one point goes any line.
const fewestObserved = 2

// Insight fits the models that the next trial would be chosen by, and asks them about the study. Too few trials
// are no error but a state. When the context ends meanwhile, the insight is what was found so far and says so.
func (t *Thinker) Insight(ctx context.Context, r *study.Record) (*Insight, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in := &Insight{State: InsightNotEnough, Forecasts: forecasts(r), space: t.space, sign: t.sign()}
	state, err := t.state(r)
	if err != nil {
		return nil, err
	}
	in.Observed = len(state.X)
	best, ok := t.centre(r)
	switch {
	case state.Dim == 0:
		in.Missing = "no parameter can vary"
		return in, nil
	case !ok:
		in.Missing = "no trial has returned a value yet"
		return in, nil
	case in.Observed < fewestObserved:
		in.Missing = fmt.Sprintf("there are %d trials to learn from, and %d are needed", in.Observed, fewestObserved)
		return in, nil
	}
	if !best.Beyond {
		in.Best = best.Number
	}
	in.Through = best.Setting
	if in.centre, err = t.space.Encode(best.Setting); err != nil {
		return nil, fmt.Errorf("eke: the setting of trial %d: %w", best.Number, err)
	}
	if in.models, err = policy.Fit(ctx, state, t.settings()); err != nil {
		return nil, err
	}
	in.State = InsightReady
	in.Slices = in.slices()
	in.Importance = in.importance(ctx)
	in.CutShort = ctx.Err() != nil
	return in, nil
}

// centre returns the best trial: of those that count or, if none does, of all.
func (t *Thinker) centre(r *study.Record) (best study.Trial, ok bool) {
	if best, ok = r.Best(t.study.Objective.Goal); ok {
		return best, true
	}
	for _, trial := range r.Trials {
		if trial.State == study.Done && (!ok || t.sign()*trial.Value > t.sign()*best.Value) {
			best, ok = trial, true
		}
	}
	return best, ok
}
