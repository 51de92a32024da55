package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/normal"
)

// The places of the quantities in a plan. A third one, the chance of a value, needs no search; see newChance.
const (
	value   = iota // the values, after a transformation
	logCost        // the logarithms of the costs
)

// quantity is something that evaluations have and that a model of its own predicts: its data, and the ways to model it. A new quantity
// begins as an entry of the list that quantities returns.
type quantity struct {
	output  int // its place in a plan
	x       [][]float64
	levels  []float64 // nil: there is one
	targets []float64 // as they were observed
	known   int       // how many of the modelled ones the last plan knew; those after them are new
	parts

	kernels []gp.Kernel // that compete, the usual one first
	warps   bool        // the targets may be transformed
	noise   *gp.Noise
	warm    *gp.Hyper // of the last plan; nil: none
	starts  int       // of a search for hyperparameters, as in gp.Settings
}

// parts are the indices of the observations that the steps of a fit use. The time of each step grows with the cube of their number.
type parts struct {
	compared []int // by the candidates
	searched []int // by the search for the hyperparameters of the likeliest candidate
	modelled []int // by the model
}

// The most data that candidates are compared by, that a search for hyperparameters uses, and that a model holds. Without ManyData
// other numbers hold, which were never meant for large studies.
const mostCompared, mostSearched, mostModelled = 120, 250, 2000

// mostLeveled is the number of observations of all levels that a model holds. Looks may be many; those at the top all count. mostPriced is the
// same for a policy whose models only say what an evaluation will cost.
const mostLeveled, mostPriced = 200, 48

// warmStarts is the number of searches for hyperparameters besides that from the last ones, where there are levels.
const warmStarts = 1

// quantities lists what is modelled.
func (f *Fitter) quantities(s *State, h *history, leveled bool) []quantity {
	v, c := quantity{x: s.X, targets: s.Y, parts: h.valued}, quantity{x: h.costX, targets: h.lnCosts, parts: h.priced}
	if leveled {
		most := mostLeveled
		if f.CostsOnly {
			most = mostPriced
		}
		v, c = s.observations(most)
	}
	v.kernels, v.warps, v.noise = []gp.Kernel{gp.Matern52}, f.Preset.Warp, f.Noise
	if f.Preset.Rough {
		v.kernels = append(v.kernels, gp.Matern32)
	}
	c.kernels, c.noise = []gp.Kernel{gp.Matern52}, f.CostNoise
	if f.Preset.Gaussian {
		c.kernels = append(c.kernels, gp.Gaussian)
	}
	list, plan := []quantity{value: v, logCost: c}, s.Previous
	for o := range list {
		q := &list[o]
		if q.output = o; leveled && f.CostsOnly {
			q.kernels, q.warps = q.kernels[:1], false
		}
		if plan == nil || leveled && !(plan.fits(s.Dim) && plan.isLeveled()) {
			continue
		}
		if q.warm = &plan.Hyper[o]; leveled {
			q.starts = warmStarts
		} else {
			q.known, _ = slices.BinarySearch(q.modelled, plan.Searched)
		}
	}
	return list
}

// history is what a suggestion needs to know about the log besides the numbers themselves.
type history struct {
	Taken [][]float64 // points not to suggest again; nil: any may be

	costX   [][]float64 // the points of all evaluations, failed ones last
	lnCosts []float64   // the logarithms of their costs

	valued parts // of the evaluations with a value
	priced parts // of all evaluations with a cost
}

