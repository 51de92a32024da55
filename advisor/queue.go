package advisor

import (
	"context"
	"encoding/json"
	"math"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// wanted returns the first setting that somebody wants to be tried and that the budget covers: of the queue, and then of the
// study file. What the budget does not cover waits.
func (a *Advisor) wanted(ctx context.Context, r *study.Record) (asked study.Asked, ok bool, err error) {
	list, err := a.waiting(r)
	if err != nil || len(list) == 0 {
		return asked, false, err
	}
	predict, err := a.pricer(ctx, r)
	if err != nil {
		return asked, false, err
	}
	for _, item := range list {
		p := predict(item.Point)
		reserved, covered := a.hold(r, item.Setting, p)
		if !covered {
			continue
		}
		why := Why{Policy: "queue", Picked: item.Note}
		if p.Known && a.knowsPrices(r) {
			e := a.Expected(p)
			why.Expected = &e
		}
		raw, err := json.Marshal(why)
		return study.Asked{Setting: item.Setting, Point: item.Point, Reserved: reserved, Why: raw, Item: item.Number, Credible: a.credible(r, item.Setting, p)}, err == nil, err
	}
	return asked, false, nil
}

// waiting lists the settings that are wanted. One of the study file is wanted until it is tried, or its result is known.
func (a *Advisor) waiting(r *study.Record) ([]study.Item, error) {
	list := r.Waiting()
	for i := range list {
		if list[i].Note == "" {
			list[i].Note = "somebody wants it to be tried"
		}
	}
	if len(a.study.Trials) == 0 {
		return list, nil
	}
	tried := map[string]bool{}
	for _, t := range r.Trials {
		tried[a.space.Key(t.Setting)] = true
	}
	for _, k := range r.Known {
		tried[a.space.Key(k.Setting)] = true
	}
	for _, setting := range a.study.Trials {
		key := a.space.Key(setting)
		if tried[key] {
			continue
		}
		point, err := a.space.Encode(setting)
		if err != nil {
			return nil, err
		}
		tried[key] = true
		list = append(list, study.Item{Setting: setting, Point: point, Note: "the study file wants it to be tried"})
	}
	return list, nil
}

// pricer returns what predicts the cost of a point.
func (a *Advisor) pricer(ctx context.Context, r *study.Record) (func([]float64) policy.Prediction, error) {
	state, err := a.State(r)
	if err != nil {
		return nil, err
	}
	state = a.latest(state)
	if len(state.X) == 0 {
		return func([]float64) policy.Prediction { return policy.Prediction{} }, nil
	}
	m, err := a.Fit(ctx, r, state)
	if err != nil {
		return nil, err
	}
	return func(x []float64) policy.Prediction { return a.Predict(m, [][]float64{x})[0] }, nil
}

// hold is what to hold for a setting that somebody wants, and whether the budget covers it: at least what it costs half of the time.
func (a *Advisor) hold(r *study.Record, setting space.Setting, p policy.Prediction) (amount float64, covered bool) {
	left, want, least := r.Ledger.Left(), a.share(r), 0.0
	known := p.Known && a.knowsPrices(r)
	if known {
		least = a.withinLimit(r, math.Exp(p.LnCost), true)
		want = a.beside(r, math.Exp(p.LnCost+a.caution()*p.LnCostSD), least)
	}
	least = math.Max(least, a.study.LeastHold(setting))
	want = math.Min(a.study.Hold(setting, a.withinLimit(r, math.Max(want, a.leastHold(r)), known)), left)
	return want, want > crumbs*r.Ledger.Total && least <= left
}
