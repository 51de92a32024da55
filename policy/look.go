package policy

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/internal/sobol"
)

// A look improves nothing by itself. Its worth is what it may change about the evaluation that follows at the top, MATH.md §12.
//
// A look at (x,t) moves the means at the top along one direction, μ(x') + ρ(x')·Z with Z ~ N(0,1), and takes ρ² from the variances. So
// the expectation over its outcome is an integral in one variable, which Gauss-Hermite quadrature takes. For each Z the best
// evaluation at the top is chosen again, among some candidates, by what it is expected to improve, less the price of both. Money
// is worth what the rest of it improves on average: a look does not give up the evaluation that it delays, but takes its price from
// the end of the study. Several looks on a level may be taken together. They are taken if they promise more than the best
// evaluation at the top does at once.

// How many candidates at the top there are, of which the promising ones are also looked at, and the nodes of the quadrature.
const rawTops, mostTops, mostLooks, lookNodes = 256, 64, 16, 15

// mostGain caps the gain of a look where an evaluation at once is worth next to nothing.
const mostGain = 1000

// LookReason says why a look was chosen.
type LookReason struct {
	// Gain is how many times as much as an evaluation at the top at once the looks are worth, with the evaluation that they help to choose.
	Gain float64

	// Looks is the number of looks that this counts on, this one included.
	Looks int

	// Correlation says how well the level predicts the top, from 0 to 1.
	Correlation float64
}

// lookFirst returns a look, if one promises more than what was chosen, and otherwise what was chosen.
func (p *policy) lookFirst(ctx context.Context, d *decision, chosen Suggestion) Suggestion {
	chosen.Level = 1
	if !p.looks() || !d.isLeveled() || ctx.Err() != nil {
		return chosen
	}
	w := p.newLookWorth(d, chosen)
	best := w.atOnce()
	found, level := bundle{worth: best}, 1.0
	for _, t := range d.Levels[:len(d.Levels)-1] {
		if b := w.bestBundle(t, w.newLooks(d, t), p.Preset.LooksAhead); b.worth > found.worth {
			found, level = b, t
		}
	}
	if level == 1 {
		return w.resumed(chosen)
	}
	chosen.X, chosen.Level, chosen.Next = slices.Clone(found.first), level, nil
	chosen.Look = &LookReason{Gain: math.Min(found.worth/best, mostGain), Looks: found.looks, Correlation: d.objective.Hyper().LevelCorrelation(level)}
	return chosen
}

// lookWorth compares looks. The tops are candidates for the evaluation that follows.
type lookWorth struct {
	belief     acq.Belief
	state      *State
	lambda     float64 // what a unit of money is worth, standardised
	tops       [][]float64
	mean, sd   []float64 // of the tops' values, standardised
	lnCost     []float64 // and of the logarithms of their costs
	lnCostSD   []float64
	best       float64 // standardised
	topBatch   *gp.Batch
	nodes, wts []float64   // of the quadrature
	joint      [][]float64 // outcomes of several looks, standard normal
}

func (p *policy) newLookWorth(d *decision, chosen Suggestion) *lookWorth {
	w := &lookWorth{belief: d.belief, state: d.State, best: d.belief.Objective.Standard().To(d.belief.Best), nodes: make([]float64, lookNodes), wts: make([]float64, lookNodes)}
	nu := 1.0
	if chosen.LastTries > 0 {
		nu = math.Max(1-1/chosen.LastTries, 0)
	}
	quad.Hermite{}.FixedLocations(w.nodes, w.wts, math.Inf(-1), math.Inf(1))
	for i := range w.nodes { // ∫ e^{−x²} f(√2 x) dx/√π is the mean of f over a standard normal variable
		w.nodes[i] *= math.Sqrt2
		w.wts[i] /= math.Sqrt(math.Pi)
	}
	w.setTops(w.promising(d, chosen.X))
	w.topBatch = w.belief.Objective.NewBatch(len(w.tops), nil)
	w.topBatch.Forward(slices.Concat(w.tops...), false)
	w.setLambda(nu)
	for _, u := range sobol.Points(jointOutcomes/2, max(p.Preset.LooksAhead, 1), mix(seedLook)) {
		mirror := make([]float64, len(u)) // so that their mean is 0
		for k := range u {
			u[k] = normal.Quantile(u[k])
			mirror[k] = -u[k]
		}
		w.joint = append(w.joint, u, mirror)
	}
	return w
}

// promising returns candidates at the top: what was chosen first, then those with the highest rates among raw points and the points that
// were looked at.
func (w *lookWorth) promising(d *decision, chosen []float64) [][]float64 {
	points := [][]float64{chosen}
	add := func(x []float64) {
		if maximise.FarFrom(points, x, sameDistance) && maximise.FarFrom(d.taken, x, sameDistance) {
			points = append(points, x)
		}
	}
	for _, l := range slices.Concat(d.Looks, d.Looking) {
		add(l.X)
	}
	for _, x := range d.feasibleOf(maximise.RawPoints(rawTops, d.Dim, d.seed(seedLook))) {
		add(d.snap(x))
	}
	w.setTops(points)
	rates := make([]float64, len(points))
	for j := range points {
		rates[j] = w.rate(j)
	}
	rates[0] = math.Inf(1)
	return maximise.Pick(points, maximise.Highest(rates, mostTops))
}

