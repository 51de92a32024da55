package lookahead

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/parallel"
)

// The fantasy budget, MATH.md (13).
//
// A tree looks only a few steps ahead, so it would ignore costs under a large remaining budget. It
// plans instead with the amount that those few steps would cost a base policy, which is EI-PUC-CC in the paper: roll it
// forward, draw each outcome from the posterior, add up the costs. This budget goes down with the
// money that is really spent. When it is nearly used up, a new one is made. One rollout, as in the
// reference, gives a noisy figure, so several can be averaged.

// FantasyBudget is the money that a tree plans with.
type FantasyBudget struct {
	// Budget is the money: Belief.Remaining of the tree.
	Budget float64

	// Refill is the level at which a new fantasy budget is made: the cost of the cheapest step of a rollout, averaged over the
	// rollouts.
	Refill float64

	// Searches is the number of local searches that the rollouts took, and Evaluations how often they evaluated what they maximised.
	Searches, Evaluations int

	// CutShort says that the context ended before all rollouts did.
	CutShort bool
}

// Left returns what is left of a fantasy budget after some money was spent, and whether that is enough to continue with. It is
// never more than what really remains.
func (f FantasyBudget) Left(spent, remaining float64) (left FantasyBudget, ok bool) {
	money := f.Budget - spent
	return FantasyBudget{Budget: math.Min(money, remaining), Refill: f.Refill}, money > math.Max(f.Refill, 0)
}

// BaseStep returns the point that the base policy would evaluate next, and the effort to find it. Steps are counted from 0. It may
// use this many threads, which must not change the result.
type BaseStep func(ctx context.Context, b acq.Belief, step, threads int) (x []float64, searches, evaluations int)

// Rollouts say how a fantasy budget is made.
type Rollouts struct {
	// Base is the base policy.
	Base BaseStep

	// Steps is the number of evaluations that the budget is for: the tree's levels.
	Steps int

	// Count is the number of rollouts that are averaged. 0 means 1, as in the paper.
	Count int

	// Threads is how many goroutines may work at once. It never changes the result.
	Threads int

	// Seed is the seed of the outcomes that are drawn.
	Seed uint64
}

// Budget makes a fantasy budget. The rollouts share their first point, since nothing has been drawn before it.
func (r Rollouts) Budget(ctx context.Context, b acq.Belief) FantasyBudget {
	x, searches, evaluations := r.Base(ctx, b, 0, r.Threads)
	each := make([]FantasyBudget, max(r.Count, 1))
	parallel.Each(ctx, len(each), r.Threads, func(i int) { each[i] = r.once(ctx, b, x, rand.New(rand.NewPCG(r.Seed, uint64(i)))) })
	f, done := FantasyBudget{Searches: searches, Evaluations: evaluations}, 0.0
	for _, e := range each {
		if e.Budget > 0 { // zero: the context left no time for it
			done++
			f.Budget += e.Budget
			f.Refill += e.Refill
			f.Searches += e.Searches
			f.Evaluations += e.Evaluations
		}
	}
	f.CutShort = ctx.Err() != nil
	if done == 0 {
		f.Budget = b.Remaining
		return f
	}
	f.Budget, f.Refill = math.Min(f.Budget/done, b.Remaining), f.Refill/done
	return f
}

// once follows the base policy from its first point, and returns the sum and the smallest of the costs drawn. It is one thread's work.
func (r Rollouts) once(ctx context.Context, b acq.Belief, x []float64, rng *rand.Rand) FantasyBudget {
	f := FantasyBudget{Refill: math.Inf(1)}
	for step := 1; ; step++ {
		y, lnCost := draw(b.Objective, x, rng), draw(b.LnCost, x, rng)
		cost := math.Exp(lnCost)
		f.Budget, f.Refill = f.Budget+cost, math.Min(f.Refill, cost)
		if step == r.Steps || ctx.Err() != nil {
			return f
		}
		b.Objective, b.LnCost = b.Objective.Condition(x, y), b.LnCost.Condition(x, lnCost)
		b.Best = math.Max(b.Best, y)
		b.Remaining -= cost
		var searches, evaluations int
		x, searches, evaluations = r.Base(ctx, b, step, 1)
		f.Searches, f.Evaluations = f.Searches+searches, f.Evaluations+evaluations
	}
}

// draw draws an observation, including noise.
func draw(m *gp.Model, x []float64, rng *rand.Rand) float64 {
	b := m.NewBatch(1, nil)
	b.Forward(x, false)
	return m.Standard().From(b.Mean[0] + math.Sqrt(b.Var[0]+m.Hyper().Noise)*rng.NormFloat64())
}
