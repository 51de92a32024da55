package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/front"
	"github.com/eke-bo/eke/internal/maximise"
)

// Beliefs are everything that is known when a point is chosen: the models of a state, and what is assumed about evaluations under way.
type Beliefs struct {
	*Models

	Belief    acq.Belief // the fitted models, including the pending points
	Incumbent []float64  // the point that searches start from: the best observed one, or as setIncumbent says

	// Tops are the observed points on the front of several objectives; with one objective, nil.
	Tops [][]float64

	// NoneCounts says that no evaluation is known to meet all limits, and that there are models which tell where one might.
	NoneCounts bool

	assumed assumed         // about the pending points
	nearby  []*surroundings // local models, of many data, by quantity
}

// LeastDesign is the number of results before which a design goes on, whatever it costs. A model needs two to see a difference.
const LeastDesign = 2

// Believe fits the models of a state and returns what they say. If there are too few data for models, the beliefs have only the state. It
// fails with ErrBudgetPending if the pending evaluations need all the money.
func (f *Fitter) Believe(ctx context.Context, s *State) (*Beliefs, error) {
	if len(s.X) == 0 && !(s.Levels != nil && f.TakesLooks() && s.pricedLooks() >= LeastDesign) {
		return &Beliefs{Models: &Models{Fitter: f, State: s, history: f.newHistory(s)}}, nil
	}
	return f.Fit(ctx, s).Believe()
}

// OneThread returns the beliefs for the work of one thread. Local models are shared: which of them serves a point depends on those made before it.
func (d *Beliefs) OneThread() *Beliefs {
	if d.IsLarge() {
		d.surround()
	}
	one, m, f := *d, *d.Models, *d.Fitter
	f.Threads, m.Fitter, one.Models = 1, &f, &m
	return &one
}

// pricedLooks is the number of looks whose cost is known.
func (s *State) pricedLooks() (n int) {
	for _, l := range s.Looks {
		if !math.IsNaN(l.LnCost) {
			n++
		}
	}
	return n
}

// Believe returns what the models say with the evaluations under way.
func (m *Models) Believe() (*Beliefs, error) {
	d := &Beliefs{Models: m}
	best := d.setIncumbent()
	d.believe(best)
	if m.Change != nil {
		d.Belief.Remaining -= m.Change.Pending
	}
	if d.Belief.Remaining <= 0 {
		return d, ErrBudgetPending
	}
	d.Belief.Setup = d.setup()
	if !m.Paper && m.IsNoisy() {
		d.Belief.Luck = noiseSD(m.Objective())
	}
	return d, nil
}

// setIncumbent sets the best observed point and returns its value, after the warp. Where evaluations have noise, it is the point with the
// highest posterior mean, since the highest observation is mostly luck. Without a value at the top it is the best of the looks.
func (d *Beliefs) setIncumbent() float64 {
	points, values := d.X, d.Values
	if len(points) == 0 {
		for _, l := range d.Looks {
			points = append(points, l.X)
		}
		if values, _ = Posterior(d.Objective(), points); d.HasAims() {
			values = d.sums(d.expected(points))
		}
	} else if d.HasAims() {
		values = d.sums(d.Outcomes())
	} else if !d.Paper {
		var places []int
		values, places = d.estimates()
		points = maximise.Pick(d.X, places)
	}
	i := Highest(values)
	if len(d.X) > 0 && d.isLimited() {
		i = d.bestWithin(points, values)
	}
	d.Incumbent = points[i]
	return values[i]
}

// isLimited says whether not all evaluations count.
func (m *Models) isLimited() bool { return len(m.Further) > 0 || m.Misses != nil }

// Counts says whether an evaluation meets all limits, as far as is known: by what was observed or, of quantities with noise, by the means of the models.
func (m *Models) Counts(i int) bool {
	if m.steady == nil {
		return len(m.Misses) == 0 || !m.Misses[i]
	}
	return (len(m.Lacks) == 0 || !m.Lacks[i]) && m.meetsModelled(i)
}

// meetsModelled says the same of the limits on quantities that have models.
func (m *Models) meetsModelled(i int) bool {
	for k, q := range m.Further {
		y, noisy := m.Judged(k, m.X[i])
		if !noisy {
			y = q.Y[i]
		}
		if !q.Meets(y) { // it may not be known
			return false
		}
	}
	return true
}

