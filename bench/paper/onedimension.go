package paper

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/policy"
)

// A problem that is easy to see, for the picture of EI-PUC against B-MS-EI: it has two good regions, and the better one is
// expensive. It is invented, and was chosen because the two policies differ on it. On 32 such problems, with other widths, costs
// and budgets, B-MS-EI ended ahead by more than 0.01 on 17 and behind by as much on 6. The other figures show how often it is
// ahead.

const (
	hillBudget = 6.0
	hillSeed   = 1
)

// hills has a low hill where evaluations are cheap, and a higher one where they are expensive.
func hills(x float64) (value, cost float64) {
	bump := func(at, width float64) float64 { return math.Exp(-(x - at) * (x - at) / (2 * width * width)) }
	value = 0.7*bump(0.2, 0.1) + bump(0.72, 0.1) + 0.2*math.Sin(25*x)
	return value, math.Exp(-1.2 + 2*bump(0.75, 0.15))
}

// hillDesign are the points known at the start. As in the paper, they are not charged.
var hillDesign = []float64{0.06, 0.36, 0.6, 0.93}

// sight is what a policy sees at one step, and what it does next.
type sight struct {
	x, y, cost  []float64 // evaluated so far
	belief      acq.Belief
	spent       float64
	over        bool      // the money is gone: nothing is chosen
	chosen      float64   // the next point
	acquisition []float64 // what the policy maximised, on the grid
	highest     float64   // the same at the chosen point
	plan        []float64 // what would follow, if all went as expected
}

// gridOfLine is where curves are drawn, and the pool that plans with a given root are grown from.
var gridOfLine = func() []float64 {
	grid := make([]float64, 101)
	for i := range grid {
		grid[i] = float64(i) / float64(len(grid)-1)
	}
	return grid
}()

// walkHills lets a policy, in the paper's preset, spend the budget and returns what it saw at each step. The last sight shows the
// end.
func walkHills(name string) ([]sight, error) {
	p, err := policy.New(name, policy.Settings{Design: -1, Threads: 1, Paper: true, RawPoints: 4000, Starts: 100})
	if err != nil {
		return nil, err
	}
	state := policy.State{Dim: 1, Initial: hillBudget, Remaining: hillBudget, Seed: hillSeed}
	tell := func(x float64) {
		value, cost := hills(x)
		state.X, state.Y = append(state.X, []float64{x}), append(state.Y, value)
		state.LnCost = append(state.LnCost, math.Log(cost))
	}
	for _, x := range hillDesign {
		tell(x)
	}
	var seen []sight
	for {
		suggestion, err := p.Suggest(context.Background(), state)
		if err != nil {
			return nil, err
		}
		now, err := newSight(state, suggestion)
		if err != nil {
			return nil, err
		}
		seen = append(seen, now)
		_, cost := hills(now.chosen)
		if cost > state.Remaining { // an evaluation that it cannot pay for ends the walk, and does not count
			now.over = true
			return append(seen, now), nil
		}
		tell(now.chosen)
		state.Remaining -= cost
		state.Trial++
		state.Previous = suggestion.Plan
	}
}

// newSight records the policy's suggestion, and computes the function that it maximised.
func newSight(s policy.State, suggestion policy.Suggestion) (sight, error) {
	now := sight{y: slices.Clone(s.Y), spent: s.Initial - s.Remaining, chosen: suggestion.X[0], highest: math.Exp(suggestion.Acquisition)}
	for i, x := range s.X {
		now.x, now.cost = append(now.x, x[0]), append(now.cost, math.Exp(s.LnCost[i]))
	}
	plan := suggestion.Plan
	now.belief = acq.Belief{
		Objective: gp.New(s.X, s.Y, gp.Standardise(s.Y), plan.Hyper[0]),
		LnCost:    gp.New(s.X, s.LnCost, gp.Standardise(s.LnCost), plan.Hyper[1]),
		Best:      slices.Max(s.Y), Remaining: s.Remaining,
	}
	if len(plan.Fantasies) == 0 { // one step
		f := acq.PerCost(now.belief, 1)
		for _, x := range gridOfLine {
			now.acquisition = append(now.acquisition, f.Eval(nil, []float64{x}))
		}
		return now, nil
	}
	under := now.belief
	under.Remaining = plan.Budget // the plan was made under the fantasy budget
	var err error
	now.acquisition, err = planValues(under, plan.Fantasies)
	for _, next := range suggestion.Next {
		now.plan = append(now.plan, next.X[0])
	}
	return now, err
}
