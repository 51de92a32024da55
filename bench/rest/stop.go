package rest

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/study"
)

// Stopped is what the default rule to stop would have done to a course.
type Stopped struct {
	Key
	Spent     float64 // the fraction of the budget that was spent when the rule stopped the study; 1: it did not
	Given     float64 // how much of the spread of the values was given away
	Converged bool    // at half of the budget the best value was within a thousandth of the spread of the optimum
	Steady    bool    // it was within a thousandth of the spread of the last one
}

// withinSpread is the fraction of the spread of the values within which two values are as good as each other.
const withinSpread = 1e-3

// Stop asks the default rule before every trial of a course.
func Stop(ctx context.Context, c Course) (Stopped, error) {
	option, err := c.options()
	if err != nil {
		return Stopped{}, err
	}
	c.Definition.Stop = study.Stop{}
	a, err := advisor.New(&c.Definition, option)
	if err != nil {
		return Stopped{}, err
	}
	end, err := c.until(math.Inf(1))
	if err != nil {
		return Stopped{}, err
	}
	half, err := c.until(0.5)
	if err != nil {
		return Stopped{}, err
	}
	s := Stopped{Key: c.Key, Spent: 1, Steady: c.short(half, end) <= withinSpread}
	if best, ok := half.Best(c.Definition.Objective.Goal); ok {
		s.Converged = math.Abs(best.Value-c.Optimum) <= withinSpread*spread(end)
	}
	r := study.NewRecord(c.Definition.Budget.Total, false)
	for _, e := range c.Events {
		if e.Kind == study.EventAsked {
			why, _ := advisor.WhyOf(e.Asked.Why)
			err := a.Enough(ctx, r, e.Asked.Setting, why)
			if errors.Is(err, advisor.ErrNotWorth) {
				s.Spent, s.Given = r.Ledger.Spent/r.Ledger.Total, c.short(r, end)
				return s, nil
			}
			if err != nil {
				return s, fmt.Errorf("%s: %w", c.Key, err)
			}
		}
		if err := r.Apply(e); err != nil {
			return s, err
		}
	}
	return s, nil
}

// short is by how much of the spread of the values the best value then is worse than the last.
func (c *Course) short(then, end *study.Record) float64 {
	goal := c.Definition.Objective.Goal
	last, ok := end.Best(goal)
	was, had := then.Best(goal)
	if !ok || !had {
		return 1
	}
	if wide := spread(end); wide > 0 {
		return math.Abs(last.Value-was.Value) / wide
	}
	return 0
}
