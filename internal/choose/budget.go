package choose

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/parallel"
)

// The fantasy budget, MATH.md (13).
//
// A tree looks only a few steps ahead, so it would ignore costs under a large remaining budget. It
// plans instead with the amount that those few steps would cost the base policy, EI-PUC-CC: roll it
// forward, draw each outcome from the posterior, add up the costs. This budget goes down with the
// money that is really spent. When it is nearly used up, a new one is made. One rollout, as in the
// reference, gives a noisy figure; the default averages several.

type money struct {
	budget                float64
	refill                float64 // the level at which a new one is made
	cut                   bool    // the context ended before all rollouts did
	searches, evaluations int
}

func fantasyBudget(ctx context.Context, b acq.Belief, d *model.Beliefs, steps int) money {
	if left, ok := leftOfPlan(b, d.Previous); ok {
		return money{budget: math.Min(left, b.Remaining), refill: d.Previous.Refill}
	}
	return rollOut(ctx, b, d, steps)
}

// leftOfPlan returns what is left of the last plan's fantasy budget, and whether that is enough to continue with. Since
// the plan was made, it has gone down by as much as the remaining money, whether that was paid or set aside for pending
// points.
func leftOfPlan(b acq.Belief, plan *model.Plan) (float64, bool) {
	if plan == nil || !(plan.Budget > 0) || !model.Finite(plan.Budget) || !model.Finite(plan.Remaining) {
		return 0, false
	}
	left := plan.Budget - (plan.Remaining - b.Remaining)
	return left, left > math.Max(plan.Refill, 0)
}

// rollOut makes a fantasy budget. The rollouts share their first point, since
// nothing has been drawn before it.
func rollOut(ctx context.Context, b acq.Belief, d *model.Beliefs, steps int) money {
	first := baseStep(ctx, b, d, 0)
	n, inner := max(d.Preset.Rollouts, 1), d.OneThread() // each rollout is one thread's work
	sums, least, effort := make([]float64, n), make([]float64, n), make([]maximise.Result, n)
	parallel.For(ctx, n, d.Threads, func() func(int) {
		return func(i int) {
			rng := rand.New(rand.NewPCG(d.SeedFor(model.SeedRollout), uint64(i)))
			sums[i], least[i], effort[i] = rollOnce(ctx, b, inner, first.Top().X, steps, rng)
		}
	})
	f, done := money{searches: first.Searches, evaluations: first.Evaluations}, 0.0
	for i := range n {
		if sums[i] > 0 { // zero: the context left no time for it
			done++
			f.budget += sums[i]
			f.refill += least[i]
			f.searches += effort[i].Searches
			f.evaluations += effort[i].Evaluations
		}
	}
	f.cut = ctx.Err() != nil
	if done == 0 {
		f.budget = b.Remaining
		return f
	}
	f.budget, f.refill = math.Min(f.budget/done, b.Remaining), model.Capped(f.refill/done)
	return f
}

// rollOnce follows the base policy for the given number of steps and returns the sum and
// the smallest of the costs drawn.
func rollOnce(ctx context.Context, b acq.Belief, d *model.Beliefs, x []float64, steps int, rng *rand.Rand) (sum, least float64, effort maximise.Result) {
	least = math.Inf(1)
	for step := 1; ; step++ {
		y, lnCost := draw(b.Objective, x, rng), draw(b.LnCost, x, rng)
		cost := math.Exp(lnCost)
		sum, least = sum+cost, math.Min(least, cost)
		if step == steps || ctx.Err() != nil {
			return sum, least, effort
		}
		b.Objective, b.LnCost = b.Objective.Condition(x, y), b.LnCost.Condition(x, lnCost)
		b.Best = math.Max(b.Best, y)
		b.Remaining -= cost
		found := baseStep(ctx, b, d, step)
		x = found.Top().X
		effort.Searches, effort.Evaluations = effort.Searches+found.Searches, effort.Evaluations+found.Evaluations
	}
}

// baseStep maximises EI-PUC-CC, with the preset's part of its exponent, and with the reference's effort for rollouts: 50d
// raw points and 5d starts. If several rollouts are averaged there are fewer starts, since the others make up for what one
// misses.
func baseStep(ctx context.Context, b acq.Belief, d *model.Beliefs, step int) maximise.Result {
	e := model.Effort{Raw: 50 * d.Dim, Starts: 5 * d.Dim, Iterations: 100}
	if d.Preset.Rollouts > 1 {
		e.Starts = 2 * d.Dim
	}
	base := func(b acq.Belief, d *model.Beliefs) *acq.Function { return perCost(b, d, d.Preset.Thrift) }
	return Maximise(ctx, base, b, d, e, d.SeedFor(model.SeedRollout+uint64(step)<<32))
}

// draw draws an observation, including noise.
func draw(m *gp.Model, x []float64, rng *rand.Rand) float64 {
	b := m.NewBatch(1, nil)
	b.Forward(x, false)
	return m.Standard().From(b.Mean[0] + math.Sqrt(b.Var[0]+m.Hyper().Noise)*rng.NormFloat64())
}