func (w *lookWorth) setTops(points [][]float64) {
	w.tops = points
	std := w.belief.Objective.Standard()
	w.mean, w.sd = posterior(w.belief.Objective, points)
	for j := range points {
		w.mean[j], w.sd[j] = std.To(w.mean[j]), w.sd[j]/std.Scale
	}
	w.lnCost, w.lnCostSD = posterior(w.belief.LnCost, points)
	w.state.lessPaid(points, w.lnCost)
}

// rate is what an evaluation at a top is expected to improve for its price.
func (w *lookWorth) rate(j int) float64 {
	ln, _, _ := acq.LogEI(w.mean[j], w.sd[j], w.best)
	return math.Exp(ln-w.lnCost[j]) * w.fits(j, 0)
}

// worthOf is what an evaluation at a top is expected to improve, less its price, if looks of the given price come before it.
func (w *lookWorth) worthOf(j int, mean, sd, before float64) float64 {
	ln, _, _ := acq.LogEI(mean, sd, w.best)
	return math.Exp(ln)*w.fits(j, before) - w.price(j)
}

// fits is the chance that the money pays for an evaluation at a top after looks of the given price.
func (w *lookWorth) fits(j int, before float64) float64 {
	left := w.belief.Remaining - before
	if left <= 0 {
		return 0
	}
	return normal.CDF((math.Log(left) - w.lnCost[j]) / math.Max(w.lnCostSD[j], 1e-6))
}

// price is what the cost of an evaluation at a top is worth.
func (w *lookWorth) price(j int) float64 { return w.lambda * math.Exp(w.lnCost[j]) }

// atOnce is the highest worth without a look.
func (w *lookWorth) atOnce() (best float64) {
	for j := range w.tops {
		best = math.Max(best, w.worthOf(j, w.mean[j], w.sd[j], 0))
	}
	return best
}

// setLambda finds what a unit of money is worth: what it improves on average if the rest of the money goes to evaluations at the
// top, one after the other what is expected to improve the most for its price, each with the value that is expected.
func (w *lookWorth) setLambda(nu float64) {
	n := len(w.tops)
	cov := make([]float64, n*n)
	w.topBatch.CovarianceWith(w.topBatch, cov)
	noise, money, best, sum := w.belief.Objective.Hyper().Noise, w.belief.Remaining, w.best, 0.0
	for range mostPath {
		chosen, highest, gain := -1, 0.0, 0.0
		for j := range n {
			cost := math.Exp(w.lnCost[j])
			if cost > money {
				continue
			}
			ln, _, _ := acq.LogEI(w.mean[j], math.Sqrt(math.Max(cov[j*n+j], 1e-12)), best)
			if rate := math.Exp(ln) / cost; rate > highest {
				chosen, highest, gain = j, rate, math.Exp(ln)
			}
		}
		if chosen < 0 {
			break
		}
		sum, money, best = sum+gain, money-math.Exp(w.lnCost[chosen]), math.Max(best, w.mean[chosen])
		row, variance := slices.Clone(cov[chosen*n:(chosen+1)*n]), math.Max(cov[chosen*n+chosen], 1e-12)+noise
		for i, ci := range row {
			for k, ck := range row {
				cov[i*n+k] -= ci * ck / variance
			}
		}
	}
	w.lambda = nu * sum / w.belief.Remaining
}

// mostPath is the number of evaluations that the worth of money is averaged over at most.
const mostPath = 64

// newLooks returns the tops that may be looked at on a level.
func (w *lookWorth) newLooks(d *decision, level float64) (points [][]float64) {
	seen := d.lookedAt(level)
	for _, x := range w.tops {
		if len(points) < mostLooks && maximise.FarFrom(seen, x, sameDistance) {
			points = append(points, x)
		}
	}
	return points
}

// lookedAt returns the points that were looked at on a level or higher.
func (d *decision) lookedAt(level float64) (points [][]float64) {
	for _, l := range slices.Concat(d.Looks, d.Looking) {
		if l.Level >= level {
			points = append(points, l.X)
		}
	}
	return points
}

// afterLook is the expected worth of the best top after a look of that price, less the price. The look moves the means of the tops by that
// much for each standard deviation of its outcome.
func (w *lookWorth) afterLook(moves []float64, price float64) (mean float64) {
	if price >= w.belief.Remaining {
		return 0
	}
	for q, z := range w.nodes {
		best := 0.0
		for j, move := range moves {
			sd := math.Sqrt(math.Max(w.sd[j]*w.sd[j]-move*move, 1e-12))
			best = math.Max(best, w.worthOf(j, w.mean[j]+move*z, sd, price))
		}
		mean += w.wts[q] * best
	}
	return mean - w.lambda*price
}
