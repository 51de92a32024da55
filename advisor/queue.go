package advisor

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// wanted returns the first setting that somebody wants and that the budget covers, from the queue and then from the study file. Settings
// that the budget does not cover wait.
func (a *Advisor) wanted(ctx context.Context, r *study.Record) (asked study.Asked, ok bool, err error) {
	list, err := a.waiting(r)
	if err != nil || len(list) == 0 {
		return asked, false, err
	}
	predict, err := a.pricer(ctx, r)
	if err != nil {
		return asked, false, err
	}
	for _, item := range a.cheapestHere(r, list) {
		rest := ""
		if item.Part {
			full, by, err := a.fill(ctx, r, item)
			if err != nil {
				return asked, false, err
			}
			if by == "" {
				continue
			}
			item, rest = full, by
		}
		if !a.space.Feasible(item.Point) {
			continue // the constraints have changed
		}
		p := a.taught(r, item.Setting, predict(item.Point))
		reserved, covered := a.hold(r, item.Setting, p)
		if !covered {
			continue
		}
		reason := say.Reason{Kind: say.Wanted, Note: item.Note, Rest: rest}
		if item.Number == 0 {
			reason.Kind = say.InFile
		}
		why := Why{Policy: "queue", Picked: reason.String(), Clauses: reason.Clauses()}
		if p.Known && a.knowsPrices(r) {
			e := a.Expected(p)
			why.Expected = &e
			a.withFee(r, item.Setting, why.Expected)
		}
		raw, err := json.Marshal(why)
		return study.Asked{Setting: item.Setting, Point: item.Point, Reserved: reserved, Why: raw, Item: item.Number, Credible: a.credible(r, item.Setting, p)}, err == nil, err
	}
	return asked, false, nil
}

// fill completes a setting that somebody wants and that leaves parameters out. The study's policy chooses the missing values that promise most
// within the budget, whatever they cost, since somebody has decided to pay. It returns the name of the policy; "" if there is no such setting now.
func (a *Advisor) fill(ctx context.Context, r *study.Record, item study.Item) (full study.Item, by string, err error) {
	hold, err := a.space.Hold(item.Setting)
	if err != nil {
		return item, "", nil // the parameters have changed
	}
	pick := a.Pick(r)
	settings := a.settingsFor(r)
	settings.LongShots = true // somebody wants it, whatever it is worth
	p, err := a.policy(pick.Name, settings)
	if err != nil {
		return item, "", err
	}
	state, err := a.State(r)
	if err != nil {
		return item, "", err
	}
	if policy.IsBlind(pick.Name) {
		state = a.latest(state)
	}
	holdTo(&state, hold)
	s, err := p.Suggest(ctx, state)
	if err = translate(err); err != nil {
		if code := fault.CodeOf(err); code.Over() || code == fault.BudgetPending {
			err = nil // it waits
		}
		return item, "", err
	}
	point := slices.Clone(a.join(s.X, 1))
	hold(point) // with the fidelity, and whatever a policy does that chooses among the settings tried before
	if point = a.space.Snap(nil, point); !a.space.Feasible(point) {
		return item, "", nil
	}
	item.Setting, item.Point = a.space.Decode(point), point
	return item, s.Policy, nil
}

// holdTo restricts what is searched to the settings that have some values.
func holdTo(s *policy.State, hold func(point []float64)) {
	held := func(x []float64) []float64 {
		x = slices.Clone(x)
		hold(x)
		return x
	}
	snap, neighbours := s.Snap, s.Neighbours
	s.Held = true
	s.Snap = func(x []float64) []float64 { return snap(held(x)) }
	s.Neighbours = func(x []float64) [][]float64 {
		return slices.DeleteFunc(neighbours(held(x)), func(y []float64) bool { return !slices.Equal(y, held(y)) })
	}
}