func (f *Fitter) newHistory(s *State) history {
	h := history{Taken: f.taken(s), costX: slices.Clip(s.X), lnCosts: slices.Clip(s.LnCost)}
	values, priced := slices.Clip(s.Y), []int(nil)
	for _, f := range s.Failed { // they cost money like all others
		h.costX, h.lnCosts, values = append(h.costX, f.X), append(h.lnCosts, f.LnCost), append(values, math.Inf(-1))
	}
	for i, v := range h.lnCosts {
		if !math.IsNaN(v) {
			priced = append(priced, i)
		}
	}
	split := func(places []int, most ...int) parts {
		return parts{sample(values, places, most[0]), sample(values, places, most[1]), sample(values, places, most[2])}
	}
	if f.Preset.ManyData {
		h.valued, h.priced = split(allOf(s.X), mostCompared, mostSearched, mostModelled), split(priced, mostCompared, mostSearched, mostModelled)
	} else {
		h.valued, h.priced = split(allOf(s.X), 250, 1000, 1000), split(priced, 1000, 1000, 1000)
	}
	return h
}

// taken returns the points not to suggest again: those that were evaluated, are pending, or were tried
// without a result. The paper preset does not check this. Noisy evaluations may be worth repeating, but not for ever.
func (f *Fitter) taken(s *State) (list [][]float64) {
	if !f.Preset.Fresh || f.IsNoisy() && f.Preset.Repeats == 0 {
		return nil
	}
	if !f.IsNoisy() {
		return slices.Concat(s.X, s.Pending, s.Tried, s.Failures())
	}
	times := map[string]int{}
	for _, x := range slices.Concat(s.X, s.Pending) {
		key := fmt.Sprint(x)
		if times[key]++; times[key] == f.Preset.Repeats {
			list = append(list, x)
		}
	}
	return list
}

// observations returns the values and the costs of all levels that are modelled: all at the top and, if there are too many looks, the
// best, the newest and some others. Those that the last plan knew come first, and among them those at the top. The cost of a failure is
// never new: whether it is does not matter for what evaluations cost.
func (s *State) observations(most int) (v, c quantity) {
	for _, f := range s.Failed {
		c.add(f.X, 1, f.LnCost)
	}
	add := func(x []float64, level, y, lnCost float64) {
		v.add(x, level, y)
		c.add(x, level, lnCost)
	}
	values := make([]float64, len(s.Looks))
	for i, l := range s.Looks {
		values[i] = l.Y
	}
	kept := sample(values, allOf(s.Looks), max(most-len(s.X), most/2))
	tops, split := len(s.X), len(kept)
	if p := s.Previous; p != nil {
		tops = min(max(p.Searched, 0), tops)
		split, _ = slices.BinarySearch(kept, min(max(p.SearchedLooks, 0), len(s.Looks)))
	}
	some := func(from, to int, looks []int) {
		for i := from; i < to; i++ {
			add(s.X[i], 1, s.Y[i], s.LnCost[i])
		}
		for _, i := range looks {
			l := s.Looks[i]
			add(l.X, l.Level, l.Y, l.LnCost)
		}
	}
	some(0, tops, kept[:split])
	v.known, c.known = len(v.x), len(c.x)
	some(tops, len(s.X), kept[split:])
	for _, q := range []*quantity{&v, &c} {
		all := allOf(q.x)
		q.parts = parts{sample(q.targets, all, mostCompared), all, all}
	}
	return v, c
}

// add adds an observation, if its target is known.
func (q *quantity) add(x []float64, level, target float64) {
	if !math.IsNaN(target) {
		q.x, q.levels, q.targets = append(q.x, x), append(q.levels, level), append(q.targets, target)
	}
}

// split returns the observations on a level and above, and those below it.
func (q *quantity) split(level float64) (above, below quantity) {
	for i, t := range q.levels {
		part := &below
		if t >= level {
			part = &above
		}
		if part.add(q.x[i], t, q.targets[i]); i < q.known {
			part.known++
		}
	}
	return above, below
}

// Reach says how many times as long as usual the lengthscales are expected to be. Values of a choice lie √2 from
// each other. At that distance models take values for unrelated until results say otherwise, and learn nothing about one from another.
func (f *Fitter) Reach(s *State) (list []float64) {
	if f.Preset.Related <= 0 || len(s.Choices) == 0 {
		return nil
	}
	for range s.Dim {
		list = append(list, 1)
	}
	for _, c := range s.Choices {
		for j := c.From; j < c.To; j++ {
			list[j] = math.Sqrt2 / f.Preset.Related
		}
	}
	return list
}

