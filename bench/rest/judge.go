package rest

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/study"
)

// Shares are the fractions of the budget at which the rest is forecast.
var Shares = []float64{0.25, 0.5, 0.75}

// Verdict is a forecast and what came.
type Verdict struct {
	Key
	Share   float64
	Rest    study.Rest
	Came    float64 // the best value at the end
	Spread  float64 // of all values
	Seconds float64 // it took
}

// Judge forecasts the rest of a course at the shares of its budget.
func Judge(ctx context.Context, c Course) (list []Verdict, err error) {
	option, err := c.options()
	if err != nil {
		return nil, err
	}
	a, err := advisor.New(&c.Definition, option)
	if err != nil {
		return nil, err
	}
	end, err := c.until(math.Inf(1))
	if err != nil {
		return nil, err
	}
	final, ok := end.Best(c.Definition.Objective.Goal)
	if !ok {
		return nil, nil
	}
	for _, share := range Shares {
		r, err := c.until(share)
		if err != nil {
			return nil, err
		}
		begin := time.Now()
		rest, err := a.Rest(ctx, r, 0)
		if err != nil {
			return nil, fmt.Errorf("%s at %v: %w", c.Key, share, err)
		}
		if rest == nil {
			continue
		}
		list = append(list, Verdict{c.Key, share, *rest, final.Value, spread(end), time.Since(begin).Seconds()})
	}
	return list, nil
}

// until returns the study as it stood when that share of its budget was spent.
func (c *Course) until(share float64) (*study.Record, error) {
	r := study.NewRecord(c.Definition.Budget.Total, false)
	for _, e := range c.Events {
		if e.Kind == study.EventAsked && r.Ledger.Spent >= share*r.Ledger.Total {
			break
		}
		if err := r.Apply(e); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	return r, nil
}

// spread is how far the values of a study lie apart.
func spread(r *study.Record) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, k := range r.Known {
		low, high = math.Min(low, k.Value), math.Max(high, k.Value)
	}
	for _, t := range r.Trials {
		if t.Look {
			continue
		}
		low, high = math.Min(low, t.Value), math.Max(high, t.Value)
	}
	return high - low
}

// Beside says where what came lies: −1 worse than the band of 80 %, 0 within it, 1 better. Values that differ by rounding are
// equal.
func (v Verdict) Beside(goal study.Goal) int {
	switch {
	case v.equal(v.Rest.Worse) || v.equal(v.Rest.Better):
		return 0
	case goal.Better(v.Rest.Worse, v.Came):
		return -1
	case goal.Better(v.Came, v.Rest.Better):
		return 1
	}
	return 0
}

func (v Verdict) equal(value float64) bool { return math.Abs(v.Came-value) <= 1e-12*v.Spread }

// A best value may stay the same, and has a chance of its own to do so. If that is more than one in ten, the band begins there, and
// there is no band that holds exactly 80 %: this one holds 90 %. So what a band holds is compared with two figures.

// tail is the chance of each side of the band.
const tail = 0.1

// Claimed is the chance that the forecast itself gives to its band.
func (v Verdict) Claimed() float64 {
	if v.Rest.Worse == v.Rest.Best {
		return math.Max(1-tail, v.Rest.Same)
	}
	return 1 - 2*tail
}

// Split says which parts of the outcome are worse than the band, within it and better, if each of equal values that may come has its own
// quantile (the randomised probability integral transform; Czado, Gneiting & Held 2009). Of outcomes of a forecast that is right, 80 %
// are within.
func (v Verdict) Split(goal study.Goal) (parts [3]float64) {
	if same := v.Rest.Same; same > 0 && v.equal(v.Rest.Best) { // its quantile is any from 0 to that chance
		worse, better := math.Min(tail/same, 1), math.Max(1-(1-tail)/same, 0)
		return [3]float64{worse, 1 - worse - better, better}
	}
	parts[v.Beside(goal)+1] = 1
	return parts
}
