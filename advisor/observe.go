package advisor

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

// State returns the record as a policy sees it: points of the unit cube, values that are maximised, logarithms of costs.
func (a *Advisor) State(r *study.Record) (policy.State, error) {
	s := policy.State{
		Dim: a.space.Dim(), Parameters: a.space.Varying(), Initial: r.Ledger.Total, Remaining: r.Ledger.Total - r.Ledger.Spent,
		Seed:       a.study.Seed,
		Snap:       func(x []float64) []float64 { return a.space.Snap(nil, x) },
		Neighbours: a.space.Neighbours,
	}
	if a.space.Constrained() {
		s.Feasible = a.space.Feasible
	}
	known := counting(r.Known)
	lost, worst := a.lost(r), a.worst(r)
	priced := a.knowsPrices(r)
	if !priced && len(known) > 0 { // their values count at once, at the price that is held for a trial that nothing is known of
		known[0].Cost, priced = a.withinLimit(r, a.share(r), false), true
	}
	for _, k := range known {
		s.X, s.Y, s.LnCost = append(s.X, k.Point), append(s.Y, a.sign()*k.Value), append(s.LnCost, lnCost(k.Cost))
	}
	for _, trial := range r.Trials {
		if lost[trial.Number] {
			continue // as if it had never been: the retry has its place
		}
		s.Trial++
		if !trial.IsEvidence() {
			continue
		}
		switch value, known := a.valueOf(trial, worst); {
		case trial.State.Open():
			s.Pending = append(s.Pending, trial.Point)
		case known && priced:
			s.X, s.Y, s.LnCost = append(s.X, trial.Point), append(s.Y, value), append(s.LnCost, a.lnPrice(trial))
		default:
			s.Tried = append(s.Tried, trial.Point)
		}
		if len(trial.Plan) > 0 {
			plan := &policy.Plan{}
			if err := json.Unmarshal(trial.Plan, plan); err != nil {
				return s, fmt.Errorf("the plan of trial %d cannot be read: %w", trial.Number, err)
			}
			s.Previous = plan
		}
	}
	return s, nil
}

// counting returns the known results that count.
func counting(known []study.Known) (list []study.Known) {
	for _, k := range known {
		if !k.Forgotten && !k.Outside {
			list = append(list, k)
		}
	}
	return list
}

// priceOnly is how many observations a policy is shown that does not go by its models: they then only say what the next trial
// will cost, and fitting them to hundreds takes seconds.
const priceOnly = 64

// latest leaves the last of the observations, and all points as tried; at least one of those left has a price, and as many are as the
// initial design has points.
func (a *Advisor) latest(s policy.State) policy.State {
	cut := len(s.X) - max(priceOnly, a.designSize())
	for i := len(s.LnCost) - 1; i >= 0; i-- {
		if !math.IsNaN(s.LnCost[i]) {
			cut = min(cut, i)
			break
		}
	}
	if cut > 0 {
		s.Tried = append(s.Tried, s.X[:cut]...)
		s.X, s.Y, s.LnCost = s.X[cut:], s.Y[cut:], s.LnCost[cut:]
	}
	return s
}

// valueOf is what a trial says of its setting. One that ended without a value is taken for as bad as the worst
// that has one: neither it nor its neighbours must be asked for again.
func (a *Advisor) valueOf(trial study.Trial, worst float64) (value float64, known bool) {
	switch {
	case trial.State == study.Done:
		return a.sign() * trial.Value, true
	case trial.State == study.Cut && !a.study.ReachedLimit(trial):
		return 0, false
	}
	return worst, !math.IsInf(worst, 1)
}

// worst is the lowest value so far, +Inf if there is none.
func (a *Advisor) worst(r *study.Record) float64 {
	worst := math.Inf(1)
	for _, k := range counting(r.Known) {
		worst = math.Min(worst, a.sign()*k.Value)
	}
	for _, trial := range r.Trials {
		if trial.State == study.Done && trial.IsEvidence() {
			worst = math.Min(worst, a.sign()*trial.Value)
		}
	}
	return worst
}

// hasPrice says whether what a trial was charged is the price of its setting. That of one which was cut at its limit is: it
// would be cut there again. One that failed or was abandoned may have ended anywhere on its way.
func (a *Advisor) hasPrice(trial study.Trial) bool {
	return trial.Charged > 0 && trial.IsEvidence() && (trial.State == study.Done || trial.State == study.Cut && a.study.ReachedLimit(trial))
}

// knowsPrices says whether the price of any setting is known.
func (a *Advisor) knowsPrices(r *study.Record) bool {
	return slices.ContainsFunc(r.Trials, a.hasPrice) || slices.ContainsFunc(counting(r.Known), func(k study.Known) bool { return k.Cost > 0 })
}

func (a *Advisor) lnPrice(trial study.Trial) float64 {
	if !a.hasPrice(trial) {
		return math.NaN()
	}
	return lnCost(trial.Charged)
}

// lnCost is the logarithm of a cost, NaN where it is not known.
func lnCost(cost float64) float64 {
	if !(cost > 0) {
		return math.NaN()
	}
	return math.Log(cost)
}
