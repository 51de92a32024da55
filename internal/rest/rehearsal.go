package rest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/internal/sobol"
)

// The points of a simulation: the most promising raw points, the first of the remaining raw points (which are spread over the cube), and some
// points near the best point. The latter are drawn anew as a simulation goes on.
const rawRest, promising, spreadOut, nearby = 512, 48, 48, 32

// mostImagined is the most evaluations that a simulation has. If the money buys about 72 or more, each stands for several.
const mostImagined = 96

// Rehearsal is what all simulations of a state share. Values and logarithms of costs are standardised.
type Rehearsal struct {
	*model.Models
	money   []float64 // rising
	trials  int       // how many evaluations may follow at most; 0: no limit
	batch   float64   // how many evaluations a simulated one stands for
	repeats bool      // evaluations are noisy: a point may be chosen twice, and the best is what the model takes for the best
	start   uint64    // of the random numbers

	best         float64  // now
	most         *float64 // the highest value that there can be; nil: there is no such bound
	bestAt       []float64
	taken        [][]float64 // points that cannot be chosen
	points       [][]float64
	forced       int        // the first points are pending, or of the initial design, and are evaluated first
	remembered   int        // the next points were evaluated before
	values       []*gp.Pool // one for each possible model of the values
	costs        *gp.Pool
	labels       *gp.Pool // whether evaluations have values; nil: all do
	lengthscales []float64
	costUnits    gp.Standard
	within       func(x []float64) float64 // the chance to meet the limits; nil: there are none
	chances      []float64                 // by point; nil: there are no limits
	meets        []bool                    // whether a point is expected to meet each limit; its chance to meet several may be far below one half
	front        *frontier                 // nil: there is one objective; else the best is the hypervolume, as it is
}

// NewRehearsal prepares simulations that spend the given amounts, with at most that many evaluations. A simulation may begin with one of
// the roots.
func NewRehearsal(m *model.Models, money []float64, trials int, roots ...[]float64) *Rehearsal {
	r := &Rehearsal{Models: m, money: money, trials: trials, start: m.SeedFor(model.SeedRest), repeats: m.IsNoisy(),
		taken: slices.Concat(m.X, m.Pending, m.Tried, m.Failures()), lengthscales: m.Objective().Hyper().Lengthscales, costUnits: m.LogCost().Standard()}
	r.within = m.Within()
	if r.front = newFrontier(m); r.front != nil {
		r.repeats = false // with noise, the front is the front of the means
		r.best, r.bestAt = r.front.volume(), r.front.someTop(rand.New(rand.NewPCG(r.start, 3)), m.X[0])
	} else {
		top, counted := m.Top()
		if !counted { // there is no best yet: whoever asks is told nothing
			top = model.Highest(m.Values)
		}
		r.best, r.bestAt = m.Objective().Standard().To(m.Values[top]), m.X[top]
		if most := m.Bound(0).Most; most != nil {
			v := m.Objective().Standard().To(m.Warp.To(*most))
			r.most = &v
		}
	}
	r.points = slices.Clone(m.Pending)
	if !m.FollowsEarlier() { // or else there is no design
		r.points = append(r.points, r.restOfDesign()...)
	}
	r.forced = len(r.points)
	var known []int
	if r.repeats {
		known = r.remember()
	}
	r.points = append(r.points, roots...) // they are compared as first steps
	r.addCandidates()
	for _, v := range r.possible() {
		r.values = append(r.values, v.NewPool(r.points, mostImagined))
	}
	r.costs = m.LogCost().NewPool(r.points, mostImagined)
	if r.front != nil {
		r.front.addPools(r.points)
	}
	for _, x := range r.points {
		if r.within != nil {
			r.chances, r.meets = append(r.chances, r.within(x)), append(r.meets, r.Meets(x))
		}
	}
	for k, i := range known {
		if r.within != nil {
			r.meets[r.forced+k] = r.Counts(i)
		}
	}
	if m.Fails != nil {
		r.labels = m.Fails.Value.Model.NewPool(r.points, mostImagined)
	}
	r.batch = math.Max(1, math.Round(r.expectedSteps()/(mostImagined/2)))
	return r
}

