package eke

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

// state is the record as the policy sees it.
func (t *Thinker) state(r *study.Record) (policy.State, error) {
	s := policy.State{
		Dim: t.space.Dim(), Initial: r.Ledger.Total, Remaining: r.Ledger.Total - r.Ledger.Spent,
		Seed:       t.study.Seed,
		Snap:       func(x []float64) []float64 { return t.space.Snap(nil, x) },
		Neighbours: t.space.Neighbours,
	}
	lost, worst, usual := t.lost(r), t.worst(r), usualLnCost(r)
	for _, trial := range r.Trials {
		if lost[trial.Number] {
			continue // as if it had never been: the retry has its place
		}
		s.Trial++
		switch value, known := t.valueOf(trial, worst); {
		case trial.State.Open():
			s.Pending = append(s.Pending, trial.Point)
		case known && (trial.Charged > 0 || !math.IsNaN(usual)):
			lnCost := usual
			if trial.Charged > 0 {
				lnCost = math.Log(trial.Charged)
			}
			s.X, s.Y, s.LnCost = append(s.X, trial.Point), append(s.Y, value), append(s.LnCost, lnCost)
		default:
			s.Tried = append(s.Tried, trial.Point)
		}
		if len(trial.Plan) > 0 {
			plan := &policy.Plan{}
			if err := json.Unmarshal(trial.Plan, plan); err != nil {
				return s, fmt.Errorf("eke: the plan of trial %d cannot be read: %w", trial.Number, err)
			}
			s.Previous = plan
		}
	}
	return s, nil
}

// valueOf is what a trial says of its setting. One that ended without a value is taken for as bad as the worst
// that has one: it must not be asked for again, nor its neighbours.
func (t *Thinker) valueOf(trial study.Trial, worst float64) (value float64, known bool) {
	if trial.State == study.Done {
		return t.sign() * trial.Value, true
	}
	return worst, !math.IsInf(worst, 1)
}

// worst is the lowest value so far, +Inf if there is none.
func (t *Thinker) worst(r *study.Record) float64 {
	worst := math.Inf(1)
	for _, trial := range r.Trials {
		if trial.State == study.Done {
			worst = math.Min(worst, t.sign()*trial.Value)
		}
	}
	return worst
}

// usualLnCost is the mean of the logs of the costs, NaN if there are none: what is believed of a
// trial that ended without costing anything.
func usualLnCost(r *study.Record) float64 {
	sum, n := 0.0, 0.0
	for _, trial := range r.Trials {
		if trial.Charged > 0 {
			sum, n = sum+math.Log(trial.Charged), n+1
		}
	}
	return sum / n
}
