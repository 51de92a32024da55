// Package looks decides on cheap looks: evaluations below the top level of fidelity, whose values do not count.
//
// First puts a look in the place of the chosen evaluation if looks, and the evaluation after them, promise more than that evaluation alone,
// after prices are subtracted (Worth). It takes no look once looks have cost more than twice as much as evaluations at the top, counting the
// next one (looksAhead). Begin chooses the point of the first evaluation at the top. GoOn says what the rest of a running evaluation is worth for its
// price, and how likely it is to beat the best value; if both are low, the evaluation is stopped early (Stops).
package looks

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/model"
)

// A look improves nothing by itself. Its worth is what it may change about the evaluation that follows at the top, MATH.md §12.
//
// A look at (x,t) moves the means at the top along one direction, μ(x') + ρ(x')·Z with Z ~ N(0,1), and takes ρ² from the variances. So the
// expectation over its outcome is an integral in one variable, which Gauss-Hermite quadrature takes. For each Z the best evaluation at the top
// is chosen again, among some candidates, by what it is expected to improve, less the price of both. Money is worth what the rest of it
// improves on average. A look does not give up the evaluation that it delays, but takes its price from the end of the study. Several looks on
// a level may be valued together (bundle.go). If they promise more than the best evaluation at the top does at once, the first of them is
// taken, and all is decided anew with its result. Of several such bundles, the bundle that gains most for the square root of its price is begun.

// mostAhead is the number of looks that may ever be planned together before an evaluation at the top.
const mostAhead = 8

// mostGain caps the gain of a look where an evaluation at once is worth next to nothing.
const mostGain = 1000

// First returns a look, if a look promises more than what was chosen, and if looks have not cost too much already (mostLooking). Otherwise it
// returns what was chosen or, where evaluations are resumed, an evaluation that goes on from a look and is worth more.
func First(ctx context.Context, d *model.Beliefs, chosen model.Suggestion) model.Suggestion {
	chosen.Level = 1
	if !d.TakesLooks() || !d.IsLeveled() || ctx.Err() != nil {
		return chosen
	}
	w := NewWorth(d, chosen)
	if looksAhead(d.State, math.Exp(w.lnCost[0])) {
		return w.resumed(chosen)
	}
	found, level, highest := bundle{}, 1.0, 0.0
	for _, t := range d.Levels[d.GivenUp : len(d.Levels)-1] {
		b := w.bestBundle(t, w.NewLooks(t), d.LooksAhead())
		if rate := w.gainFor(b.worth, b.price); rate > highest {
			found, level, highest = b, t, rate
		}
	}
	if level == 1 {
		return w.resumed(chosen)
	}
	return Chosen(d, chosen, found.first, model.LookReason{Gain: math.Min(found.worth/w.now, mostGain), Looks: found.looks}, level)
}

// Chosen returns what was chosen with a look in its place, and why.
func Chosen(d *model.Beliefs, chosen model.Suggestion, x []float64, why model.LookReason, level float64) model.Suggestion {
	why.Correlation = d.Objective().Hyper().LevelCorrelation(level)
	for _, m := range d.Objectives()[1:] {
		why.Others = append(why.Others, m.Hyper().LevelCorrelation(level))
	}
	chosen.X, chosen.Level, chosen.Next, chosen.Look = slices.Clone(x), level, nil, &why
	return chosen
}

// mostLooking limits what looks may cost, as a multiple of what evaluations at the top have cost.
const mostLooking = 2

// looksAhead says whether looks have cost more than mostLooking times what evaluations at the top cost, counting one more at the top at the given
// price. A look can always seem worth taking first. Without this limit the evaluation at the top would never happen, and only evaluations at the
// top tell what looks are worth.
func looksAhead(d *model.State, next float64) bool {
	looks, tops := 0.0, next
	for _, l := range d.Looks {
		if !l.Step && !math.IsNaN(l.LnCost) {
			looks += math.Exp(l.LnCost)
		}
	}
	for _, ln := range d.LnCost {
		if !math.IsNaN(ln) {
			tops += math.Exp(ln)
		}
	}
	return looks > mostLooking*tops
}

// Nothing is known when a study begins, neither which points are good nor what they cost. A first evaluation at the top may then take a
// good part of the money for a point that is worth nothing. Where there are looks, they come first, as the initial design. What
// they have taught decides where the first evaluation at the top is, MATH.md §12.

// Begin returns the first evaluation at the top: the point, among the points with looks, that is expected to improve most on a middling point
// for its price.
func Begin(d *model.Beliefs) (model.Suggestion, bool) {
	points := d.LookedAt(0)[:len(d.Looks)]
	improves := middling(d, points)
	lnCost, lnCostSD := model.Posterior(d.Belief.LnCost, points)
	lessPaid(d.State, points, lnCost)
	charge(d.Belief, points, lnCost, lnCostSD)
	chosen, highest := -1, math.Inf(-1)
	chances := d.Belief.Chances()
	for j, x := range points {
		if !model.IsNew(x, slices.Concat(d.Pending, d.Tried, d.Failures())...) || !d.Allows(x) {
			continue
		}
		fits := model.Fits(d.Belief.Remaining, lnCost[j], math.Max(lnCostSD[j], 1e-6))
		works, counts := chances(x)
		fits = math.Max(fits*counts/d.Belief.Dearer(x, works, lnCost[j]), math.SmallestNonzeroFloat64)
		if rate := improves[j] - lnCost[j] + math.Log(fits); rate > highest {
			chosen, highest = j, rate
		}
	}
	if chosen < 0 {
		return model.Suggestion{}, false
	}
	return model.Suggestion{X: slices.Clone(points[chosen]), Policy: "design", Level: 1, Looked: true}, true
}

// While an evaluation runs, going on competes with everything else that the money could buy, MATH.md §12. The values that it had on its
// way are looks at its point, so the models know what to expect of it at the top. Its rest promises that improvement for the price
// of the rest. It is stopped only if that is clearly less than what another setting promises for its whole price, and if it
// is unlikely to beat the best value.

// clearlyLess is the fraction of another setting's worth below which finishing an evaluation is not worth its price. unlikely is the chance
// to beat the best value above which the evaluation is finished anyway.
const clearlyLess, unlikely = 0.25, 0.1

// LeastRest is the least fraction of its price that the rest of an evaluation costs: no model knows the end exactly.
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
	// Chance is the chance that its point beats the best value at the top; with several objectives, that it extends the front.
	Chance float64

	// Rest is what it is expected to cost until it has a value that counts.
	Rest float64

	// Worth is what it is expected to improve for the money of its rest, as a fraction of what the best other setting found is expected to improve for its price.
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
		return g, false // pending evaluations need all the money, or this is a design point, which is there to teach the models
	}
	w := NewWorth(d, model.Suggestion{X: u.X}) // whose first top is the point itself
	other := 0.0
	for j := 1; j < len(w.Tops); j++ {
		other = math.Max(other, w.rate(j))
	}
	if !(other > 0) {
		return g, false
	}
	g.Chance = w.beats(0) * w.chance[0]
	price := func(level float64) float64 {
		ln, _ := model.Posterior(d.Belief.LnCost.At(level), [][]float64{u.X})
		return math.Exp(ln[0])
	}
	g.Rest = rest(price(1), u.Spent)
	if u.Level < 1 && !m.Resume { // its own end is a look, and the evaluation at the top comes after it
		g.Rest = rest(price(u.Level), u.Spent) + price(1)
	}
	g.Worth = math.Exp(w.lnGain(w.at(0))-math.Log(g.Rest)) * w.chance[0] / other
	return g, true
}
