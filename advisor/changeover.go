package advisor

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/eke-bo/eke/internal/changeover"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// If changes cost something, the price of a trial has two parts, MATH.md (71). The models learn the trial's own price. The price of getting ready
// for it depends on the trial before at the same place.

// At returns the advisor for the place of the next trial. The default is the place of the last trial.
func (a *Advisor) At(place string) *Advisor {
	if len(a.study.Changeover) == 0 {
		return a
	}
	there := *a
	there.at = &place
	return &there
}

// placeFor is where the next trial is to be evaluated.
func (a *Advisor) placeFor(r *study.Record) string {
	if a.at == nil {
		return r.LastPlace()
	}
	return *a.at
}

// fees is what a record says of the prices of changes.
type fees struct {
	before []int              // by trial: the one before it at the same place
	prices []changeover.Price // the learnt prices, by the numbers of study.Fee
}

// feesCache keeps the fees of the last record: every suggestion asks for them several times.
type feesCache struct {
	mu            sync.Mutex
	version       int64
	trials        int
	spent, asides float64
	kept          *fees
}

// leastOwn is the least fraction of a trial's charge that does not go into changes. A report or a price that leaves less is not believed.
const leastOwn = 0.02

// feesOf returns the prices of changes by a record; nil if they cost nothing.
func (a *Advisor) feesOf(r *study.Record) *fees {
	if len(a.study.Changeover) == 0 {
		return nil
	}
	k := a.fees
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || k.version != r.Version || k.trials != len(r.Trials) || k.spent != r.Ledger.Spent || k.asides != r.Ledger.Reserved {
		k.version, k.trials, k.spent, k.asides, k.kept = r.Version, len(r.Trials), r.Ledger.Spent, r.Ledger.Reserved, a.learnFees(r)
	}
	return k.kept
}

func (a *Advisor) learnFees(r *study.Record) *fees {
	count := len(a.study.Changeover)
	f := &fees{before: r.Predecessors(), prices: make([]changeover.Price, 2*count)}
	var learnt []int // by the numbers of study.Fee
	for i, c := range a.study.Changeover {
		if c.IsLearnt() {
			learnt = append(learnt, i)
		}
		if c.IsLearntDown() {
			learnt = append(learnt, count+i)
		}
	}
	if len(learnt) == 0 {
		return f
	}
	var rows []changeover.Row
	for i, t := range r.Trials {
		if !a.hasPrice(t) || t.Resumes > 0 && t.Setup == nil {
			continue
		}
		fee := a.study.FeeOf(r, t, f.before[i])
		row := changeover.Row{X: t.Point, Cost: math.Max(t.Charged-fee.Known, leastOwn*t.Charged), Setup: math.NaN()}
		if t.Setup != nil {
			row.Setup = *t.Setup - fee.Known
		}
		for _, number := range fee.Learnt {
			row.Changed = append(row.Changed, slices.Index(learnt, number))
		}
		rows = append(rows, row)
	}
	for k, price := range changeover.Learn(rows, len(learnt)) {
		f.prices[learnt[k]] = price
	}
	return f
}

// amount is what a change is expected to cost, and its standard deviation.
func (f *fees) amount(fee study.Fee) (amount, sd float64) {
	amount = fee.Known
	variance := 0.0
	for _, number := range fee.Learnt {
		p := f.prices[number]
		amount, variance = amount+p.Mean, variance+p.SD*p.SD
	}
	return amount, math.Sqrt(variance)
}

// paid is the part of a trial's charge that went into changes.
func (a *Advisor) paid(r *study.Record, f *fees, t study.Trial) float64 {
	amount, _ := f.amount(a.study.FeeOf(r, t, f.before[t.Number-1]))
	return math.Min(t.SetupPaid(amount), (1-leastOwn)*t.Charged)
}

// OwnCost is what a trial cost with what it resumed, without what went into changes.
func (a *Advisor) OwnCost(r *study.Record, t study.Trial) float64 {
	f := a.feesOf(r)
	if f == nil {
		return r.PaidBefore(t) + t.Charged
	}
	sum := t.Charged - a.paid(r, f, t)
	for t.Resumes > 0 && t.Resumes < t.Number && !t.Lost {
		t = r.Trials[t.Resumes-1]
		sum += t.Charged - a.paid(r, f, t)
	}
	return sum
}

// ownSpent is OwnCost of a trial that is under way and has cost so much.
func (a *Advisor) ownSpent(r *study.Record, t study.Trial, cost float64) float64 {
	before := r.PaidBefore(t)
	if f := a.feesOf(r); f != nil {
		so := t
		so.Charged = cost
		if before = 0; t.Resumes > 0 && t.Resumes < t.Number && !t.Lost {
			before = a.OwnCost(r, r.Trials[t.Resumes-1])
		}
		cost -= a.paid(r, f, so)
	}
	return before + cost
}

// Fee returns the expected cost of changing to a setting at the place of the next trial, and its standard deviation. It is 0 if changes cost nothing.
func (a *Advisor) Fee(r *study.Record, setting space.Setting) (amount, sd float64) {
	f := a.feesOf(r)
	if f == nil {
		return 0, 0
	}
	return f.amount(a.study.Fee(a.study.SetAt(r, a.placeFor(r)), setting))
}

