package choose

import (
	"context"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/lookahead"
)

// fantasyBudget returns the money that a tree of the given number of steps plans with: the rest of the last fantasy budget, or a new one.
// Since the last plan was made, its budget has gone down by as much as the remaining money, whether that was paid or set aside for
// pending points.
func fantasyBudget(ctx context.Context, b acq.Belief, d *model.Beliefs, steps int) lookahead.FantasyBudget {
	if plan := d.Previous; plan != nil && plan.Budget > 0 && model.Finite(plan.Budget) && model.Finite(plan.Remaining) {
		last := lookahead.FantasyBudget{Budget: plan.Budget, Refill: plan.Refill}
		if left, ok := last.Left(plan.Remaining-b.Remaining, b.Remaining); ok {
			return left
		}
	}
	count := 1
	if !d.Paper {
		count = rollouts
	}
	return lookahead.Rollouts{
		Base: baseStep(d), Steps: steps, Count: count, Threads: d.Threads, Seed: d.SeedFor(model.SeedRollout),
	}.Budget(ctx, b)
}

// rollouts is the number of rollouts that the fantasy budget is averaged over, and thrift the part of EI-PUC-CC's exponent that they use. The reference has
// one rollout, and all of the exponent.
const rollouts, thrift = 8, 0.5

// baseStep maximises EI-PUC-CC, with the reference's effort for rollouts: 50d raw points and 5d starts. If several rollouts are averaged there are fewer
// starts, since the others make up for what one misses.
func baseStep(d *model.Beliefs) lookahead.BaseStep {
	e := model.Effort{Raw: 50 * d.Dim, Starts: 5 * d.Dim, Iterations: 100}
	part := 1.0
	if !d.Paper {
		e.Starts, part = 2*d.Dim, thrift
	}
	base := func(b acq.Belief, d *model.Beliefs) *acq.Function { return perCost(b, d, part) }
	return func(ctx context.Context, b acq.Belief, step, threads int) (x []float64, searches, evaluations int) {
		inner := d
		if threads == 1 {
			inner = d.OneThread()
		}
		found := Maximise(ctx, base, b, inner, e, d.SeedFor(model.SeedRollout+uint64(step)<<32))
		return found.Top().X, found.Searches, found.Evaluations
	}
}
