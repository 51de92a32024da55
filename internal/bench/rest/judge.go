package rest

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/study"
)

// Shares are the parts of the budget at which the rest is forecast.
var Shares = []float64{0.25, 0.5, 0.75}

// Verdict is a forecast and what came.
type Verdict struct {
	Key
	Share   float64
	Rest    advisor.Rest
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
		low, high = math.Min(low, t.Value), math.Max(high, t.Value)
	}
	return high - low
}

// Beside says where what came lies: −1 worse than the band of 80 %, 0 within it, 1 better. Values that differ by rounding are
// equal.
func (v Verdict) Beside(goal study.Goal) int {
	slack := 1e-12 * v.Spread
	switch {
	case math.Abs(v.Came-v.Rest.Worse) <= slack || math.Abs(v.Came-v.Rest.Better) <= slack:
		return 0
	case goal.Better(v.Rest.Worse, v.Came):
		return -1
	case goal.Better(v.Came, v.Rest.Better):
		return 1
	}
	return 0
}