// waiting lists the settings that are wanted. One of the study file is wanted until it is tried, or its result is known. With noise, it is wanted as often
// as the file has it.
func (a *Advisor) waiting(r *study.Record) ([]study.Item, error) {
	list := r.Waiting()
	if len(a.study.Trials) == 0 {
		return list, nil
	}
	tries, lost := map[string]int{}, map[int]bool{}
	if a.study.Noisy {
		lost = a.lost(r)
	}
	for _, t := range r.Trials {
		if !lost[t.Number] {
			tries[a.space.Key(t.Setting)]++
		}
	}
	for _, k := range r.Known {
		tries[a.space.Key(k.Setting)]++
	}
	for _, setting := range a.study.Trials {
		key := a.space.Key(setting)
		if tries[key] > 0 {
			if a.study.Noisy {
				tries[key]-- // this one was tried, but perhaps not the next
			}
			continue
		}
		point, err := a.space.Encode(setting)
		if err != nil {
			return nil, err
		}
		if !a.study.Noisy {
			tries[key]++
		}
		list = append(list, study.Item{Setting: setting, Point: point})
	}
	return list, nil
}

// hold is what to hold for a setting that somebody wants, and whether the budget covers at least its median cost.
func (a *Advisor) hold(r *study.Record, setting space.Setting, p policy.Prediction) (amount float64, covered bool) {
	fee, _ := a.Fee(r, setting)
	left, equal, median := r.Ledger.Left(), a.share(r)+fee, math.Exp(p.LnCost)
	want, least := a.unpriced(setting, a.uncosted(r, math.Max(equal, a.leastHold(r))), fee), 0.0
	if p.Known && a.knowsPrices(r) {
		least = a.capped(median, median)
		want = a.beside(r, a.tamed(r, math.Exp(p.LnCost+a.caution()*p.LnCostSD), median, equal, false), least)
		want = a.capped(math.Max(want, a.leastHold(r)), median)
	}
	least = math.Max(least, a.study.LeastHold(setting))
	want = math.Min(a.study.Hold(setting, want), left)
	return want, want > crumbs*r.Ledger.Total && least <= left
}

// tried is the most that unfinished tries of a setting have cost and taken: another try costs and takes at least as much. The models do not see the tries
// that are to be replaced.
func (a *Advisor) tried(r *study.Record, setting space.Setting) (cost, seconds float64) {
	key := a.space.Key(setting)
	for _, t := range r.Trials {
		if (isLost(t) || t.State == study.Cut) && t.IsEvidence() && a.space.Key(t.Setting) == key {
			fee, _ := a.Fee(r, setting)
			cost, seconds = math.Max(cost, a.OwnCost(r, t)+fee), math.Max(seconds, t.Wall)
		}
	}
	return cost, seconds
}

// taught is the forecast of a setting, corrected by earlier tries of it.
func (a *Advisor) taught(r *study.Record, setting space.Setting, p policy.Prediction) policy.Prediction {
	if cost, _ := a.tried(r, setting); p.Known && math.Log(cost) > p.LnCost {
		more := cost / math.Exp(p.LnCost)
		p.LnCost, p.Cost, p.CostSD = math.Log(cost), p.Cost*more, p.CostSD*more
		p.Fits = p.FitsIn(r.Ledger.Left())
	}
	return p
}

// A trial is abandoned when its runner dies, which says nothing about its setting. Apart from the money, the study goes on as if the trial had
// never been handed out. If nothing was learnt since, its setting is tried again. Otherwise the setting competes anew with all others. A setting
// that somebody wants is tried again in any case. A setting that is abandoned again and again may have killed its runner, and counts as failed.

// mostTries is how often a setting is tried if its runners keep dying.
const mostTries = 3

// isLost says whether a trial ended without a value through no fault of its setting, as far as is known.
func isLost(t study.Trial) bool {
	return t.State == study.Abandoned || t.State == study.Failed && t.Machine
}

// lost returns the trials without a value that a later trial of the same setting replaces, or will replace: trials that somebody wants
// to be tried again, and abandoned trials.
func (a *Advisor) lost(r *study.Record) map[int]bool {
	lost, deaths := map[int]bool{}, map[string]int{}
	for _, item := range r.Queue {
		if item.Retries > 0 && !item.Dropped && !item.Outside && r.Trials[item.Retries-1].State != study.Done {
			lost[item.Retries] = true
		}
	}
	for _, trial := range r.Trials {
		if !isLost(trial) || trial.Stopping || !trial.IsEvidence() {
			continue
		}
		key := a.space.Key(trial.Setting)
		if !trial.Stopped {
			deaths[key]++
		}
		if trial.Stopped || deaths[key] < mostTries {
			lost[trial.Number] = true
		}
	}
	return lost
}

