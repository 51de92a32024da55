package policy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
)

// The fantasy budget, MATH.md (13).
//
// A tree looks only a few steps ahead; under a large remaining budget it would not
// see costs at all. So it plans with what those few steps would cost the base policy,
// EI-PUC-CC: roll it forward, draw each outcome from the posterior, add up the
// costs. That budget is kept, less what is really spent, until it is nearly used
// up, and then made anew. One rollout, as in the reference, is a noisy figure; the default
// averages several.

type fantasyBudget struct {
	budget      float64
	refill      float64 // made anew when no more than this is left
	evaluations int
}

func (p *policy) fantasyBudget(ctx context.Context, b acq.Belief, s *State, steps int) fantasyBudget {
	if left, ok := leftOfPlan(b, s); ok {
		return fantasyBudget{budget: math.Min(left, b.Remaining), refill: s.Previous.Refill}
	}
	return p.rollOut(ctx, b, s, steps)
}

// leftOfPlan returns what is left of the last plan's fantasy budget, and whether that is
// enough to go on with.
func leftOfPlan(b acq.Belief, s *State) (float64, bool) {
	plan := s.Previous
	if plan == nil || !(plan.Budget > 0) || math.IsInf(plan.Budget, 0) || plan.Observed < 0 || plan.Observed > len(s.X) {
		return 0, false
	}
	// What was pending when the plan was made was set aside then.
	open := func(x []float64) bool {
		return slices.ContainsFunc(plan.Open, func(o []float64) bool { return slices.Equal(o, x) })
	}
	left := plan.Budget
	for i := plan.Observed; i < len(s.X); i++ {
		if !open(s.X[i]) {
			left -= math.Exp(s.LnCost[i])
		}
	}
	for _, x := range s.Pending {
		if !open(x) {
			left -= expectedCost(b.LnCost, x)
		}
	}
	return left, left > math.Max(plan.Refill, 0)
}

// rollOut makes a fantasy budget. The rollouts share their first point, since
// nothing has been drawn before it.
func (p *policy) rollOut(ctx context.Context, b acq.Belief, s *State, steps int) fantasyBudget {
	inner := *p // each rollout is one thread's work
	inner.Threads = 1
	first := p.baseStep(ctx, b, s, 0)
	n := max(p.Preset.Rollouts, 1)
	sums, least, evaluations := make([]float64, n), make([]float64, n), make([]int, n)
	parallel(ctx, n, p.Threads, func() func(int) {
		return func(i int) {
			rng := rand.New(rand.NewPCG(s.seed(seedRollout), uint64(i)))
			sums[i], least[i], evaluations[i] = inner.rollOnce(ctx, b, s, first.top().x, steps, rng)
		}
	})
	f, done := fantasyBudget{evaluations: first.evaluations}, 0.0
	for i := range n {
		if sums[i] > 0 { // zero: the context left no time for it
			done++
			f.budget += sums[i]
			f.refill += least[i]
			f.evaluations += evaluations[i]
		}
	}
	if done == 0 {
		f.budget = b.Remaining
		return f
	}
	f.budget, f.refill = math.Min(f.budget/done, b.Remaining), f.refill/done
	return f
}

// rollOnce follows the base policy for the given number of steps and returns the sum and
// the smallest of the costs drawn.
func (p *policy) rollOnce(ctx context.Context, b acq.Belief, s *State, x []float64, steps int, rng *rand.Rand) (sum, least float64, evaluations int) {
	least = math.Inf(1)
	for step := 1; ; step++ {
		y, lnCost := draw(b.Objective, x, rng), draw(b.LnCost, x, rng)
		cost := math.Exp(lnCost)
		sum, least = sum+cost, math.Min(least, cost)
		if step == steps || ctx.Err() != nil {
			return sum, least, evaluations
		}
		b.Objective, b.LnCost = b.Objective.Condition(x, y), b.LnCost.Condition(x, lnCost)
		b.Best = math.Max(b.Best, y)
		b.Remaining -= cost
		f := p.baseStep(ctx, b, s, step)
		x, evaluations = f.top().x, evaluations+f.evaluations
	}
}

// baseStep maximises EI-PUC-CC with the reference's effort for rollouts, 50d raw points and 5d starts;
// fewer starts where several rollouts are averaged, since what one misses the others make up for.
func (p *policy) baseStep(ctx context.Context, b acq.Belief, s *State, step int) found {
	nu := cooling(b, s.Initial)
	e := effort{raw: 50 * s.Dim, starts: 5 * s.Dim, iterations: 100}
	if p.Preset.Rollouts > 1 {
		e.starts = 2 * s.Dim
	}
	return p.maximiseOneStep(ctx, func() *acq.Function { return acq.PerCost(b, nu) }, s.Dim, e,
		s.seed(seedRollout+uint64(step)<<32), incumbents(s))
}

// draw draws an observation, noise included.
func draw(m *gp.Model, x []float64, rng *rand.Rand) float64 {
	b := m.NewBatch(1, nil)
	b.Forward(x, false)
	return m.Standard().From(b.Mean[0] + math.Sqrt(b.Var[0]+m.Hyper().Noise)*rng.NormFloat64())
}
