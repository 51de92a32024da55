package looks

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/internal/sobol"
)

// The numbers of raw candidates at the top, of candidates kept, of candidates that may be looked at, and of quadrature nodes.
const rawTops, mostTops, mostLooks, lookNodes = 256, 64, 16, 15

// mostFrontTops is the number of candidates kept with several objectives, where each takes much longer.
const mostFrontTops = 32

// Worth compares looks. The tops are candidates for the evaluation that follows.
type Worth struct {
	*model.Beliefs
	now      float64 // the highest worth without a look
	lambda   float64 // what a unit of money is worth, standardised
	Tops     [][]float64
	of       []*gp.Model // by objective
	mean, sd []float64   // of the tops' values, standardised: for the first objective, then for the next
	lnCost   []float64   // and of the logarithms of their costs
	lnCostSD []float64
	chance   []float64   // that the tops have values which count
	dearer   []float64   // by which factor their expected prices differ from their costs, as failures have prices of their own
	best     float64     // standardised
	most     *float64    // the highest value that there can be, standardised; nil: there is no such bound
	front    *extension  // what improves several objectives, in place of best and most; nil: there is one
	topBatch []*gp.Batch // by objective
	one      outcomes    // of one look: with one objective, a quadrature
	joint    outcomes    // of several looks
}

// NewWorth returns what looks are compared by when an evaluation at the top was chosen.
func NewWorth(d *model.Beliefs, chosen model.Suggestion) *Worth {
	w := &Worth{Beliefs: d, of: d.Belief.Objectives(), best: d.Belief.Objective.Standard().To(d.Belief.Best)}
	if f := d.Belief.Front; f != nil {
		w.front = newExtension(w.of, f.Boxes, f.Whole)
	}
	if most := d.Belief.Most; most != nil {
		v := d.Belief.Objective.Standard().To(*most)
		w.most = &v
	}
	w.setTops(w.promising(chosen.X))
	for _, m := range w.of {
		batch := m.NewBatch(len(w.Tops), nil)
		batch.Forward(slices.Concat(w.Tops...), false)
		w.topBatch = append(w.topBatch, batch)
	}
	w.setLambda(model.PricePower(chosen.LastTries))
	for j := range w.Tops {
		w.now = math.Max(w.now, w.worthNow(j))
	}
	w.setOutcomes()
	return w
}

// setOutcomes sets the outcomes that expectations are taken over. Those of one look at one objective are a quadrature in one variable. Every further look and every further
// objective is one more variable.
func (w *Worth) setOutcomes() {
	for _, u := range sobol.Points(jointOutcomes/2, mostAhead*len(w.of), model.Mix(model.SeedLook)) {
		mirror := make([]float64, len(u)) // so that their mean is 0
		for k := range u {
			u[k] = normal.Quantile(u[k])
			mirror[k] = -u[k]
		}
		w.joint.z, w.joint.weights = append(w.joint.z, u, mirror), append(w.joint.weights, 1.0/jointOutcomes, 1.0/jointOutcomes)
	}
	if w.one = w.joint; len(w.of) > 1 {
		return
	}
	w.one = outcomes{}
	nodes, weights := make([]float64, lookNodes), make([]float64, lookNodes)
	quad.Hermite{}.FixedLocations(nodes, weights, math.Inf(-1), math.Inf(1))
	for i, x := range nodes { // ∫ e^{−x²} f(√2 x) dx/√π is the mean of f over a standard normal variable
		w.one.z, w.one.weights = append(w.one.z, []float64{x * math.Sqrt2}), append(w.one.weights, weights[i]/math.Sqrt(math.Pi))
	}
}

// at returns what is believed of the values at a top, by objective.
func (w *Worth) at(top int) (mean, sd []float64) {
	mean, sd = make([]float64, len(w.of)), make([]float64, len(w.of))
	for o := range w.of {
		mean[o], sd[o] = w.mean[o*len(w.Tops)+top], w.sd[o*len(w.Tops)+top]
	}
	return mean, sd
}