// stands says whether the reasons for which a lost trial was chosen still hold. A point of the initial design has no forecast that could be
// old, but is superfluous once the design is complete.
func (a *Advisor) stands(r *study.Record, s policy.State, lost map[int]bool, trial study.Trial, why Why) bool {
	switch {
	case policy.IsBlind(why.Policy) && !policy.IsBlind(a.Pick(r).Name):
		return a.sawOnlyPlateau(r)
	case trial.Item > 0 || why.Policy == "" || why.Policy == "queue" || policy.IsBlind(why.Policy):
		return true
	case len(trial.Plan) == 0:
		return len(s.X)+len(s.Failed)+len(s.Looks) < a.designSize()
	}
	later := slices.ContainsFunc(r.Trials[trial.Number:], func(t study.Trial) bool { return t.State.Ended() && !lost[t.Number] })
	var plan policy.Plan
	return !later && !isCorrected(r, trial) && (json.Unmarshal(trial.Plan, &plan) != nil || plan.Observed == len(s.X))
}

// again returns the setting of an abandoned trial that has not been tried since, if its reasons still stand and the budget covers it.
func (a *Advisor) again(r *study.Record) (study.Asked, bool) {
	lost := a.lost(r)
	if len(lost) == 0 {
		return study.Asked{}, false
	}
	state, err := a.State(r)
	if err != nil {
		return study.Asked{}, false // the choice of a trial says what is wrong
	}
	latest, deaths := map[string]int{}, map[string]int{}
	for _, trial := range r.Trials {
		key := a.space.Key(trial.Setting)
		latest[key] = trial.Number
		if isLost(trial) && !trial.Stopped {
			deaths[key]++
		}
	}
	for _, trial := range r.Trials {
		if !lost[trial.Number] || !isLost(trial) || latest[a.space.Key(trial.Setting)] != trial.Number {
			continue
		}
		why, _ := WhyOf(trial.Why)
		if !a.stands(r, state, lost, trial, why) || !a.space.Feasible(trial.Point) {
			continue
		}
		a.refee(r, trial.Setting, why.Expected)
		cost, seconds := a.tried(r, trial.Setting)
		want := a.uncosted(r, max(a.share(r), cost, a.leastHold(r)))
		if why.Expected != nil && why.Expected.CostHigh > 0 {
			if e := why.Expected; cost > e.CostMedian {
				p := policy.Prediction{Known: true, LnCost: math.Log(e.CostMedian), LnCostSD: math.Log(e.CostHigh/e.CostMedian) / cautious, Cost: e.Cost, CostSD: e.CostSD}
				now := a.Expected(a.taught(r, trial.Setting, p))
				e.Cost, e.CostSD, e.CostLow, e.CostMedian, e.CostHigh, e.Fits = now.Cost, now.CostSD, now.CostLow, now.CostMedian, now.CostHigh, now.Fits
			}
			want = math.Max(a.tamed(r, why.Expected.CostHigh, why.Expected.CostMedian, a.share(r), false), a.leastHold(r))
			want = a.capped(want, why.Expected.CostMedian)
		}
		want = a.study.Hold(trial.Setting, want)
		if want <= 0 || want > r.Ledger.Left() {
			continue
		}
		reason := say.Reason{Kind: say.Stopped, Trial: trial.Number}
		if !trial.Stopped {
			reason.Kind, reason.Try, reason.Most = say.Lost, deaths[a.space.Key(trial.Setting)]+1, mostTries
		}
		why.Picked, why.Clauses = reason.String(), reason.Clauses()
		raw, err := json.Marshal(why)
		if err != nil {
			continue
		}
		if trial.Credible > 0 && !a.study.Cost.Accounted() {
			trial.Credible = math.Max(trial.Credible, timesMost*seconds)
		}
		return study.Asked{Setting: trial.Setting, Point: trial.Point, Reserved: want, Why: raw, Plan: trial.Plan, Credible: trial.Credible}, true
	}
	return study.Asked{}, false
}