// restOfDesign returns the points of the initial design that are still to come.
func (r *Rehearsal) restOfDesign() (list [][]float64) {
	points := sobol.New(min(r.Dim, sobol.MaxDim), model.Mix(r.Seed+model.SeedDesign))
	points.Skip(r.Trial)
	for range r.designToCome() {
		if x := r.Setting(points.Next(nil)); r.Allows(x) {
			list = append(list, x)
		}
	}
	return list
}

// designToCome is how many points of the initial design are still to come, as far as the design's share of the budget pays for
// them at the prices so far.
func (r *Rehearsal) designToCome() int {
	known := len(r.X) + len(r.Pending)
	n := min(r.DesignSize(r.State)-known, mostImagined/2)
	if n <= 0 || r.Dim > sobol.MaxDim {
		return 0
	}
	if spent := r.Initial - r.Remaining; !r.Paper && r.Design <= 0 && spent > 0 {
		paid := (model.DesignShare*r.Initial - spent) / (spent / float64(len(r.X)))
		n = min(n, max(int(paid), model.LeastDesign-known, 0))
	}
	return n
}

// remember lets evaluated points be chosen again, and sets the best point to the point that the model expects to be best. It returns the evaluated points, by their index.
func (r *Rehearsal) remember() []int {
	means := model.StandardMeans(r.Objective(), r.X)
	if r.within != nil { // what does not meet the limits is no result
		for i := range r.X {
			if !r.Counts(i) {
				means[i] = math.Inf(-1)
			}
		}
	}
	chosen := maximise.Highest(means, spreadOut)
	r.points, r.remembered = append(r.points, maximise.Pick(r.X, chosen)...), len(chosen)
	r.best, r.bestAt, r.taken = means[chosen[0]], r.X[chosen[0]], r.Tried
	return chosen
}

// isFree reports whether a point may be chosen.
func (r *Rehearsal) isFree(x []float64) bool {
	return r.Allows(x) && maximise.FarFrom(r.taken, x, model.SameDistance)
}

// addCandidates adds the points that may be chosen.
func (r *Rehearsal) addCandidates() {
	var raw [][]float64
	for _, x := range maximise.RawPoints(rawRest, r.Dim, r.start) {
		if x = r.Setting(x); r.isFree(x) && (r.Snap == nil || maximise.FarFrom(raw, x, model.SameDistance)) {
			raw = append(raw, x)
		}
	}
	if r.Change != nil { // staying where all is ready is cheap
		for _, kept := range r.Keeps() {
			for _, x := range r.Kept(raw[:len(raw)/2:len(raw)/2], kept) {
				if r.isFree(x) {
					raw = append(raw, x)
				}
			}
		}
	}
	mean, sd := model.Posterior(r.Objective(), raw)
	lnCost, _ := model.Posterior(r.LogCost(), raw)
	for i, x := range raw {
		lnCost[i] = r.charged(r.setNow(), x, lnCost[i])
	}
	index, std := make([]float64, len(raw)), r.Objective().Standard()
	for i := range raw {
		v := r.promiseOf(raw[i], std.To(mean[i]), sd[i]/std.Scale)
		if index[i] = v - lnCost[i]; r.within != nil {
			index[i] += math.Log(r.within(raw[i]))
		}
	}
	chosen := maximise.Highest(index, promising)
	for i := 0; i < len(raw) && len(chosen) < promising+spreadOut; i++ {
		if !slices.Contains(chosen, i) {
			chosen = append(chosen, i)
		}
	}
	r.points = append(r.points, maximise.Pick(raw, chosen)...)
	rng := rand.New(rand.NewPCG(r.start, 0))
	for range nearby {
		r.points = append(r.points, r.near(r.bestAt, rng))
	}
}

// setNow is the current setting; nil: it is unknown, or does not matter.
func (r *Rehearsal) setNow() []float64 {
	if r.Change == nil {
		return nil
	}
	return r.Change.At
}

// ready is what it costs to get ready for a point where another one is set.
func (r *Rehearsal) ready(set, x []float64) float64 {
	if r.Change == nil {
		return 0
	}
	return r.Change.Between(set, x)
}

// charged is the logarithm of a cost, including the cost of getting ready.
func (r *Rehearsal) charged(set, x []float64, lnCost float64) float64 {
	if r.Change == nil {
		return lnCost
	}
	mean, _ := acq.AddSetup(lnCost, 0, r.Change.Between(set, x), 0)
	return mean
}

