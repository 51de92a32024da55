package advisor

import (
	"math"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// A trial that takes much longer than was forecast hangs. It is stopped where it passes what the forecast makes credible, before it
// eats the budget. A forecast may be wrong, above all an early one, so the limit is generous.
const (
	incredible  = 3.090232306167813 // Φ⁻¹(0.999): one trial in a thousand costs more
	timesMedian = 10                // and no trial is stopped that costs less than so many times the median,
	timesMost   = 2                 // or so many times the most that any trial has cost
	leastKnown  = 3                 // so many trials must have a price before one is judged by them
)

// A trial may be slow to start, whatever it does then. Seconds.
const leastMeasured, leastReported = 1.0, 60.0

// credible is how many seconds the forecast of a trial makes credible; 0 if nobody can tell. Where costs are reported, the slowest
// trial so far says how many seconds a unit of cost takes.
func (a *Advisor) credible(r *study.Record, setting space.Setting, p policy.Prediction) float64 {
	if a.study.Cost.Accounted() {
		return a.jobSeconds(r, setting, p)
	}
	if !p.Known {
		return 0
	}
	known, most, slowest := 0, 0.0, 0.0
	for _, t := range r.Trials {
		if t.State == study.Done && t.Charged > 0 && t.Wall > 0 {
			known++
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
	if !(seconds <= study.MaxAmount) {
		return 0
	}
	return seconds
}

// jobSeconds is how many seconds a job may take by the forecast of its cost, were there money enough. It gets no more, so nothing beyond is
// credible.
func (a *Advisor) jobSeconds(r *study.Record, setting space.Setting, p policy.Prediction) float64 {
	want, known := a.share(r), p.Known && a.knowsPrices(r)
	if known {
		want = math.Exp(p.LnCost + sure*p.LnCostSD)
	}
	seconds := a.study.JobSeconds(setting, a.study.Hold(setting, a.withinLimit(r, want, known)))
	if !(seconds <= study.MaxAmount) {
		return 0
	}
	return seconds
}

// trialsLeft refuses a trial beyond budget.trials. A trial that was lost and is to be tried again does not count.
func (a *Advisor) trialsLeft(r *study.Record) error {
	most := a.study.Budget.Trials
	if most == 0 || len(r.Trials)-len(a.lost(r)) < most {
		return nil
	}
	return fault.New(fault.BudgetSpent, "to go on, raise budget.trials in the study file", "budget.trials allows %s, and all have been started", say.Count(most, "trial"))
}