// promising returns candidates at the top: what was chosen first, then the candidates with the highest rates among raw points, the points that
// were looked at, and points around the best of them.
func (w *Worth) promising(chosen []float64) [][]float64 {
	points := [][]float64{chosen}
	add := func(x []float64) {
		if model.IsNew(x, points...) && model.IsNew(x, w.Taken...) {
			points = append(points, x)
		}
	}
	for _, l := range slices.Concat(w.Looks, w.Looking) {
		if w.Allows(l.X) {
			add(l.X)
		}
	}
	for _, x := range w.Allowed(maximise.RawPoints(rawTops, w.Dim, w.SeedFor(model.SeedLook))) {
		add(w.Setting(x))
	}
	for _, x := range w.Allowed(w.around(points)) {
		add(w.Setting(x))
	}
	w.setTops(points)
	rates := make([]float64, len(points))
	for j := range points {
		rates[j] = w.rate(j)
	}
	rates[0] = math.Inf(1)
	most := mostTops
	if w.front != nil {
		most = mostFrontTops
	}
	return maximise.Pick(points, maximise.Highest(rates, most))
}

// The number of points drawn around promising ones, the number of promising ones, and the negative power of ten of the smallest
// distance, in lengthscales.
const nearTops, centres, nearestPower = 192, 4, 1.5

// around returns points around the first point, which was chosen, and around the best of the other points and of the evaluated points, at all
// distances up to a lengthscale. Improvement is often found there, but in many dimensions few of the points that are spread over the cube
// are that near.
func (w *Worth) around(points [][]float64) (list [][]float64) {
	of := append([][]float64{points[0]}, w.centres(points[1:])...)
	rng := rand.New(rand.NewPCG(w.SeedFor(model.SeedLook), 2))
	for i := range nearTops {
		lengths := w.of[i/len(of)%len(w.of)].Hyper().Lengthscales // of the objectives in turn
		x, far := slices.Clone(of[i%len(of)]), math.Pow(10, -nearestPower*rng.Float64())
		for j := range x {
			x[j] = math.Min(math.Max(x[j]+far*math.Min(lengths[j], 1)*rng.NormFloat64(), 0), 1)
		}
		list = append(list, x)
	}
	return list
}

// centres returns the best of the given and of the evaluated points. With several objectives these are the points that are expected to extend the front
// the most, and some points on the front.
func (w *Worth) centres(points [][]float64) [][]float64 {
	if w.front == nil {
		known := slices.Concat(points, w.X)
		means, _ := model.Posterior(w.Belief.Objective, known)
		return maximise.Pick(known, maximise.Highest(means, centres-1))
	}
	w.setTops(points)
	gains := make([]float64, len(points))
	for j := range points {
		gains[j] = w.lnGain(w.at(j))
	}
	list := maximise.Pick(points, maximise.Highest(gains, centres-1))
	n := min(len(w.Beliefs.Tops), centres)
	for i := range n {
		list = append(list, w.Beliefs.Tops[i*len(w.Beliefs.Tops)/n])
	}
	return list
}

func (w *Worth) setTops(points [][]float64) {
	w.Tops, w.mean, w.sd = points, nil, nil
	for _, m := range w.of {
		std := m.Standard()
		mean, sd := model.Posterior(m, points)
		for j := range points {
			mean[j], sd[j] = std.To(mean[j]), sd[j]/std.Scale
		}
		w.mean, w.sd = append(w.mean, mean...), append(w.sd, sd...)
	}
	w.lnCost, w.lnCostSD = model.Posterior(w.Belief.LnCost, points)
	lessPaid(w.State, points, w.lnCost)
	charge(w.Belief, points, w.lnCost, w.lnCostSD)
	w.chance, w.dearer = make([]float64, len(points)), make([]float64, len(points))
	chances := w.Belief.Chances()
	for j, x := range points {
		var works float64
		works, w.chance[j] = chances(x)
		w.dearer[j] = w.Belief.Dearer(x, works, w.lnCost[j])
	}
}

// lnGain is the logarithm of what an evaluation whose values have these means and standard deviations, by objective, is expected to improve.
func (w *Worth) lnGain(mean, sd []float64) float64 { return w.lnGainBeyond(w.best, w.front, mean, sd) }

// lnGainBeyond is the same beyond a best value or a front: the expected improvement, or the expected gain in hypervolume, standardised. Before any
// evaluation meets the limits, all evaluations that meet them are worth the same.
func (w *Worth) lnGainBeyond(best float64, front *extension, mean, sd []float64) float64 {
	if w.NoneCounts {
		return 0
	}
	if front != nil {
		return front.lnGain(mean, sd)
	}
	v, _, _, _ := acq.LogEIUpTo(mean[0], sd[0], best, w.most)
	return v
}

// rate is what an evaluation at a top is expected to improve for its price.
func (w *Worth) rate(j int) float64 {
	return math.Exp(w.lnGain(w.at(j))-w.lnCost[j]) * w.fits(j, 0) * w.chance[j] / w.dearer[j]
}

