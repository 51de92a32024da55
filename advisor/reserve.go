package advisor

import (
	"math"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// cautious is the quantile of the predicted cost that is reserved, in standard deviations of its logarithm: nine
// trials in ten cost less.
const cautious = 1.2815515655446004 // Φ⁻¹(0.9)

// sure is the quantile for trials that cannot get more time: 99 trials in a hundred cost less.
const sure = 2.3263478740408408 // Φ⁻¹(0.99)

// caution is the quantile that is reserved. A job whose cost is accounted runs no longer than was reserved for it.
func (a *Advisor) caution() float64 {
	if a.study.Cost.Accounted() {
		return sure
	}
	return cautious
}

// leastChance is the chance to fit the budget below which a trial is not worth its price. A trial whose median cost is above what is left
// is refused before, so this matters only where a limit caps the median.
const leastChance = 0.05

// reserve returns the money to hold for a suggested trial. This is a cautious quantile of its predicted cost, but no more than what is left.
// It is no more than the limit of a trial, either, unless the median cost is above that limit.
func (a *Advisor) reserve(r *study.Record, s policy.Suggestion) (float64, error) {
	left, share := r.Ledger.Left(), a.share(r)
	setting := a.space.Decode(a.join(s.X, s.Level))
	fee, _ := a.Fee(r, setting)
	want, median, known := share+fee, fee, a.isPriced(r, s.Predicted)
	if p := s.Predicted; known {
		median = math.Exp(p.LnCost)
		want = a.tamed(r, math.Exp(p.LnCost+a.caution()*p.LnCostSD), median, share+fee, s.Policy == "design")
	}
	if want = math.Max(want, a.leastHold(r)); known {
		want, median = a.capped(want, median), a.capped(median, median)
		want = a.beside(r, want, median)
	} else {
		want = a.unpriced(setting, a.uncosted(r, want), fee)
	}
	want, median = a.study.Hold(setting, want), math.Max(median, a.study.LeastHold(setting))
	switch {
	case a.tuning.Overrun && left > 0:
	case left <= 0 || median > left:
		if len(r.Open()) > 0 {
			return 0, ErrBudgetPending
		}
		return 0, a.tooDear(r.Ledger, median)
	case known && !a.covers(r, s.Predicted):
		return 0, errKept
	case known && s.Predicted.Fits < leastChance && len(r.Open()) == 0:
		return 0, fault.New(fault.NotWorth, "", "%w: %s left, and the best candidate is only %s likely to fit that", errTooDear, say.Left(a.study.Cost, r.Ledger), say.Percent(s.Predicted.Fits))
	}
	return math.Min(want, left), nil
}

// tamed limits a cautious quantile of a forecast cost, which is a wild guess after one or two results. So at most an equal share of the budget
// is reserved, or the median cost if that is more. This holds for trials of the initial design, and for all trials while fewer than
// leastPrices costs are known.
func (a *Advisor) tamed(r *study.Record, quantile, median, equal float64, design bool) float64 {
	if design || r.Earlier == nil && a.prices(r) < leastPrices {
		return math.Min(quantile, math.Max(equal, median))
	}
	return quantile
}

// leastPrices is the least number of known costs that can show how costs differ.
const leastPrices = 2

// unpriced is what to hold for a trial before any cost is known. full is the reservation of a full evaluation, and fee the price of getting ready.
func (a *Advisor) unpriced(setting space.Setting, full, fee float64) float64 {
	if part := a.Part(setting); part < 1 {
		return fee + math.Max(full-fee, 0)*part
	}
	return full
}

// Part is the ratio of a trial's reservation to the reservation of a full evaluation, before any cost is known. The price of a look is
// expected to be proportional to its fidelity. If the reservation is also the trial's time, Part is 1, since a program may take as long to
// start for a look.
func (a *Advisor) Part(setting space.Setting) float64 {
	if a.study.Fidelity == nil || a.study.Cost.Source != study.Reported {
		return 1
	}
	return a.study.FidelityOf(setting) / a.study.Fidelity.Top()
}

// isPriced says whether a prediction knows what a trial will cost, by this study's results or by the results of an earlier study.
func (a *Advisor) isPriced(r *study.Record, p policy.Prediction) bool {
	return p.Known && a.knowsPrices(r) || p.Priced
}

// beside caps a reservation so that others can run beside the trial, but not below its median cost. A job whose cost is accounted gets
// all that is wanted, since it would be cut there and gets no more time.
func (a *Advisor) beside(r *study.Record, want, median float64) float64 {
	if a.study.Cost.Accounted() {
		return want
	}
	return math.Min(want, math.Max(a.part(r), median))
}

// covers reports whether the unspent money pays, nine times in ten, for all open trials and the new one. Trials that run beside each other draw
// on the same money, and not all of them are unlucky, so less may be held for each than a cautious quantile. But if the money does not last for all
// of them, all are cut, or go over the budget. There are two exceptions. A trial that runs alone needs only a chance. And a trial may begin while the
// money pays for twice the medians of all trials: after a few results quantiles are wild, and slots would stand idle. Where trials
// have a limit, none is expected to cost more than that, unless its median does.
func (a *Advisor) covers(r *study.Record, p policy.Prediction) bool {
	open := r.Open()
	if len(open) == 0 {
		return true
	}
	// The sum of lognormal costs is about lognormal: Fenton, The sum of log-normal probability distributions in scatter transmission systems, 1960.
	medians, limits, mean, variance := 0.0, 0.0, 0.0, 0.0
	add := func(ln, sd float64) {
		medians, limits = medians+math.Exp(ln), limits+a.capped(math.Inf(1), math.Exp(ln))
		m := math.Exp(ln + sd*sd/2)
		mean, variance = mean+m, variance+m*m*math.Expm1(sd*sd)
	}
	add(p.LnCost, p.LnCostSD)
	for _, t := range open {
		why, ok := WhyOf(t.Why)
		switch e := why.Expected; {
		case ok && e != nil && e.CostMedian > 0 && (e.CostHigh >= t.Reserved || !a.study.Measured()):
			add(math.Log(e.CostMedian), math.Log(e.CostHigh/e.CostMedian)/cautious)
		case t.Reserved > 0: // nothing is known of it, or it has got more already than was expected
			add(math.Log(t.Reserved), 0)
		}
	}
	spread := math.Log1p(variance / (mean * mean))
	most := math.Exp(math.Log(mean) - spread/2 + cautious*math.Sqrt(spread))
	if math.IsNaN(most) { // so little is known that the variance overflows
		most = math.Inf(1)
	}
	return min(most, 2*medians, limits) <= r.Ledger.Total-r.Ledger.Spent
}

// tooDear says that the best candidate costs more than is left.
func (a *Advisor) tooDear(l study.Ledger, cost float64) error {
	left, price := a.apart(l, cost)
	return fault.New(fault.NotWorth, "", "%w: %s left, and the best candidate is expected to cost %s", errTooDear, left, price)
}

// apart writes what is left and a price that is more, even where both are written with the same digits.
func (a *Advisor) apart(l study.Ledger, cost float64) (left, price string) {
	left, price = say.Left(a.study.Cost, l), say.Amount(a.study.Cost, cost)
	if price == left {
		price = "slightly more"
	}
	return left, price
}

// share is what is held for a trial before anything is known of costs: an equal part of the budget for each point of the initial design.
func (a *Advisor) share(r *study.Record) float64 {
	return math.Min(r.Ledger.Total/float64(a.designSize()), a.part(r))
}

// part is the most that may be held for a trial beside others: half of an equal share of the unspent money. So something remains for all
// trials, and for trials that need more than their reservation.
func (a *Advisor) part(r *study.Record) float64 {
	if a.study.Parallel <= 1 {
		return r.Ledger.Total
	}
	return (r.Ledger.Total - r.Ledger.Spent) / float64(2*a.study.Parallel)
}

// designSize is an upper bound of the size of the initial design: the paper's, or the study's if that is larger.
func (a *Advisor) designSize() int { return max(a.study.Policy.Design, 2*(a.dim()+1)) }

// capped is the amount, but no more than the limit of a trial. A cost that is only reported may go past its limit: a median above the limit
// takes its place.
func (a *Advisor) capped(amount, median float64) float64 {
	limit := a.study.Budget.PerTrial
	if limit <= 0 {
		return amount
	}
	if !a.study.Measured() {
		limit = math.Max(limit, median)
	}
	return math.Min(amount, limit)
}

// uncosted is what to reserve while no cost is known: per_trial if the study has it, but no more than is left, or than this trial's part beside others;
// otherwise the given amount.
func (a *Advisor) uncosted(r *study.Record, amount float64) float64 {
	if limit := a.study.Budget.PerTrial; limit > 0 {
		return min(limit, r.Ledger.Left(), a.part(r))
	}
	return amount
}

// leastHold is what is held for any trial where the cost is wall time. A reservation is raised while its trial runs,
// but that takes moments of its own, which a trial of milliseconds does not have.
func (a *Advisor) leastHold(r *study.Record) float64 {
	if !a.study.Measured() {
		return 0
	}
	const second = 1.0
	return math.Min(second, r.Ledger.Total/float64(20*max(a.study.Parallel, 1)))
}

// A trial that takes much longer than was forecast may hang. It is stopped where it passes what the forecast makes credible, before it
// eats the budget. A forecast may be wrong, above all an early one, so the limit is generous, and another try gets more time.
const (
	incredible  = 3.090232306167813 // Φ⁻¹(0.999): one trial in a thousand costs more
	timesMedian = 10                // and no trial is stopped that costs less than this many times the median,
	timesMost   = 2                 // or this many times the most that any trial has cost, or that a try of its setting took
	leastKnown  = 3                 // this many trials of at least its fidelity must have a price before a trial is judged by them
)

// A trial may be slow to start, whatever it does then. Seconds.
const leastMeasured, leastReported = 1.0, 60.0

// credible is how many seconds the forecast of a trial makes credible; 0 if nobody can tell. While only looks have ended, the time of a
// full evaluation is a guess, and no reason to stop it. Where costs are reported, the slowest trial so far says how many
// seconds a unit of cost takes.
func (a *Advisor) credible(r *study.Record, setting space.Setting, p policy.Prediction) float64 {
	if a.study.Cost.Accounted() {
		return a.jobSeconds(r, setting, p)
	}
	if !p.Known {
		return 0
	}
	known, most, slowest, fidelity := 0, 0.0, 0.0, a.study.FidelityOf(setting)
	for _, t := range r.Trials {
		if t.State == study.Done && t.Charged > 0 && t.Wall > 0 {
			if a.study.FidelityOf(t.Setting) >= fidelity {
				known++
			}
			most, slowest = math.Max(most, t.Charged), math.Max(slowest, t.Wall/t.Charged)
		}
	}
	if known < leastKnown {
		return 0
	}
	cost := max(math.Exp(p.LnCost+incredible*p.LnCostSD), timesMedian*math.Exp(p.LnCost), timesMost*most)
	seconds := math.Max(cost*slowest, leastReported)
	if a.study.Measured() {
		seconds = math.Max(cost, leastMeasured)
	}
	_, took := a.tried(r, setting)
	if seconds = math.Max(seconds, timesMost*took); !(seconds <= study.MaxAmount) {
		return 0
	}
	return seconds
}

// jobSeconds is how many seconds a job may take by the forecast of its cost, if there were enough money. It never gets more.
func (a *Advisor) jobSeconds(r *study.Record, setting space.Setting, p policy.Prediction) float64 {
	want := a.uncosted(r, a.share(r))
	if a.isPriced(r, p) {
		want = a.capped(math.Exp(p.LnCost+sure*p.LnCostSD), math.Exp(p.LnCost))
	}
	seconds := a.study.JobSeconds(setting, a.study.Hold(setting, want))
	if !(seconds <= study.MaxAmount) {
		return 0
	}
	return seconds
}

// trialsLeft refuses a trial beyond budget.trials.
func (a *Advisor) trialsLeft(r *study.Record) error {
	most := a.study.Budget.Trials
	if most == 0 || a.begun(r) < most {
		return nil
	}
	return fault.New(fault.BudgetSpent, "to go on, raise budget.trials in the study file", "budget.trials allows %s, and all have been started", say.Count(most, "trial"))
}

// begun is how many trials count for budget.trials: all but those that were run elsewhere, or were lost and are tried again.
func (a *Advisor) begun(r *study.Record) (n int) {
	again := a.lost(r)
	for _, t := range r.Trials {
		if !t.IsImported() && !(again[t.Number] && isLost(t)) {
			n++
		}
	}
	return n
}

// MostToCome is how many more trials may be started at most, whatever money there is, and what says so. It is infinite if nothing does.
func (a *Advisor) MostToCome(r *study.Record) (most float64, by string) {
	most = math.Inf(1)
	if allowed := a.study.Budget.Trials; allowed > 0 {
		most, by = float64(max(allowed-a.begun(r), 0)), "budget.trials"
	}
	if n, finite := a.untried(r); finite && float64(n) < most {
		most, by = float64(n), "how many settings are left"
	}
	return most, by
}

// untried is how many settings are left to be tried, and whether that is a limit. It is none where settings are tried again: with noise, or first cheaply
// and then in full.
func (a *Advisor) untried(r *study.Record) (n int, finite bool) {
	n, finite = a.space.Size()
	if !finite || a.study.Fidelity != nil || a.hasNoise(r) {
		return 0, false
	}
	lost, tried := a.lost(r), map[string]bool{}
	note := func(setting space.Setting, point []float64) {
		if key := a.space.Key(setting); !tried[key] && a.space.Feasible(point) {
			tried[key] = true
			n--
		}
	}
	for _, t := range r.Trials {
		if t.IsEvidence() && !lost[t.Number] {
			note(t.Setting, t.Point)
		}
	}
	for _, k := range counting(r.Known) {
		note(k.Setting, k.Point)
	}
	for _, item := range r.Waiting() {
		if !item.Part && tried[a.space.Key(item.Setting)] {
			n++ // somebody wants it once more
		}
	}
	return max(n, 0), true
}