// Judged returns what the model of a limited quantity expects at a point, and whether evaluations of it are judged by that: whether the quantity has noise.
func (m *Models) Judged(k int, x []float64) (mean float64, noisy bool) {
	mean, _ = m.of[further+k].PosteriorSD(x)
	return mean, len(m.steady) > 0 && !m.steady[k]
}

// Meets says whether the models expect a point to meet all limits.
func (m *Models) Meets(x []float64) bool {
	for k, q := range m.Further {
		if mean, _ := m.Judged(k, x); !q.Meets(mean) {
			return false
		}
	}
	return true
}

// leastNoise is the ratio of noise to variance below which a limited quantity counts as free of noise. Models of thirty numbers of a smooth function
// find less noise, and models of numbers whose noise is a tenth of their spread find more.
const leastNoise = 1e-3

// isSteady says whether a limited quantity has no noise although values have noise. Then points that were evaluated again had the same number
// again or, without such points, the quantity's model finds next to no noise. If different points have the same number, the quantity is coarse, and
// an equal number may be chance.
func (m *Models) isSteady(k int) bool {
	at, all, again := map[string]float64{}, map[float64]bool{}, false
	for i, y := range m.Further[k].Y {
		if math.IsNaN(y) {
			continue
		}
		key := pointKey(m.X[i])
		before, known := at[key]
		if known && before != y {
			return false
		}
		at[key], all[y], again = y, true, again || known
	}
	return again && len(all) == len(at) || m.of[further+k].Hyper().Noise < leastNoise
}

// Top returns the evaluation with the highest value that counts. If no value counts, ok is false.
func (m *Models) Top() (index int, ok bool) {
	if !m.isLimited() && len(m.Values) > 0 {
		return Highest(m.Values), true
	}
	for i, v := range m.Values {
		if m.Counts(i) && (!ok || v > m.Values[index]) {
			index, ok = i, true
		}
	}
	return index, ok
}

// AnyCounts says whether an evaluation is known to count.
func (m *Models) AnyCounts() bool {
	_, ok := m.Top()
	return ok
}

// leastWorse is how many results must come before the best value for a tie to say anything.
const leastWorse = 4

// Ties is the number of settings that have the best value to the last digit. If there are several, this value is probably the best possible: a score
// that is cut off, or an error of 0. So the chance to beat it is divided by their number. Ties do not count if the first of them is among the first
// results (leastWorse): then the function is nearly constant, and a better value may exist. Whole numbers are often equal, and have their own rule.
func (m *Models) Ties() int {
	top, ok := m.Top() // the first, if there are several
	if !ok || top < leastWorse || m.Paper || m.IsNoisy() || m.HasAims() || areWhole(m.Y) {
		return 1
	}
	settings := map[string]bool{}
	for i, v := range m.Values {
		if v == m.Values[top] && m.Counts(i) {
			settings[pointKey(m.X[i])] = true
		}
	}
	return len(settings)
}

// bestWithin returns the place of the best value among the points that count. If none does, it sets NoneCounts and returns the point that is the likeliest to
// meet the limits. Without models of some limited quantities, that would not help: it returns the best value that meets the other limits, if there is one.
func (d *Beliefs) bestWithin(points [][]float64, values []float64) int {
	if best, found := d.bestThat(d.Counts, points, values); found {
		return best
	}
	if len(d.Further) == 0 {
		return Highest(values)
	}
	if d.Lacks != nil {
		if best, found := d.bestThat(d.meetsModelled, points, values); found {
			return best
		}
	}
	d.NoneCounts = true
	widths, b := d.widths(), d.belief(d.of)
	chances := make([]float64, len(points))
	for i, x := range points {
		chances[i] = d.within(b, x, widths)
	}
	return Highest(chances)
}

// bestThat returns the place of the best value among the points of evaluations that count.
func (d *Beliefs) bestThat(count func(i int) bool, points [][]float64, values []float64) (best int, found bool) {
	counts := map[string]bool{}
	for i, x := range d.X {
		if count(i) {
			counts[pointKey(x)] = true
		}
	}
	for i, x := range points {
		if counts[pointKey(x)] && (!found || values[i] > values[best]) {
			best, found = i, true
		}
	}
	return best, found
}

func pointKey(x []float64) string { return fmt.Sprint(x) }

// assumed is what is assumed about pending points: that they return what the models expect. All models are conditioned on their own
// posterior means there. That leaves the means as they are and removes the uncertainty, so that nothing near a point looks attractive
// for a second time (the "kriging believer" of Ginsbourger et al. 2010). The expected costs of the points are set aside.
type assumed struct {
	points [][]float64
	means  [][]float64 // by quantity
	costs  []float64   // the expected costs
	of     []*gp.Model // with all of the points, by quantity
}

