package policy

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
)

// Models of observations on several levels are fitted and updated as all others are, see fit.go and update.go.

// mostLeveled is the number of observations of all levels that a model holds. Looks may be many; those at the top all count.
const mostLeveled = 200

// mostPriced is the same for a policy whose models only say what an evaluation will cost.
const mostPriced = 48

// leveled are the observations of all levels that are modelled.
type leveled struct {
	x         [][]float64
	levels    []float64
	y, lnCost []float64
	known     int // of them were there when the hyperparameters of the last plan were searched; those after them are new
}

// observations returns those that are modelled: all at the top and, if there are too many looks, the best, the newest and some others.
// Those that the last plan knew come first, and among them those at the top.
func (s *State) observations(most int) leveled {
	var o leveled
	add := func(x []float64, level, y, lnCost float64) {
		o.x, o.levels, o.y, o.lnCost = append(o.x, x), append(o.levels, level), append(o.y, y), append(o.lnCost, lnCost)
	}
	tops, knownLooks := len(s.X), len(s.Looks)
	if s.Previous != nil {
		tops, knownLooks = min(max(s.Previous.Searched, 0), tops), min(max(s.Previous.SearchedLooks, 0), knownLooks)
	}
	for i, x := range s.X[:tops] {
		add(x, 1, s.Y[i], s.LnCost[i])
	}
	values, all := make([]float64, len(s.Looks)), make([]int, len(s.Looks))
	for i, l := range s.Looks {
		values[i], all[i] = l.Y, i
	}
	kept := sample(values, all, max(most-len(s.X), most/2))
	split, _ := slices.BinarySearch(kept, knownLooks)
	looks := func(places []int) {
		for _, i := range places {
			l := s.Looks[i]
			add(l.X, l.Level, l.Y, l.LnCost)
		}
	}
	looks(kept[:split])
	o.known = len(o.x)
	for i, x := range s.X[tops:] {
		add(x, 1, s.Y[tops+i], s.LnCost[tops+i])
	}
	looks(kept[split:])
	return o
}

// priced returns the points, levels and log costs of those whose cost is known, with the failures, and how many the last plan knew. A
// failure is not new: whether it is does not matter for what evaluations cost.
func (o leveled) priced(failed []Failure) leveled {
	var p leveled
	add := func(x []float64, level, lnCost float64) {
		if !math.IsNaN(lnCost) {
			p.x, p.levels, p.lnCost = append(p.x, x), append(p.levels, level), append(p.lnCost, lnCost)
		}
	}
	for _, f := range failed {
		add(f.X, 1, f.LnCost)
	}
	for i, v := range o.lnCost {
		if i == o.known {
			p.known = len(p.x)
		}
		add(o.x[i], o.levels[i], v)
	}
	if o.known == len(o.lnCost) {
		p.known = len(p.x)
	}
	return p
}

// fitLeveled is fitModels for observations of several levels.
func (p *policy) fitLeveled(ctx context.Context, s *State) fitted {
	most := mostLeveled
	if !p.models() {
		most = mostPriced
	}
	o := s.observations(most)
	costs := o.priced(s.Failed)
	if f, ok := p.updateLeveled(s, o, costs); ok {
		return f
	}
	return p.searchLeveled(ctx, s, o, costs)
}

// updateLeveled is updateModels for observations of several levels.
func (p *policy) updateLeveled(s *State, o, costs leveled) (fitted, bool) {
	plan := s.Previous
	if p.Preset.Refit <= 0 || plan == nil || plan.Searched < 1 || !plan.fits(s.Dim) || !plan.isLeveled() {
		return fitted{}, false
	}
	searched := plan.Searched + plan.SearchedLooks
	if grown := len(s.X) + len(s.Looks) - searched; grown < 0 || float64(grown) >= math.Max(1, p.Preset.Refit*float64(searched)) {
		return fitted{}, false
	}
	f := fitted{warp: plan.Warp, values: warped(plan.Warp, s.Y), searched: plan.Searched, searchedLooks: plan.SearchedLooks}
	if f.givenUp = min(max(plan.GivenUp, 0), len(s.Levels)-1); plan.Hyper[0].Fading == nil {
		f.givenUp = len(s.Levels) - 1
	}
	if f.givenUp > 0 {
		if o, _ = o.split(s.Levels[f.givenUp]); plan.Hyper[0].Fading == nil {
			o.levels = nil
		}
	}
	f.objective = gp.NewAt(o.x, o.levels, warped(plan.Warp, o.y), plan.Standard[0], plan.Hyper[0])
	f.lnCost = gp.NewAt(costs.x, costs.levels, costs.lnCost, plan.Standard[1], plan.Hyper[1])
	return f, f.objective.Surprise(o.known) < surprising && f.lnCost.Surprise(costs.known) < surprising
}