// promiseOf is the logarithm of what a point is expected to gain, if its value has that mean and standard deviation.
func (r *Rehearsal) promiseOf(x []float64, mean, sd float64) float64 {
	if r.front == nil {
		v, _, _, _ := acq.LogEIUpTo(mean, sd, r.best, r.most)
		return v
	}
	means, variances := []float64{mean}, []float64{sd * sd}
	for _, m := range r.front.models[1:] {
		mean, sd := m.PosteriorSD(x)
		s := m.Standard()
		means, variances = append(means, s.To(mean)), append(variances, sd*sd/(s.Scale*s.Scale))
	}
	return r.front.promise(means, variances)
}

// near draws a point around another: at any scale from a thousandth of the lengthscales to half of them, and often along a few
// coordinates only.
func (r *Rehearsal) near(x []float64, rng *rand.Rand) []float64 {
	return r.Setting(model.NearPoint(x, r.lengthscales, rng))
}

// expectedSteps is how many evaluations all the money buys, at the prices of the cheaper points.
func (r *Rehearsal) expectedSteps() float64 {
	prices := slices.Sorted(slices.Values(r.costs.Mean[r.forced+r.remembered:]))
	steps := r.money[len(r.money)-1] / math.Exp(r.costUnits.From(prices[len(prices)/4]))
	if r.trials > 0 {
		steps = math.Min(steps, float64(r.trials))
	}
	return math.Min(steps, math.MaxInt32)
}

// draws is the number of simulations: fewer where each takes long.
func (r *Rehearsal) draws() int {
	const work = 1.5e8
	steps := math.Min(r.expectedSteps(), mostImagined)
	each := (steps + 1) * float64(len(r.points)) * (float64(r.Objective().Len()+r.LogCost().Len()) + steps + 100)
	return int(min(max(work/each, fewestRests), mostRests))
}

// walk is one simulation of the rest of a study.
type walk struct {
	*Rehearsal
	rng           *rand.Rand
	front         *frontier // the simulation's
	values, costs *gp.Pool
	labels        *gp.Pool
	points        [][]float64
	chances       []float64
	meets         []bool
	seen          []bool // by point: evaluated in this simulation, or known not to be free
	visited       [][]float64
	best          float64
	bestAt        []float64
	spent         float64
	renewed       int       // the next of the nearby points to be replaced
	set           []float64 // what is set, where getting ready has a price
	first         int       // the point after the forced ones; negative: the simulation chooses it
}

// noRoot lets a simulation choose its first point by itself, after the forced ones.
const noRoot = -1

// Walk simulates the rest of the study once and returns the gain after each amount. After the forced points it evaluates the
// given root; with noRoot it chooses by itself.
func (r *Rehearsal) Walk(number, root int) []float64 {
	gains, _ := r.walked(number, root)
	return gains
}

// walked is Walk, and also returns two lists of outcomes, standardised: on the front so far, and all that the money paid for on the way. With one objective they are nil.
func (r *Rehearsal) walked(number, root int) (gains []float64, outcomes [][]float64) {
	w := &walk{Rehearsal: r, rng: rand.New(rand.NewPCG(r.start, uint64(number)+1)),
		values: r.values[number%len(r.values)].Clone(), costs: r.costs.Clone(),
		front: r.front.clone(), points: slices.Clone(r.points), chances: slices.Clone(r.chances), meets: slices.Clone(r.meets), seen: make([]bool, len(r.points)), best: r.best, bestAt: r.bestAt, set: r.setNow(), first: noRoot}
	if r.labels != nil {
		w.labels = r.labels.Clone()
	}
	if root != noRoot {
		w.first = r.forced + r.remembered + root
	}
	gains = make([]float64, len(r.money))
	next := 0
	for i, ok := w.choose(); ok; i, ok = w.choose() {
		before, at := w.best, w.bestAt
		w.evaluate(i)
		for ; next < len(gains) && w.spent > r.money[next]; next++ {
			gains[next] = before - r.best // what is not paid for does not count
		}
		if w.front != nil && next < len(gains) {
			outcomes = w.front.outcomes
		}
		switch {
		case r.Objective().Len() <= model.ExactData:
			w.renew(6)
		case !slices.Equal(at, w.bestAt): // with many data a new point takes long
			w.renew(12)
		}
	}
	for ; next < len(gains); next++ {
		gains[next] = w.best - r.best
	}
	if outcomes == nil && w.front != nil {
		outcomes = r.front.outcomes
	}
	return gains, outcomes
}