// worthOf is what an evaluation at a top is expected to improve, less its price, if looks of the given price come before it.
func (w *Worth) worthOf(j int, mean, sd []float64, before float64) float64 {
	return math.Exp(w.lnGain(mean, sd))*w.fits(j, before)*w.chance[j] - w.price(j)
}

// worthNow is the same without looks.
func (w *Worth) worthNow(j int) float64 {
	mean, sd := w.at(j)
	return w.worthOf(j, mean, sd, 0)
}

// fits is the chance that the money pays for an evaluation at a top after looks of the given price.
func (w *Worth) fits(j int, before float64) float64 { return w.fitsAt(w.lnCost[j], j, before) }

// fitsAt is the same for an evaluation of the given cost, a logarithm.
func (w *Worth) fitsAt(lnCost float64, j int, before float64) float64 {
	return model.Fits(w.Belief.Remaining-before, lnCost, math.Max(w.lnCostSD[j], 1e-6))
}

// gainFor is what looks gain for their price. This is the worth of the looks and the evaluation after them, minus the worth of evaluating at
// once, divided by the square root of the looks' price. By the gain alone, looks on the highest level below the top would mostly win, since at
// most eight looks are counted together; but many more cheap ones may come first. Below 0, the looks are not worth their price.
func (w *Worth) gainFor(worth, price float64) float64 {
	if gain := worth - w.now; gain > 0 {
		return gain / math.Sqrt(price)
	}
	return worth - w.now
}

// price is what the cost of an evaluation at a top is worth.
func (w *Worth) price(j int) float64 { return w.lambda * math.Exp(w.lnCost[j]) * w.dearer[j] }

// setLambda finds what a unit of money is worth: what it improves on average if the rest of the money goes to evaluations at the top. Each
// of them is the one that is expected to improve the most for its price, and returns the value that is expected.
func (w *Worth) setLambda(nu float64) {
	n := len(w.Tops)
	cov := make([][]float64, len(w.of)) // by objective
	for o, batch := range w.topBatch {
		cov[o] = make([]float64, n*n)
		batch.CovarianceWith(batch, cov[o])
	}
	money, best, front, sum := w.Belief.Remaining, w.best, w.front, 0.0
	for range mostPath {
		chosen, highest, gain := -1, 0.0, 0.0
		for j := range n {
			cost := math.Exp(w.lnCost[j]) * w.dearer[j]
			if cost > money {
				continue
			}
			mean, sd := w.at(j)
			for o := range sd {
				sd[o] = math.Sqrt(math.Max(cov[o][j*n+j], 1e-12))
			}
			ln := w.lnGainBeyond(best, front, mean, sd)
			if rate := math.Exp(ln) * w.chance[j] / cost; rate > highest {
				chosen, highest, gain = j, rate, math.Exp(ln)*w.chance[j]
			}
		}
		if chosen < 0 {
			break
		}
		sum, money = sum+gain, money-math.Exp(w.lnCost[chosen])*w.dearer[chosen]
		if mean, _ := w.at(chosen); w.chance[chosen] > 0.5 {
			best, front = math.Max(best, mean[0]), front.with(mean)
		}
		for o, m := range w.of {
			condition(cov[o], n, chosen, m.Hyper().Noise)
		}
	}
	w.lambda = nu * sum / w.Belief.Remaining
}

// condition conditions the covariances of n points on an observation of the given one.
func condition(cov []float64, n, on int, noise float64) {
	row, variance := slices.Clone(cov[on*n:(on+1)*n]), math.Max(cov[on*n+on], 1e-12)+noise
	for i, ci := range row {
		for k, ck := range row {
			cov[i*n+k] -= ci * ck / variance
		}
	}
}

// mostPath is the number of evaluations that the worth of money is averaged over at most.
const mostPath = 64

// NewLooks returns the tops that may be looked at on a level. A look that costs as much as the evaluation at the top is never worth it, however little money is
// worth: the evaluation tells more, and counts. Where evaluations are resumed, what a look costs is not lost.
func (w *Worth) NewLooks(level float64) (points [][]float64) {
	seen := w.LookedAt(level)
	price, _ := model.Posterior(w.Belief.LnCost.At(level), w.Tops)
	whole, _ := model.Posterior(w.Belief.LnCost, w.Tops)
	for j, x := range w.Tops {
		if len(points) < mostLooks && model.IsNew(x, seen...) && (w.Resume || price[j] < whole[j]) {
			points = append(points, x)
		}
	}
	return points
}

