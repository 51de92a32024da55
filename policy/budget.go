package policy

import (
	"context"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/lookahead"
)

// fantasyBudget returns the money that a tree of so many steps plans with: what is left of the last plan's, or a new fantasy budget.
// Since the last plan was made, its budget has gone down by as much as the remaining money, whether that was paid or set aside for
// pending points.
func (p *policy) fantasyBudget(ctx context.Context, b acq.Belief, d *decision, steps int) lookahead.FantasyBudget {
	if plan := d.Previous; plan != nil && plan.Budget > 0 && finite(plan.Budget) && finite(plan.Remaining) {
		last := lookahead.FantasyBudget{Budget: plan.Budget, Refill: plan.Refill}
		if left, ok := last.Left(plan.Remaining-b.Remaining, b.Remaining); ok {
			return left
		}
	}
	return lookahead.Rollouts{
		Base: p.baseStep(d), Steps: steps, Count: p.Preset.Rollouts, Threads: p.Threads, Seed: d.seed(seedRollout),
	}.Budget(ctx, b)
}

// baseStep maximises EI-PUC-CC, with the preset's part of its exponent, and with the reference's effort for rollouts: 50d
// raw points and 5d starts. If several rollouts are averaged there are fewer starts, since the others make up for what one
// misses.
func (p *policy) baseStep(d *decision) lookahead.BaseStep {
	e := effort{raw: 50 * d.Dim, starts: 5 * d.Dim, iterations: 100}
	if p.Preset.Rollouts > 1 {
		e.starts = 2 * d.Dim
	}
	return func(ctx context.Context, b acq.Belief, step, threads int) (x []float64, searches, evaluations int) {
		inner := *p
		inner.Threads = threads
		base := func(b acq.Belief, d *decision) *acq.Function { return p.perCost(b, d, p.Preset.Thrift) }
		found := inner.maximiseOneStep(ctx, base, b, d, e, d.seed(seedRollout+uint64(step)<<32))
		return found.Top().X, found.Searches, found.Evaluations
	}
}