// choose returns the next point. After the forced points and the root, it is the affordable point with the highest log EI per
// median cost, MATH.md (15).
func (w *walk) choose() (int, bool) {
	left := w.money[len(w.money)-1] - w.spent
	done := len(w.visited)
	switch {
	case slices.ContainsFunc(w.pools(), (*gp.Pool).Full), !(left > 0), w.trials > 0 && float64(done)*w.batch >= float64(w.trials):
		return 0, false
	case done < w.forced:
		return done, true
	case done == w.forced && w.first >= 0:
		return w.first, true
	}
	for lnLeft := math.Log(left); ; {
		top, index := -1, math.Inf(-1)
		for i := w.forced; i < len(w.points); i++ {
			lnCost := w.charged(w.set, w.points[i], w.costUnits.From(w.costs.Mean[i]))
			if w.seen[i] && !w.repeats || lnCost > lnLeft {
				continue
			}
			v := w.promise(i)
			if w.chances != nil {
				v += math.Log(w.chances[i])
			}
			if v -= lnCost; w.labels != nil {
				v += w.worth(i, lnCost)
			}
			if v > index {
				top, index = i, v
			}
		}
		if top < 0 || w.repeats || w.isNew(w.points[top]) {
			return top, top >= 0
		}
		w.seen[top] = true
	}
}

// promise is the logarithm of what a point is expected to gain.
func (w *walk) promise(i int) float64 {
	if w.front != nil {
		return w.front.promise(w.objectives(i))
	}
	v, _, _, _ := acq.LogEIUpTo(w.values.Mean[i], math.Sqrt(w.values.Var[i]), w.best, w.most)
	return v
}

// isNew reports whether a point is free and was not evaluated in this simulation.
func (w *walk) isNew(x []float64) bool {
	return w.isFree(x) && maximise.FarFrom(w.visited, x, model.SameDistance)
}

// evaluate draws the outcome of a point, learns from it and pays for it. If evaluations are not noisy, the noise in the model of
// the values stands for what the model cannot follow, and repeated tries must not gain from it.
func (w *walk) evaluate(i int) {
	noise := 0.0
	if w.repeats {
		noise = w.Objective().Hyper().Noise
	}
	w.visited, w.seen[i] = append(w.visited, w.points[i]), true
	w.spent += w.batch * w.ready(w.set, w.points[i])
	w.set = w.points[i]
	if w.labels != nil && w.fails(i) {
		return
	}
	y, z := w.draw(w.values, i, noise), w.draw(w.costs, i, w.LogCost().Hyper().Noise)
	w.values.Observe(i, y)
	w.costs.Observe(i, z)
	w.spent += w.batch * math.Exp(w.costUnits.From(z))
	if w.front != nil {
		if gain := w.extend(i, y, len(w.chances) == 0 || w.rng.Float64() < w.chances[i]); gain > 0 {
			w.best, w.bestAt = w.best+gain, w.points[i]
		}
		return
	}
	if w.most != nil {
		y = math.Min(y, *w.most)
	}
	if !w.repeats {
		if y > w.best && (len(w.chances) == 0 || w.rng.Float64() < w.chances[i]) {
			w.best, w.bestAt = y, w.points[i]
		}
		return
	}
	best := math.Inf(-1)
	for i, mean := range w.values.Mean {
		if (w.seen[i] || i >= w.forced && i < w.forced+w.remembered) && mean > best && (len(w.meets) == 0 || w.meets[i]) {
			best, w.bestAt = mean, w.points[i]
		}
	}
	if !math.IsInf(best, -1) { // else what was best until now still is
		w.best = best
	}
	if w.most != nil {
		w.best = math.Min(w.best, *w.most)
	}
}

// lnWorks is the logarithm of the chance that a point has a value.
func (w *walk) lnWorks(i int) float64 {
	v, _ := normal.LogCDF(w.labels.Mean[i] / math.Sqrt(w.labels.Var[i]+1))
	return v
}

// worth is added to the logarithm of a point's gain per cost because the point may fail: a failure gains nothing, and has a price of its own.
func (w *walk) worth(i int, lnCost float64) float64 {
	works := w.lnWorks(i)
	price, _, _, _ := w.Fails.LogPriceWith(w.ready(w.set, w.points[i]), works, lnCost)
	return works + lnCost - price
}