// Some settings crash, run out of memory, or are cut at a limit. Such an evaluation has no value, and to make one up would bend the model of
// the values around it. Instead there is a model of whether an evaluation has a value at all, MATH.md (19): a Gaussian process of
// labels, 1 for a value and −1 for a failure, that expects 1 where nothing was tried. The chance of a value at x is
//
//	P(x) = Φ(μ(x) / √(σ²(x) + τ²)).
//
// So a corner where everything fails is avoided, and failures among good evaluations are soon forgiven.

// The hyperparameters of the labels. Values may change so slowly that all points are alike to their model; where settings begin to fail is
// mostly an edge, so the lengthscales are at most labelReach times the root of the dimension. Labels are noisy: the same setting may
// fail once and work the next time.
const labelReach, labelNoise, expectedLabel = 0.3, 0.05, 1

// mostLabels is the number of evaluations of each kind that are labelled.
const mostLabels = 150

// newChance returns the model of the labels, and nil without failures. It has the lengthscales of the values' model.
func (s *State) newChance(objective *gp.Model) *gp.Model {
	if len(s.Failed) == 0 {
		return nil
	}
	var x, looks [][]float64
	var labels []float64
	add := func(points [][]float64, label float64) {
		for i := range min(len(points), mostLabels) {
			x, labels = append(x, points[i*len(points)/min(len(points), mostLabels)]), append(labels, label)
		}
	}
	for _, l := range s.Looks {
		if !l.Step { // whether an evaluation got to its end, its way does not say
			looks = append(looks, l.X)
		}
	}
	add(s.X, 1)
	add(looks, 1)
	add(s.Failures(), -1)
	h := gp.Hyper{Lengthscales: objective.Hyper().Lengthscales, Outputscale: 1, Noise: labelNoise, Mean: expectedLabel}
	for j, l := range h.Lengthscales {
		h.Lengthscales[j] = math.Min(l, labelReach*math.Sqrt(float64(s.Dim)))
	}
	return gp.New(x, labels, gp.Standard{Scale: 1}, h)
}

// LogChance returns a function that gives the logarithm of the chance of a value, for one goroutine. It is nil if all evaluations had values.
func (f *Fitted) LogChance() func(grad, x []float64) float64 {
	if f.Chance == nil {
		return nil
	}
	b := f.Chance.NewBatch(1, nil)
	return func(grad, x []float64) float64 {
		b.Forward(x, grad != nil)
		sd := math.Sqrt(b.Var[0] + labelNoise)
		t := b.Mean[0] / sd
		v, slope := normal.LogCDF(t)
		if grad != nil {
			clear(grad)
			b.MeanBar[0], b.VarBar[0] = slope/sd, -slope*t/(2*sd*sd)
			b.Pull(grad)
		}
		return v
	}
}

// sample returns at most n of the given indices of the log, in their order. If there are more, a quarter of the sample has
// the best values, a quarter is the newest, and the others are spread over the rest.
func sample(values []float64, places []int, n int) []int {
	if len(places) <= n {
		return places
	}
	newest := len(places) - n/4
	rest := slices.Clone(places[:newest])
	slices.SortStableFunc(rest, func(a, b int) int { return maximise.Descending(values[a], values[b]) })
	kept := slices.Concat(places[newest:], rest[:n/4])
	rest = rest[n/4:]
	for i, left := 0, n-len(kept); i < left; i++ {
		kept = append(kept, rest[i*len(rest)/left])
	}
	slices.Sort(kept)
	return kept
}

func allOf[T any](list []T) []int {
	places := make([]int, len(list))
	for i := range places {
		places[i] = i
	}
	return places
}
