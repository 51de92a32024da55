package policy

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/normal"
)

// A look improves nothing by itself. Its worth is what it may change about the evaluation that follows at the top, MATH.md §12.
//
// A look at (x,t) moves the means at the top along one direction, μ(x') + ρ(x')·Z with Z ~ N(0,1), and takes ρ² from the variances. So
// the expectation over its outcome is an integral in one variable, which Gauss-Hermite quadrature takes. For each Z the best
// evaluation at the top is chosen again, among some candidates, by what it is expected to improve for the price of both. A look
// is taken if that promises more for the money than the best evaluation at the top does at once.

// How many candidates at the top there are, of which the promising ones are also looked at, and the nodes of the quadrature.
const rawTops, mostTops, mostLooks, lookNodes = 256, 64, 16, 15

// LookReason says why a look was chosen.
type LookReason struct {
	// Gain is how many times as much a look, and an evaluation at the top that it helps to choose, are expected to improve for the
	// money as an evaluation at the top is at once.
	Gain float64

	// Correlation says how well the level predicts the top, from 0 to 1.
	Correlation float64
}

// lookFirst returns a look, if one promises more than what was chosen, and otherwise what was chosen.
func (p *policy) lookFirst(ctx context.Context, d *decision, chosen Suggestion) Suggestion {
	chosen.Level = 1
	if !p.looks() || ctx.Err() != nil {
		return chosen
	}
	w := p.newLookWorth(d, chosen)
	best := math.Max(w.atOnce(), w.rate(0, 0)) // the first of the tops is what was chosen
	found, level, x := best, 1.0, chosen.X
	for _, t := range d.Levels[:len(d.Levels)-1] {
		points := w.newLooks(d, t)
		for i, v := range w.ofLooks(t, points) {
			if v > found {
				found, level, x = v, t, points[i]
			}
		}
	}
	if level == 1 {
		return chosen
	}
	chosen.X, chosen.Level, chosen.Next = slices.Clone(x), level, nil
	chosen.Look = &LookReason{Gain: found / best, Correlation: d.objective.Hyper().LevelCorrelation(level)}
	return chosen
}

// lookWorth compares looks. The tops are candidates for the evaluation that follows.
type lookWorth struct {
	belief     acq.Belief
	nu         float64 // the power of the cost; below 1 in the end game
	tops       [][]float64
	mean, sd   []float64 // of the tops' values, standardised
	lnCost     []float64 // and of the logarithms of their costs
	lnCostSD   []float64
	best       float64 // standardised
	nodes, wts []float64
}

func (p *policy) newLookWorth(d *decision, chosen Suggestion) *lookWorth {
	w := &lookWorth{belief: d.belief, nu: 1, best: d.belief.Objective.Standard().To(d.belief.Best), nodes: make([]float64, lookNodes), wts: make([]float64, lookNodes)}
	if chosen.LastTries > 0 {
		w.nu = math.Max(1-1/chosen.LastTries, 0)
	}
	quad.Hermite{}.FixedLocations(w.nodes, w.wts, math.Inf(-1), math.Inf(1))
	for i := range w.nodes { // ∫ e^{−x²} f(√2 x) dx/√π is the mean of f over a standard normal variable
		w.nodes[i] *= math.Sqrt2
		w.wts[i] /= math.Sqrt(math.Pi)
	}
	w.setTops(w.promising(d, chosen.X))
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
		rates[j] = w.rate(j, 0)
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
}

// rate is what an evaluation at a top is expected to improve for its price, if it follows a look of the given price.
func (w *lookWorth) rate(j int, before float64) float64 {
	return w.rateOf(j, w.mean[j], w.sd[j], before)
}

func (w *lookWorth) rateOf(j int, mean, sd, before float64) float64 {
	left := w.belief.Remaining - before
	if left <= 0 {
		return 0
	}
	ln, _, _ := acq.LogEI(mean, sd, w.best)
	fits := normal.CDF((math.Log(left) - w.lnCost[j]) / math.Max(w.lnCostSD[j], 1e-6))
	return math.Exp(ln-w.nu*math.Log(before+math.Exp(w.lnCost[j]))) * fits
}

// atOnce is the highest rate without a look.
func (w *lookWorth) atOnce() (best float64) {
	for j := range w.tops {
		best = math.Max(best, w.rate(j, 0))
	}
	return best
}

// newLooks returns the tops that may be looked at on a level: those that were not looked at there or higher.
func (w *lookWorth) newLooks(d *decision, level float64) (points [][]float64) {
	var seen [][]float64
	for _, l := range slices.Concat(d.Looks, d.Looking) {
		if l.Level >= level {
			seen = append(seen, l.X)
		}
	}
	for _, x := range w.tops {
		if len(points) < mostLooks && maximise.FarFrom(seen, x, sameDistance) {
			points = append(points, x)
		}
	}
	return points
}

// ofLooks returns the rates of looks at points on a level.
func (w *lookWorth) ofLooks(level float64, points [][]float64) []float64 {
	if len(points) == 0 {
		return nil
	}
	objective := w.belief.Objective.At(level)
	tops := w.belief.Objective.NewBatch(len(w.tops), nil)
	tops.Forward(slices.Concat(w.tops...), false)
	looks := objective.NewBatch(len(points), nil)
	looks.Forward(slices.Concat(points...), false)
	moves := make([]float64, len(points)*len(w.tops))
	looks.CovarianceWith(tops, moves)
	lnCost, _ := posterior(w.belief.LnCost.At(level), points)
	rates := make([]float64, len(points))
	for i := range points {
		row, sd := moves[i*len(w.tops):(i+1)*len(w.tops)], math.Sqrt(looks.Var[i]+objective.Hyper().Noise)
		for j := range row {
			row[j] /= sd
		}
		rates[i] = w.afterLook(row, math.Exp(lnCost[i]))
	}
	return rates
}

// afterLook is the expected rate of the best top after a look of that price, which moves the means of the tops by that much for
// each standard deviation of its outcome.
func (w *lookWorth) afterLook(moves []float64, price float64) (mean float64) {
	if price >= w.belief.Remaining {
		return 0
	}
	for q, z := range w.nodes {
		best := 0.0
		for j, move := range moves {
			sd := math.Sqrt(math.Max(w.sd[j]*w.sd[j]-move*move, 1e-12))
			best = math.Max(best, w.rateOf(j, w.mean[j]+move*z, sd, price))
		}
		mean += w.wts[q] * best
	}
	return mean
}