// Changes returns the money that went into changes. Prices that nobody reported are estimated.
func (a *Advisor) Changes(r *study.Record) study.Changes {
	c := a.study.Changes(r)
	f := a.feesOf(r)
	if f == nil || c.Unsure == 0 {
		return c
	}
	c.Spent = 0
	for _, t := range r.Trials {
		if t.State.Ended() && t.Began() {
			c.Spent += a.paid(r, f, t)
		}
	}
	return c
}

// change returns what it costs to get ready for the next trial, as a policy sees it; nil if it costs nothing.
func (a *Advisor) change(r *study.Record) *policy.Change {
	f := a.feesOf(r)
	if f == nil {
		return nil
	}
	place := a.placeFor(r)
	now := a.study.SetAt(r, place)
	c := &policy.Change{
		Setup: func(grad, x []float64) (float64, float64) {
			setting := a.space.Decode(a.join(x, 1))
			if grad != nil {
				a.addSlopes(grad, now, setting)
			}
			return f.amount(a.study.Fee(now, setting))
		},
		Between: func(from, to []float64) float64 {
			set := now
			if from != nil {
				set = a.space.Decode(a.join(from, 1))
			}
			amount, _ := f.amount(a.study.Fee(set, a.space.Decode(a.join(to, 1))))
			return amount
		},
		At: a.setPoint(r, place),
	}
	for _, entry := range a.study.Changeover {
		var coordinates []int
		for _, name := range entry.Of {
			from, to, _ := a.space.Coordinates(name)
			for j := from; j < to; j++ {
				coordinates = append(coordinates, j)
			}
		}
		c.Keep = append(c.Keep, coordinates)
	}
	for i, t := range r.Trials {
		if t.State.Open() {
			amount, _ := f.amount(a.study.FeeOf(r, t, f.before[i]))
			c.Pending += amount
		}
	}
	return c
}

// setPoint is the point of the current setting of a place; nil if the parameters do not allow it, or if it is not fully known.
func (a *Advisor) setPoint(r *study.Record, place string) []float64 {
	if last, ok := r.LastAt(place); ok {
		if last.Outside {
			return nil
		}
		return a.place(last.Point)
	}
	for _, entry := range a.study.Changeover {
		for _, name := range entry.Of {
			if _, given := a.study.Initial[name]; !given {
				return nil
			}
		}
	}
	hold, err := a.space.Hold(a.study.Initial)
	if err != nil {
		return nil // an oven may be colder than any trial
	}
	point := make([]float64, a.space.Dim())
	for j := range point {
		point[j] = 0.5
	}
	hold(point)
	return a.place(point)
}

// addSlopes adds the gradient of the price of a change, as far as it depends on distances.
func (a *Advisor) addSlopes(grad []float64, from, to space.Setting) {
	for _, entry := range a.study.Changeover {
		slope := a.study.SlopeOf(entry, from, to)
		if slope == 0 {
			continue
		}
		j, end, _ := a.space.Coordinates(entry.Of[0])
		p := a.study.Parameters[slices.IndexFunc(a.study.Parameters, func(p space.Param) bool { return p.Name == entry.Of[0] })]
		if end != j+1 || j >= len(grad) {
			continue
		}
		rate := p.Max - p.Min // by which the value grows with the coordinate
		if x, _ := to[p.Name].Number(); p.Log {
			rate = x * math.Log(p.Max/p.Min)
		}
		grad[j] += slope * rate
	}
}

// cheapestHere returns the settings that somebody wants. Settings for which no other place is cheaper come first.
func (a *Advisor) cheapestHere(r *study.Record, list []study.Item) []study.Item {
	f := a.feesOf(r)
	if f == nil || len(list) < 2 {
		return list
	}
	here := a.placeFor(r)
	dearer := func(item study.Item) float64 { // than at the cheapest of the other places
		price := func(place string) float64 {
			amount, _ := f.amount(a.study.Fee(a.study.SetAt(r, place), item.Setting))
			return amount
		}
		least := math.Inf(1)
		for _, place := range r.Places() {
			if place != here {
				least = math.Min(least, price(place))
			}
		}
		return math.Max(price(here)-least, 0)
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y study.Item) int { return cmp.Compare(dearer(x), dearer(y)) })
	return list
}

// withFee notes in an expectation how much of the cost is for a change.
func (a *Advisor) withFee(r *study.Record, setting space.Setting, e *study.Expected) {
	if e != nil && len(a.study.Changeover) > 0 {
		e.Setup, e.SetupSD = a.Fee(r, setting)
	}
}

// refee updates an expectation of the same setting for the change that is needed now.
func (a *Advisor) refee(r *study.Record, setting space.Setting, e *study.Expected) {
	if e == nil || len(a.study.Changeover) == 0 {
		return
	}
	amount, sd := a.Fee(r, setting)
	more := amount - e.Setup
	for _, cost := range []*float64{&e.Cost, &e.CostLow, &e.CostMedian, &e.CostHigh} {
		*cost = math.Max(*cost+more, leastOwn**cost)
	}
	e.Setup, e.SetupSD = amount, sd
}