// fails draws whether a point has a value, and learns that. A failure is paid for.
func (w *walk) fails(i int) bool {
	works := w.rng.Float64() < math.Exp(w.lnWorks(i))
	if works {
		w.labels.ObserveSign(i, 1)
		return false
	}
	w.labels.ObserveSign(i, -1)
	w.spent += w.batch * math.Exp(w.Fails.Shift+w.Fails.Slope*w.costUnits.From(w.costs.Mean[i]))
	return true
}

// draw draws an observation at a point of a pool.
func (w *walk) draw(p *gp.Pool, i int, noise float64) float64 {
	return p.Mean[i] + math.Sqrt(p.Var[i]+noise)*w.rng.NormFloat64()
}

// renew draws some of the nearby points anew, around what is the best point now.
func (w *walk) renew(some int) {
	var places []int
	var points [][]float64
	for range some {
		i := len(w.points) - nearby + w.renewed
		w.renewed = (w.renewed + 1) % nearby
		if w.seen[i] && w.repeats {
			continue // it may be the best
		}
		if w.front != nil {
			w.bestAt = w.front.someTop(w.rng, w.bestAt)
		}
		w.points[i], w.seen[i] = w.near(w.bestAt, w.rng), false
		if w.Change != nil && w.set != nil && i%2 == 0 { // half of them stay with what is set
			for _, coordinates := range w.Change.Keep {
				for _, j := range coordinates {
					w.points[i][j] = w.set[j]
				}
			}
			w.points[i] = w.Setting(w.points[i])
		}
		if w.chances != nil {
			w.chances[i], w.meets[i] = w.within(w.points[i]), w.Meets(w.points[i])
		}
		places, points = append(places, i), append(points, w.points[i])
	}
	for _, p := range w.pools() {
		p.Replace(places, points)
	}
}

// pools are the pools of all quantities.
func (w *walk) pools() []*gp.Pool {
	list := []*gp.Pool{w.values, w.costs}
	if w.front != nil {
		list = append(list, w.front.aims...)
	}
	if w.labels != nil {
		list = append(list, w.labels)
	}
	return list
}

// The models of a simulation. Fitted hyperparameters are the likeliest; with few data, others are nearly as likely. A model that takes its own
// for certain is too sure of what it has not seen. So simulations are spread over several models, drawn from the posterior of the
// hyperparameters by a random walk (Metropolis et al. 1953).

// How many models there are, and how many steps of the random walk lie between two of them. With more data than mostDoubted
// the hyperparameters are certain enough, and the steps would take long.
const worlds, strides, mostDoubted = 8, 10, 150

// The steps of the random walk: standard deviations of the logarithms of lengthscales and output scale, and of the mean.
const strideScales, strideMean = 0.3, 0.2

// possible returns models of the values with other hyperparameters, drawn from their posterior. The first is the fitted one.
func (r *Rehearsal) possible() []*gp.Model {
	list := []*gp.Model{r.Objective()}
	if len(r.X) > mostDoubted || r.IsLeveled() || r.front != nil {
		return list
	}
	rng := rand.New(rand.NewPCG(r.start, 2))
	set := gp.Settings{Noise: r.Noise, Reach: r.Reach(r.State)}
	density := func(m *gp.Model) float64 {
		h := m.Hyper()
		logs := math.Log(h.Outputscale) // they turn a density of hyperparameters into one of their logarithms, in which the walk goes
		for _, l := range h.Lengthscales {
			logs += math.Log(l)
		}
		return m.LogEvidence() + r.PriorWeight()*set.LogPrior(h) + logs
	}
	now := r.Objective()
	at := density(now)
	dims := math.Sqrt(float64(r.Objective().Dim() + 2))
	for step := 1; len(list) < worlds; step++ {
		h := now.Hyper()
		for j := range h.Lengthscales {
			h.Lengthscales[j] *= math.Exp(2 * strideScales / dims * rng.NormFloat64())
		}
		h.Outputscale *= math.Exp(2 * strideScales / dims * rng.NormFloat64())
		h.Mean += 2 * strideMean / dims * rng.NormFloat64()
		other := r.Objective().Like(r.X, r.Values, h)
		if v := density(other); math.Log(rng.Float64()) < v-at {
			now, at = other, v
		}
		if step%strides == 0 {
			list = append(list, now)
		}
	}
	return list
}
