package policy

import (
	"math"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/normal"
)

// While an evaluation runs, going on competes with everything else that the money could buy, MATH.md §12. The values that it had on its
// way are looks at its point, so the models know what to expect of it at the top. Its rest promises that improvement for the price
// of the rest. It is stopped only if that is clearly less than what another setting promises for its whole price, and if it
// is unlikely to beat the best value.

// clearlyLess is the part of another setting's worth below which a rest is not worth its price, and unlikely the chance to beat the best
// value above which it is finished anyway.
const clearlyLess, unlikely = 0.25, 0.1

// LeastRest is the part of a price that a rest costs at least: no model knows the end exactly.
const LeastRest = 0.05

// Underway is an evaluation that is running. The values that it had on its way are among the looks of the state, and it is not among
// the pending points.
type Underway struct {
	// X is its point.
	X []float64

	// Level is the level that it will reach.
	Level float64

	// Spent is what it has cost so far, with what it resumed.
	Spent float64
}

// Going says what the rest of an evaluation is worth.
type Going struct {
	// Chance is the chance that its point beats the best value at the top.
	Chance float64

	// Rest is what it is expected to cost until it has a value that counts.
	Rest float64

	// Worth is what it is expected to improve for the money of its rest, as a part of what the best other setting found is for its price.
	Worth float64
}

// Stops says whether the evaluation should be stopped.
func (g Going) Stops() bool { return g.Worth < clearlyLess && g.Chance < unlikely }

// GoOn returns what the rest of an evaluation is worth. If there is nothing to compare it with, ok is false.
func (m *Models) GoOn(u Underway) (g Going, ok bool) {
	if !m.isLeveled() || len(m.state.X) == 0 {
		return g, false
	}
	d := &decision{State: m.state, history: m.policy.newHistory(m.state), fitted: m.fitted}
	if m.policy.believe(d, m.policy.best(m.fitted, d.history, m.state.X).value) != nil {
		return g, false // the money is others' already
	}
	if m.policy.designs(d) {
		return g, false // it is to teach the models, not to be the best
	}
	w := m.policy.newLookWorth(d, Suggestion{X: u.X}) // whose first top is the point itself
	other := 0.0
	for j := 1; j < len(w.tops); j++ {
		other = math.Max(other, w.rate(j))
	}
	if !(other > 0) {
		return g, false
	}
	g.Chance = normal.CDF((w.mean[0] - w.best) / math.Max(w.sd[0], 1e-12))
	whole, _ := posterior(d.belief.LnCost, [][]float64{u.X})
	g.Rest = rest(math.Exp(whole[0]), u.Spent)
	if u.Level < 1 && !m.state.Resume { // its own end is a look, and the evaluation at the top comes after it
		ln, _ := posterior(d.belief.LnCost.At(u.Level), [][]float64{u.X})
		g.Rest = rest(math.Exp(ln[0]), u.Spent) + math.Exp(whole[0])
	}
	ln, _, _ := acq.LogEI(w.mean[0], w.sd[0], w.best)
	g.Worth = math.Exp(ln-math.Log(g.Rest)) / other
	return g, true
}

// rest is what is left of a price.
func rest(price, spent float64) float64 { return math.Max(price-spent, LeastRest*price) }