// isLeveled says whether the plan's models had levels. That of the values may be of the top alone.
func (p *Plan) isLeveled() bool { return p.Hyper[1].Fading != nil }

// searchLeveled searches the hyperparameters. If there are many observations, the candidates are compared by a part of them.
func (p *policy) searchLeveled(ctx context.Context, s *State, o, costs leveled) fitted {
	candidates, kernels := p.modelCandidates(o.y), p.costKernels()
	if !p.models() {
		candidates, kernels = candidates[:1], kernels[:1]
	}
	fit := func(output int, kernel gp.Kernel, of leveled, targets []float64, places []int, warm *gp.Hyper, starts int) *gp.Model {
		set := p.fitSettings(ctx, s, output)
		set.Kernel, set.Warm, set.Levels, set.Starts = kernel, warm, maximise.Pick(of.levels, places), starts
		m, _ := gp.Fit(maximise.Pick(of.x, places), maximise.Pick(targets, places), s.Dim, set)
		return m
	}
	valued, priced := o.compared(o.y), costs.compared(costs.lnCost)
	var warm [2]*gp.Hyper
	starts := 0
	if s.Previous != nil && s.Previous.fits(s.Dim) && s.Previous.isLeveled() {
		warm, starts = [2]*gp.Hyper{&s.Previous.Hyper[0], &s.Previous.Hyper[1]}, warmStarts
	}
	models, prices := p.compete(ctx, candidates, kernels,
		func(c modelCandidate) *gp.Model { return fit(0, c.kernel, o, c.values, valued, warm[0], starts) },
		func(k gp.Kernel) *gp.Model { return fit(1, k, costs, costs.lnCost, priced, warm[1], starts) })
	chosen := likeliest(models, candidates, maximise.Pick(o.y, valued))
	c := candidates[chosen]
	all := func(output int, m *gp.Model, of leveled, targets []float64, places []int) *gp.Model {
		if len(places) == len(of.x) || ctx.Err() != nil {
			return m
		}
		h := m.Hyper()
		return fit(output, h.Kernel, of, targets, allOf(of.x), &h, -1)
	}
	f := fitted{
		objective: all(0, models[chosen], o, c.values, valued), lnCost: all(1, likelier(prices), costs, costs.lnCost, priced),
		warp: c.warp, values: warped(c.warp, s.Y), searched: len(s.X), searchedLooks: len(s.Looks),
	}
	if p.models() {
		o.y = c.values
		f.objective, f.givenUp = p.giveUp(ctx, s, f.objective, o)
	}
	return f
}

// leastTested is the number of observations by which the levels below them are tested, leastTops that of evaluations at the top by then, and
// misled how many times as likely the observations have to be without the levels below, as a logarithm.
const leastTested, leastTops, misled = 4, 2, 0.5

// giveUp returns the model without the lowest levels, as many as tell nothing about those above them, and their number. A level is given up
// with those below it if the observations above are likelier under a model of their own than they are given the rest. If the highest
// below the top is, the model is one of the top alone. No hyperparameters make levels that have little to do with the top quite harmless.
func (p *policy) giveUp(ctx context.Context, s *State, m *gp.Model, o leveled) (_ *gp.Model, givenUp int) {
	for k, next := range s.Levels[1:] {
		above, below := o.split(next)
		if len(s.X) < leastTops || len(above.x) < leastTested || len(below.x) == 0 || ctx.Err() != nil {
			continue
		}
		given := m.LogDensity() - gp.NewAt(below.x, below.levels, below.y, m.Standard(), m.Hyper()).LogDensity()
		set, warm := p.fitSettings(ctx, s, 0), m.Hyper()
		if set.Kernel = warm.Kernel; next < 1 {
			set.Levels, set.Warm, set.Starts = above.levels, &warm, warmStarts
		}
		if alone, _ := gp.Fit(above.x, above.y, s.Dim, set); alone.LogDensity() > given+misled {
			m, o, givenUp = alone, above, k+1
		}
	}
	return m, givenUp
}

// split returns the observations on a level and above, and those below it, without their costs.
func (o leveled) split(level float64) (above, below leveled) {
	for i, t := range o.levels {
		part := &below
		if t >= level {
			part = &above
		}
		part.x, part.levels, part.y = append(part.x, o.x[i]), append(part.levels, t), append(part.y, o.y[i])
		if i < o.known {
			part.known++
		}
	}
	return above, below
}

// compared returns the places of the observations that candidates are compared by.
func (o leveled) compared(targets []float64) []int { return sample(targets, allOf(o.x), mostCompared) }

func allOf[T any](list []T) []int {
	places := make([]int, len(list))
	for i := range places {
		places[i] = i
	}
	return places
}

// warmStarts is the number of searches for hyperparameters besides that from the last ones.
const warmStarts = 1