// outcomes are possible outcomes of some looks, standard normal variables, and their weights.
type outcomes struct {
	z       [][]float64 // by outcome, and then by look and objective
	weights []float64
}

// after is the expected worth of the best top after looks, less their price. Each look moves the means of the tops along a direction of its
// own; moves says how far, for each standard deviation of its outcome. The objectives are independent: each has an outcome of its own.
func (w *Worth) after(moves [][]float64, paid spending, of outcomes) (mean float64) {
	then, some := w.then(paid)
	if !some {
		return 0
	}
	sd := make([]float64, len(w.sd))
	for j := range sd {
		variance := w.sd[j] * w.sd[j]
		for _, m := range moves {
			variance -= m[j] * m[j]
		}
		sd[j] = math.Sqrt(math.Max(variance, 1e-12))
	}
	n, objectives := len(w.Tops), len(w.of)
	at, left := make([]float64, objectives), make([]float64, objectives)
	for q, z := range of.z {
		best := 0.0
		for j := range n {
			for o := range at {
				at[o], left[o] = w.mean[o*n+j], sd[o*n+j]
				for k, m := range moves {
					at[o] += m[o*n+j] * z[k*objectives+o]
				}
			}
			best = math.Max(best, math.Exp(w.lnGain(at, left))*then[j].fits*w.chance[j]-then[j].price)
		}
		mean += of.weights[q] * best
	}
	if mean -= w.lambda * paid.price; paid.lnWorks < 0 { // a look that fails tells nothing of values
		works := math.Exp(paid.lnWorks)
		mean = works*mean + (1-works)*(w.now-w.lambda*paid.price)
	}
	return mean
}

// spending is what looks cost together. Where evaluations are resumed, what was paid at a point is saved at the top.
type spending struct {
	price   float64
	saved   map[int]float64 // by top
	lnWorks float64         // the logarithm of the chance that no look fails
}

// with returns the spending with one more look.
func (s spending) with(top int, price, lnWorks float64) spending {
	more := spending{price: s.price + price, saved: s.saved, lnWorks: s.lnWorks + lnWorks}
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

// likely is the chance to fit the money that a top must have after looks. Looks that leave no money for an evaluation are worth nothing.
const likely = 0.9

// then returns, for each top, the chance that the money pays for it after the looks and the worth of its price, and whether some top is still
// affordable. Tops that are not do not count.
func (w *Worth) then(paid spending) (list []afterwards, some bool) {
	list = make([]afterwards, len(w.Tops))
	for j := range list {
		lnCost := w.lnCost[j]
		if saved := paid.saved[j]; saved > 0 {
			lnCost = math.Log(rest(math.Exp(lnCost), saved))
		}
		list[j].price = w.lambda * math.Exp(lnCost) * w.dearer[j]
		if fits := w.fitsAt(lnCost, j, paid.price); fits >= likely {
			list[j].fits, some = fits, true
		}
	}
	return list, some
}

// rest is what is left of a price.
func rest(price, spent float64) float64 { return math.Max(price-spent, LeastRest*price) }

// Where evaluations can be resumed, one at a point that was looked at goes on where the look ended, and costs the difference, MATH.md
// §12. The models know of whole prices only; what was paid already is taken off where prices are compared.

// paid returns what was paid at a point for the highest look there. It is 0 if evaluations cannot be resumed, or if the point was evaluated at
// the top, so that nothing is left to go on to.
func paid(s *model.State, x []float64) (most float64) {
	if !s.Resume || !model.IsNew(x, s.X...) {
		return 0
	}
	for _, l := range s.Looks {
		if !l.Elsewhere && !math.IsNaN(l.LnCost) && !model.IsNew(x, l.X) {
			most = math.Max(most, math.Exp(l.LnCost))
		}
	}
	return most
}

// charge adds to the prices of evaluations at points, which are logarithms, what it costs to get ready for them.
func charge(b acq.Belief, points [][]float64, lnCost, sd []float64) {
	for j, x := range points {
		lnCost[j], sd[j] = b.Charge(x, lnCost[j], sd[j])
	}
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
	best, found := w.worthNow(0), 0
	for j := 1; j < len(w.Tops); j++ {
		if v := w.worthNow(j); v > best && paid(w.State, w.Tops[j]) > 0 {
			best, found = v, j
		}
	}
	if found > 0 {
		chosen.X, chosen.Next = slices.Clone(w.Tops[found]), nil
	}
	return chosen
}