// believe sets the belief, with the pending points and the looks under way.
func (d *Beliefs) believe(best float64) {
	b := d.belief(d.of)
	a := d.Memory.pending(&d.Fitted, d.Pending, assumed{of: d.of, means: make([][]float64, len(d.of))})
	for _, x := range d.Pending[len(a.points):] {
		a = a.with(x)
	}
	d.Memory.keepPending(&d.Fitted, a)
	works, prices := b.Works(), pricesOf(b.Fails, a.points, a.costs)
	b = d.belief(a.of)
	b.Best, b.Fails = best, withPending(b.Fails, a.points)
	b.Most = d.most(best)
	d.setFront(&b, a, works)
	for i, v := range a.means[value] {
		if b.Most != nil && v >= *b.Most {
			v = best // nobody knows that it will be the best there can be
		}
		if works(a.points[i]) > 0.5 && (!d.isLimited() || d.Meets(a.points[i])) {
			b.Best = math.Max(b.Best, v)
		}
		b.Remaining -= prices[i]
	}
	for _, l := range d.Looking {
		at := b.LnCost.At(l.Level)
		b.Remaining -= expectedCost(at.Posterior(l.X))
		learnt, _, _ := at.Believe(l.X)
		b.LnCost = learnt.At(1)
		if l.Level >= d.Levels[d.GivenUp] { // the values learn nothing on levels that are given up
			learnt, _, _ = b.Objective.At(l.Level).Believe(l.X)
			b.Objective = learnt.At(1)
			b.Front = b.Front.Believe(l.Level, l.X)
		}
	}
	d.Belief, d.assumed = b, a
}

// with returns what is assumed with one more point. It shares what it can, and changes nothing.
func (a assumed) with(x []float64) assumed {
	n, mean, sd := len(a.points), make([]float64, len(a.of)), make([]float64, len(a.of))
	more := assumed{points: append(a.points[:n:n], x), means: slices.Clone(a.means), costs: slices.Clip(a.costs), of: slices.Clone(a.of)}
	for o, m := range a.of {
		more.of[o], mean[o], sd[o] = m.Believe(x)
		more.means[o] = append(a.means[o][:n:n], mean[o])
	}
	more.costs = append(more.costs, ExpectedCost(mean[logCost], sd[logCost]))
	return more
}

// ExpectedCost returns exp(μ + σ²/2), given mean and standard deviation of the logarithm of a cost, with the variance capped at 1 as in the
// trees. With almost no data it is the prior's variance, and the mean of such a wide log-normal says nothing.
func ExpectedCost(mean, sd float64) float64 { return expectedCost(mean, sd*sd) }

func expectedCost(mean, variance float64) float64 { return math.Exp(mean + math.Min(variance, 1)/2) }

// most returns the highest possible value, after the warp. It is nil if there is no bound, or if the best value has reached it: a study that goes on
// after that ignores the bound.
func (m *Models) most(best float64) *float64 {
	most := m.Bound(0).Most
	if most == nil {
		return nil
	}
	if v := m.Warp.To(*most); v > best {
		return &v
	}
	return nil
}

// reachesBound says whether the value of an evaluation is as good as any can be.
func (m *Models) reachesBound(i int) bool {
	most := m.Bound(0).Most
	return most != nil && m.Y[i] >= *most
}

// IsBestPossible says whether the best value cannot be beaten. With noise that is unknown.
func (d *Beliefs) IsBestPossible() bool {
	if !d.IsKnown() || len(d.X) == 0 || len(d.Bounds) == 0 || d.IsNoisy() || d.NoneCounts {
		return false
	}
	if d.HasAims() {
		outcomes, _ := d.onFront()
		return len(front.Below(front.Boxes(outcomes, d.Reference()), d.Ceiling())) == 0
	}
	top, ok := d.Top()
	return ok && d.reachesBound(top)
}

// DesignShare is the fraction of the budget that the initial design may use.
const DesignShare = 0.25

// InDesign says whether the next point belongs to the initial design. The design ends when its share of the budget is used, unless the settings
// ask for a number of points. If an earlier study predicts this one, its results take the place of the design.
func (d *Beliefs) InDesign() bool {
	if len(d.X)+len(d.Failed)+len(d.Pending)+d.ChosenLooks() >= d.DesignSize(d.State) || d.FollowsEarlier() {
		return false
	}
	n := float64(len(d.X) + len(d.Pending) + d.ChosenLooks())
	if d.Paper || d.Design > 0 || len(d.X)+d.ChosenLooks() < LeastDesign {
		return true
	}
	spent := d.Initial - d.Belief.Remaining // with the expected cost of pending points
	return spent+spent/n <= DesignShare*d.Initial
}

