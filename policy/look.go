package policy

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
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
// evaluation at the top does at once. Of those that do, the ones that gain most for their price come first.

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
	if d.looksAhead(math.Exp(w.lnCost[0])) {
		return w.resumed(chosen)
	}
	found, level, highest := bundle{}, 1.0, 0.0
	for _, t := range d.Levels[d.givenUp : len(d.Levels)-1] {
		b := w.bestBundle(t, w.newLooks(d, t), p.Preset.LooksAhead)
		if rate := w.gainFor(b.worth, b.price); rate > highest {
			found, level, highest = b, t, rate
		}
	}
	if level == 1 {
		return w.resumed(chosen)
	}
	chosen.X, chosen.Level, chosen.Next = slices.Clone(found.first), level, nil
	chosen.Look = &LookReason{Gain: math.Min(found.worth/w.now, mostGain), Looks: found.looks, Correlation: d.objective.Hyper().LevelCorrelation(level)}
	return chosen
}

// mostLooking is how many times as much as evaluations at the top looks may cost.
const mostLooking = 2

// looksAhead says whether looks have cost that much more than evaluations at the top have, with one more of the given price. Another look may always
// seem worth its price before the evaluation that it helps to choose, and so that would never come; and it is evaluations at the top
// that tell what looks are worth.
func (d *decision) looksAhead(next float64) bool {
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

// lookWorth compares looks. The tops are candidates for the evaluation that follows.
type lookWorth struct {
	belief     acq.Belief
	state      *State
	now        float64 // the highest worth without a look
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
	w.now = w.atOnce()
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

// promising returns candidates at the top: what was chosen first, then those with the highest rates among raw points, the points that
// were looked at, and points around the best of them.
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
	for _, x := range d.feasibleOf(d.around(points)) {
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

// The number of points around the promising ones, of how many, and how near the nearest are: ten to the power of minus that, in length scales.
const nearTops, centres, nearestPower = 192, 4, 1.5

// around returns points around the first, which was chosen, and around the best of the others and of those that were evaluated, at all
// distances up to a length scale. There improvement often is, and looks climb there before an evaluation at the top is paid for; few
// of the points that are spread over a cube of many dimensions are near.
func (d *decision) around(points [][]float64) (list [][]float64) {
	known := slices.Concat(points[1:], d.X)
	means, _ := posterior(d.belief.Objective, known)
	of := append([][]float64{points[0]}, maximise.Pick(known, maximise.Highest(means, centres-1))...)
	rng, lengths := rand.New(rand.NewPCG(d.seed(seedLook), 2)), d.objective.Hyper().Lengthscales
	for i := range nearTops {
		x, far := slices.Clone(of[i%len(of)]), math.Pow(10, -nearestPower*rng.Float64())
		for j := range x {
			x[j] = math.Min(math.Max(x[j]+far*math.Min(lengths[j], 1)*rng.NormFloat64(), 0), 1)
		}
		list = append(list, x)
	}
	return list
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
func (w *lookWorth) fits(j int, before float64) float64 { return w.fitsAt(w.lnCost[j], j, before) }

// fitsAt is the same for an evaluation of the given cost, a logarithm.
func (w *lookWorth) fitsAt(lnCost float64, j int, before float64) float64 {
	left := w.belief.Remaining - before
	if left <= 0 {
		return 0
	}
	return normal.CDF((math.Log(left) - lnCost) / math.Max(w.lnCostSD[j], 1e-6))
}

// gainFor is what looks gain for their price: what they and the evaluation after them are worth, less what one is worth at once, by the root of the price.
// By their gain alone, the looks on the highest level below the top would mostly be best, for no more than eight are counted together;
// but many cheap ones may come before them. Below 0, the looks are not worth their price.
func (w *lookWorth) gainFor(worth, price float64) float64 {
	if gain := worth - w.now; gain > 0 {
		return gain / math.Sqrt(price)
	}
	return worth - w.now
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

// afterLook is the expected worth of the best top after a look, less its price. The look moves the means of the tops by that
// much for each standard deviation of its outcome.
func (w *lookWorth) afterLook(moves []float64, paid spending) (mean float64) {
	then, some := w.then(paid)
	if !some {
		return 0
	}
	for q, z := range w.nodes {
		best := 0.0
		for j, move := range moves {
			sd := math.Sqrt(math.Max(w.sd[j]*w.sd[j]-move*move, 1e-12))
			ln, _, _ := acq.LogEI(w.mean[j]+move*z, sd, w.best)
			best = math.Max(best, math.Exp(ln)*then[j].fits-then[j].price)
		}
		mean += w.wts[q] * best
	}
	return mean - w.lambda*paid.price
}

// spending is what looks cost together. Where evaluations are resumed, what was paid at a point is saved at the top.
type spending struct {
	price float64
	saved map[int]float64 // by top
}

// with returns the spending with one more look.
func (s spending) with(top int, price float64) spending {
	more := spending{price: s.price + price, saved: s.saved}
	if top >= 0 {
		more.saved = maps.Clone(s.saved)
		if more.saved == nil {
			more.saved = map[int]float64{}
		}
		more.saved[top] += price
	}
	return more
}

// afterwards is the chance that the money pays for a top, and what its cost is worth.
type afterwards struct{ fits, price float64 }

// evenChance is the chance to be paid for that some top must have after looks. Looks that leave no money to use what they tell are worth nothing.
const evenChance = 0.5

// then returns what holds for the tops when looks are paid for, and whether some top is still likely to be paid for.
func (w *lookWorth) then(paid spending) (list []afterwards, some bool) {
	list = make([]afterwards, len(w.tops))
	for j := range list {
		lnCost := w.lnCost[j]
		if saved := paid.saved[j]; saved > 0 {
			lnCost = math.Log(rest(math.Exp(lnCost), saved))
		}
		list[j] = afterwards{w.fitsAt(lnCost, j, paid.price), w.lambda * math.Exp(lnCost)}
		some = some || list[j].fits >= evenChance
	}
	return list, some
}
