package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
)

// The places of the quantities in all lists. The quantities of State.Further come after these, and then State.Aims.
const (
	value   = iota // the values, after a transformation
	logCost        // the logarithms of the costs
	further
)

// quantity is a number that evaluations have and that a model predicts: its data, and the ways to model it.
type quantity struct {
	output  int // its place in the list
	x       [][]float64
	levels  []float64 // nil: there is one
	targets []float64 // as they were observed; NaN: not known
	known   int       // how many of the modelled ones the last plan knew; those after them are new
	parts

	kernels []gp.Kernel // that compete, the usual one first
	warps   bool        // the targets may be transformed
	sign    float64     // of the logarithms that the targets are, which may follow a law; 0: they may not
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

// mostPriced is the number of observations of all levels that a model holds for a policy whose models only say what an evaluation will cost.
const mostPriced = 48

// warmStarts is the number of searches for hyperparameters besides that from the last ones, where there are levels.
const warmStarts = 1

// quantities lists what is modelled, as if there were one level. A new quantity with a limit is an entry of State.Further, and needs no code here.
// Another kind of quantity also needs its place in reported, observed and aimed.
func (f *Fitter) quantities(s *State) []quantity {
	values, costs := []gp.Kernel{gp.Matern52}, []gp.Kernel{gp.Matern52}
	if !f.Paper { // values often have edges, and costs are often products of powers
		values, costs = append(values, gp.Matern32), append(costs, gp.Gaussian)
	}
	list := []quantity{
		value:   {x: s.X, targets: s.Y, kernels: values, warps: !f.Paper && !s.HasAims(), noise: f.Noise},
		logCost: {x: slices.Concat(s.X, s.Failures()), targets: slices.Clip(s.LnCost), kernels: costs, sign: 1, noise: f.CostNoise},
	}
	for _, q := range s.reported() {
		list = append(list, quantity{x: s.X, targets: q.Y, kernels: values, sign: q.Sign, noise: f.Noise})
	}
	ranks := slices.Clip(s.Y)
	for _, e := range s.Failed { // they cost money like all others
		list[logCost].targets, ranks = append(list[logCost].targets, e.LnCost), append(ranks, math.Inf(-1))
	}
	for o := range list {
		q, most := &list[o], f.pace().parts
		if f.Paper {
			most = [3]int{1000, 1000, 1000}
			if o == value {
				most[0] = 250
			}
		}
		places := slices.DeleteFunc(maximise.Indices(q.x), func(i int) bool { return math.IsNaN(q.targets[i]) })
		q.output, q.parts = o, parts{sample(ranks, places, most[0]), sample(ranks, places, most[1]), sample(ranks, places, most[2])}
	}
	return list
}

// resumed returns the quantities with what the last plan knew of them and, where there are levels, with the observations of all of them.
func (f *Fitter) resumed(s *State, list []quantity, leveled bool) []quantity {
	list = slices.Clone(list)
	if leveled {
		most := f.pace().leveled
		if f.CostsOnly {
			most = mostPriced
		}
		s.observe(list, most, f.pace().parts[0])
	}
	plan := s.Previous
	for o := range list {
		q := &list[o]
		if leveled && f.CostsOnly {
			q.kernels, q.warps = q.kernels[:1], false
		}
		if plan == nil || o >= len(plan.Hyper) || o >= further && !plan.knows(s) || leveled && !(plan.fits(s.Dim, len(list)) && plan.isLeveled()) {
			continue
		}
		if o >= further && (q.levels != nil) != (plan.Hyper[o].Fading != nil) {
			continue // looks had not reported it yet
		}
		if q.warm = &plan.Hyper[o]; q.levels != nil {
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
	list  []quantity  // what is modelled
}

func (f *Fitter) newHistory(s *State) history {
	return history{Taken: f.taken(s), list: f.quantities(s)}
}

// mostRepeats is how often a point is evaluated at most if evaluations have noise. Where the models see nothing to gain elsewhere, they would
// evaluate the best point again and again.
const mostRepeats = 4

// taken returns the points not to suggest again. They were evaluated, are pending, or were tried without a result. Noisy
// evaluations may be worth repeating: with noise these are only the points that were evaluated, or are pending, mostRepeats times. The paper preset has none.
func (f *Fitter) taken(s *State) (list [][]float64) {
	if f.Paper {
		return nil
	}
	if !f.IsNoisy() {
		return slices.Concat(s.X, s.Pending, s.Tried, s.Failures())
	}
	times := map[string]int{}
	for _, x := range slices.Concat(s.X, s.Pending) {
		key := fmt.Sprint(x)
		if times[key]++; times[key] == mostRepeats {
			list = append(list, x)
		}
	}
	return list
}

// observe sets the values and the costs of all levels that are modelled, and the further quantities that looks reported. It takes all
// observations at the top and, if there are too many looks, the best, the newest and some other looks. Observations that the last plan knew
// come first, and of these the observations at the top. The costs of failures count as known, so that they never surprise the models.
func (s *State) observe(list []quantity, most, compared int) {
	values := make([]float64, len(s.Looks))
	for i, l := range s.Looks {
		values[i] = l.Y
	}
	kept := sample(values, maximise.Indices(s.Looks), max(most-len(s.X), most/2))
	tops, split := len(s.X), len(kept)
	if p := s.Previous; p != nil {
		tops = min(max(p.Searched, 0), tops)
		split, _ = slices.BinarySearch(kept, min(max(p.SearchedLooks, 0), len(s.Looks)))
	}
	for o := range list {
		q := &list[o]
		y, look := s.observed(o)
		if look == nil {
			continue
		}
		q.x, q.targets = nil, nil
		if o == logCost {
			for _, f := range s.Failed {
				q.add(f.X, 1, f.LnCost)
			}
		}
		some := func(from, to int, looks []int) {
			for i := from; i < to; i++ {
				q.add(s.X[i], 1, y[i])
			}
			for _, i := range looks {
				q.add(s.Looks[i].X, s.Looks[i].Level, look(i))
			}
		}
		some(0, tops, kept[:split])
		q.known = len(q.x)
		some(tops, len(s.X), kept[split:])
		all := maximise.Indices(q.x)
		q.parts = parts{sample(q.targets, all, compared), all, all}
	}
}

// observed returns what evaluations at the top and looks reported of a quantity. No function means that it is not known of looks, and is of the top alone.
func (s *State) observed(output int) (tops []float64, look func(i int) float64) {
	switch output {
	case value:
		return s.Y, func(i int) float64 { return s.Looks[i].Y }
	case logCost:
		return s.LnCost, func(i int) float64 { return s.Looks[i].LnCost - s.lnShare(s.Looks[i].Level) }
	}
	q, aims := s.reported()[output-further], output >= further+len(s.Further)
	if !aims && !slices.ContainsFunc(q.Looks, Finite) {
		return q.Y, nil
	}
	return q.Y, func(i int) float64 { // looks are expected to report every objective
		if q.Looks == nil {
			return math.NaN()
		}
		return q.Looks[i]
	}
}

// An evaluation at a fraction of the highest fidelity is taken to cost the same fraction of the price, until results say otherwise. So the logarithm of
// the fraction is taken off the logarithm of the cost before costs are modelled. Looks are bought long before the first evaluation at the top, and a model that
// knows nothing of levels expects the top to cost what looks do.

// leastShare keeps the logarithm finite.
const leastShare = 1e-6

// lnShare is the logarithm of the fraction of the price at the top that a level is taken to cost.
func (s *State) lnShare(level float64) float64 {
	if s.Share == nil || level >= 1 {
		return 0
	}
	return math.Log(math.Max(s.Share(level), leastShare))
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

// giveUp leaves out the lowest levels, as many as were given up.
func (q *quantity) giveUp(levels []float64, givenUp int) {
	if givenUp == 0 {
		return
	}
	above, _ := q.split(levels[givenUp])
	q.x, q.levels, q.targets, q.known = above.x, above.levels, above.targets, above.known
	if givenUp == len(levels)-1 {
		q.levels = nil
	}
	all := maximise.Indices(q.x)
	q.parts = parts{all, all, all}
}

// related is how far apart two values of a choice are taken to be, in edges of the cube.
const related = 0.35

// Reach is the ratio of the expected lengthscales to the usual lengthscales. Values of a choice lie √2 from each other, and values of a switch 1.
// At that distance models with the usual lengthscales would learn nothing about one value from another until results say otherwise.
func (f *Fitter) Reach(s *State) (list []float64) {
	if f.Paper || len(s.Choices)+len(s.Switches) == 0 {
		return nil
	}
	for range s.Dim {
		list = append(list, 1)
	}
	for _, c := range s.Choices {
		for j := c.From; j < c.To; j++ {
			list[j] = math.Sqrt2 / related
		}
	}
	for _, j := range s.Switches {
		list[j] = 1 / related
	}
	return list
}

// limits returns the limits on all but the first two quantities, with the given models.
func (m *Models) limits(models []*gp.Model) (list []acq.Limit) {
	for i, q := range m.Further {
		list = append(list, acq.Limit{Model: models[further+i], Least: q.Least, Most: q.Most})
	}
	return list
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