// A choice among k values has k coordinates: 1 for its value, and 0 for the others. The rest of that part of the cube stands for no
// value. No trial was ever there, so the models are unsure about it, and a search that may go there is drawn to it. What it
// finds then has numbers that suit no value. So the search keeps the choices of each start, and moves only the numbers.

// Settles says whether searches keep the choices of their starts.
func (m *Models) Settles() bool { return !m.Paper && len(m.Choices) > 0 }

// With many data a model of all of them is too slow for a search, where each of some thousand evaluations takes time that grows with
// the square of their number. But what a model says about a point depends on the data near it. So raw points are compared
// by the model of all data, many at a time, and each local search uses a model of the data around its start. It has the same
// hyperparameters. No datum is forgotten: beyond the number that one model can hold, the data near a point still count there.

// ExactData is the number of data up to which searches use all of them, and nearData how many a local search uses.
const ExactData, nearData = 200, 200

// IsLarge says whether there are too many data for an exact search.
func (m *Models) IsLarge() bool {
	return !m.Paper && len(m.X) > ExactData && !m.IsLeveled()
}

// surround begins the local models, if they have not begun. Assumptions about pending points count as data.
func (d *Beliefs) surround() {
	if d.nearby != nil {
		return
	}
	for o, q := range d.list {
		targets := q.targets
		if o == value {
			targets = d.Values
		}
		d.nearby = append(d.nearby, &surroundings{of: d.of[o], data: slices.Concat(q.x, d.assumed.points), targets: slices.Concat(targets, d.assumed.means[o])})
	}
}

// Near returns a function that makes the belief from the data around x.
func (d *Beliefs) Near(x []float64) func() acq.Belief {
	d.surround()
	near := make([]func() *gp.Model, len(d.nearby))
	for o, s := range d.nearby {
		near[o] = s.at(x)
	}
	return func() acq.Belief {
		b, models := d.Belief, make([]*gp.Model, len(near))
		for o, model := range near {
			models[o] = model()
		}
		b.Objective, b.LnCost, b.Limits = models[value], models[logCost], d.limits(models)
		if b.Front != nil {
			b.Front = &acq.Front{Models: d.aimed(models), Boxes: b.Front.Boxes, Whole: b.Front.Whole}
		}
		return b
	}
}

// surroundings are the local models of a quantity.
type surroundings struct {
	of      *gp.Model
	data    [][]float64
	targets []float64  // NaN: not known
	mu      sync.Mutex // rollouts share them; all ask about the same points in the same order
	list    []surrounding
}

// surrounding is a local model, which is made when it is first used.
type surrounding struct {
	holds []bool // of all data
	model func() *gp.Model
}

// at returns the model of the nearData known targets nearest to x, or an earlier one that holds the nearest half of them.
func (s *surroundings) at(x []float64) func() *gp.Model {
	s.mu.Lock()
	defer s.mu.Unlock()
	distances, order := make([]float64, len(s.data)), []int(nil)
	scales := s.of.Hyper().Lengthscales
	for i, y := range s.data {
		if math.IsNaN(s.targets[i]) {
			distances[i] = math.NaN() // near nothing
			continue
		}
		for j, l := range scales {
			distances[i] += (y[j] - x[j]) / l * (y[j] - x[j]) / l
		}
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(distances[a], distances[b]) }) // of equally far ones, the oldest first
	within := math.Inf(-1)
	if half := min(nearData/2, len(order)); half > 0 {
		within = distances[order[half-1]]
	}
	for _, known := range s.list {
		if known.covers(distances, within) {
			return known.model
		}
	}
	places := slices.Sorted(slices.Values(order[:min(nearData, len(order))]))
	made := surrounding{make([]bool, len(s.data)), sync.OnceValue(func() *gp.Model {
		return s.of.Like(maximise.Pick(s.data, places), maximise.Pick(s.targets, places), s.of.Hyper())
	})}
	for _, i := range places {
		made.holds[i] = true
	}
	s.list = append(s.list, made)
	return made.model
}

// covers says whether it holds all data within a distance.
func (s surrounding) covers(distances []float64, within float64) bool {
	for i, v := range distances {
		if v <= within && !s.holds[i] {
			return false
		}
	}
	return true
}
