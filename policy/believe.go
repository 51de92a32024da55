package policy

import (
	"math"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
)

// assumed is what is assumed about pending points: that they return what the models expect. Both models are conditioned on their own
// posterior means there. That leaves the means as they are and removes the uncertainty, so that nothing near a point looks attractive
// for a second time (the "kriging believer" of Ginsbourger et al. 2010). The expected costs of the points are set aside.
type assumed struct {
	points                 [][]float64
	values, lnCosts, costs []float64 // their means, and the expected costs
	objective, lnCost      *gp.Model // with all of them
}

// believe sets the decision's belief: what the models say with the pending points.
func (p *policy) believe(d *decision, best float64) error {
	s, a := d.State, p.Memory.pending(d.fitted, d.Pending)
	b := d.fitted.belief(s.Remaining)
	b.Best = best
	for _, x := range s.Pending[len(a.points):] {
		b.Objective, b.LnCost = a.objective, a.lnCost
		a = a.with(b, x)
	}
	p.Memory.keepPending(d.fitted, a)
	b.Objective, b.LnCost = a.objective, a.lnCost
	for i, value := range a.values {
		b.Best = math.Max(b.Best, value)
		b.Remaining -= a.costs[i]
	}
	b.Objective, b.LnCost, b.Remaining = d.believeLooks(b.Objective, b.LnCost, b.Remaining)
	if d.belief, d.assumed = b, a; b.Remaining <= 0 {
		return ErrBudgetPending
	}
	return nil
}

// with returns what is assumed with one more point. It shares what it can, and changes nothing.
func (a assumed) with(b acq.Belief, x []float64) assumed {
	objective, value, valueSD := a.objective.Believe(x)
	rest, lnCost, lnCostSD := a.lnCost.Believe(x)
	n := len(a.points)
	return assumed{
		points: append(a.points[:n:n], x), values: append(a.values[:n:n], value), lnCosts: append(a.lnCosts[:n:n], lnCost),
		costs:     append(a.costs[:n:n], costOf(b.Tie(lnCost, lnCostSD, value, valueSD))),
		objective: objective, lnCost: rest,
	}
}
