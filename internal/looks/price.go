package looks

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/normal"
)

// Nothing is known when a study begins, neither which points are good nor what they cost. A first evaluation at the top may then take a
// good part of the money for a point that is worth nothing. Where there are looks, they come first: those of the initial design. What
// they have taught decides where the first evaluation at the top is, MATH.md §12.

// Begin returns the first evaluation at the top: of the points that were looked at, the one that is expected to improve most on a
// middling one for its price.
func Begin(d *model.Beliefs) (model.Suggestion, bool) {
	points := d.LookedAt(0)[:len(d.Looks)]
	mean, sd := model.Posterior(d.Belief.Objective, points)
	lnCost, lnCostSD := model.Posterior(d.Belief.LnCost, points)
	lessPaid(d.State, points, lnCost)
	sorted := slices.Sorted(slices.Values(mean))
	middle := sorted[len(sorted)/2]
	chosen, highest := -1, math.Inf(-1)
	for j, x := range points {
		if !model.IsNew(x, slices.Concat(d.Pending, d.Tried, d.Failures())...) || !d.Allows(x) {
			continue
		}
		ln, _, _ := acq.LogEI(mean[j], sd[j], middle)
		fits := model.Fits(d.Belief.Remaining, lnCost[j], math.Max(lnCostSD[j], 1e-6))
		if rate := ln - lnCost[j] + math.Log(math.Max(fits, math.SmallestNonzeroFloat64)); rate > highest {
			chosen, highest = j, rate
		}
	}
	if chosen < 0 {
		return model.Suggestion{}, false
	}
	return model.Suggestion{X: slices.Clone(points[chosen]), Policy: "design", Level: 1}, true
}

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
func GoOn(m *model.Models, u Underway) (g Going, ok bool) {
	if !m.IsLeveled() || len(m.X) == 0 {
		return g, false
	}
	d, err := m.Believe()
	if err != nil || d.InDesign() {
		return g, false // the money is others' already, or it is to teach the models, not to be the best
	}
	w := NewWorth(d, model.Suggestion{X: u.X}) // whose first top is the point itself
	other := 0.0
	for j := 1; j < len(w.Tops); j++ {
		other = math.Max(other, w.rate(j))
	}
	if !(other > 0) {
		return g, false
	}
	g.Chance = normal.CDF((w.mean[0] - w.best) / math.Max(w.sd[0], 1e-12))
	price := func(level float64) float64 {
		ln, _ := model.Posterior(d.Belief.LnCost.At(level), [][]float64{u.X})
		return math.Exp(ln[0])
	}
	g.Rest = rest(price(1), u.Spent)
	if u.Level < 1 && !m.Resume { // its own end is a look, and the evaluation at the top comes after it
		g.Rest = rest(price(u.Level), u.Spent) + price(1)
	}
	ln, _, _ := acq.LogEI(w.mean[0], w.sd[0], w.best)
	g.Worth = math.Exp(ln-math.Log(g.Rest)) / other
	return g, true
}

// rest is what is left of a price.
func rest(price, spent float64) float64 { return math.Max(price-spent, LeastRest*price) }

// Where evaluations can be resumed, one at a point that was looked at goes on where the look ended, and costs the difference, MATH.md
// §12. The models know of whole prices only; what was paid already is taken off where prices are compared.

// paid returns what was paid at a point for the highest look there; 0 if evaluations cannot be resumed, or if there was one at the top, so
// that nothing is left to go on from.
func paid(s *model.State, x []float64) (most float64) {
	if !s.Resume || !model.IsNew(x, s.X...) {
		return 0
	}
	for _, l := range s.Looks {
		if !math.IsNaN(l.LnCost) && !model.IsNew(x, l.X) {
			most = math.Max(most, math.Exp(l.LnCost))
		}
	}
	return most
}

// lessPaid takes what was paid off the prices of evaluations at points, which are logarithms.
func lessPaid(s *model.State, points [][]float64, lnCost []float64) {
	for j, x := range points {
		if paid := paid(s, x); paid > 0 {
			lnCost[j] = math.Log(rest(math.Exp(lnCost[j]), paid))
		}
	}
}

// resumed returns the evaluation at the top that is worth most for the difference that it costs, if that is more than what was chosen
// is worth.
func (w *Worth) resumed(chosen model.Suggestion) model.Suggestion {
	worth := func(j int) float64 { return w.worthOf(j, w.mean[j], w.sd[j], 0) }
	best, found := worth(0), 0
	for j := 1; j < len(w.Tops); j++ {
		if v := worth(j); v > best && paid(w.State, w.Tops[j]) > 0 {
			best, found = v, j
		}
	}
	if found > 0 {
		chosen.X, chosen.Next = slices.Clone(w.Tops[found]), nil
	}
	return chosen
}
