package model

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/parallel"
)

// Fitted are the models of a state's quantities. That of the objective is fitted to the values after the warp.
type Fitted struct {
	of            []*gp.Model // by quantity; nil before there are any
	Fails         *acq.Fails  // which evaluations fail, and what failures cost; nil if all had values
	Warp          gp.Warp
	Values        []float64 // all observed values, transformed
	Searched      int       // the number of observations when the hyperparameters were searched
	SearchedLooks int       // and the number of looks
	GivenUp       int       // the number of levels, from the lowest, that the values are modelled without
	Gain          float64   // how much likelier an earlier study makes the values, as a logarithm
	joined        []bool    // by quantity, whether its model holds the results of an earlier study; nil: none does
}

// IsKnown says whether there are models.
func (f *Fitted) IsKnown() bool { return f.of != nil }

// Objective is the model of the values.
func (f *Fitted) Objective() *gp.Model { return f.of[value] }

// LogCost is the model of the logarithms of the costs.
func (f *Fitted) LogCost() *gp.Model { return f.of[logCost] }

// follows says whether the model of a quantity follows an earlier study, or holds its results.
func (f *Fitted) follows(output int) bool { return f.of[output].Trend().Slope != 0 || f.joins(output) }

// joins says whether the model of a quantity holds the results of an earlier study.
func (f *Fitted) joins(output int) bool { return output < len(f.joined) && f.joined[output] }

// FollowsEarlier says whether the values are modelled with the help of an earlier study.
func (f *Fitted) FollowsEarlier() bool { return f.follows(value) }

// IsLeveled says whether the models know of several levels.
func (f *Fitted) IsLeveled() bool { return f.Objective().Hyper().Fading != nil }

// belief returns what some of the quantities' models say.
func (m *Models) belief(models []*gp.Model) acq.Belief {
	return acq.Belief{Objective: models[value], LnCost: models[logCost], Remaining: m.Remaining, Limits: m.limits(models), Fails: m.Fails}
}

// fit fits the models, unless they are remembered.
func (f *Fitter) fit(ctx context.Context, s *State, h *history) Fitted {
	if f.Memory == nil {
		return f.fitAnew(ctx, s, h)
	}
	key, ok := f.fitKey(s)
	if !ok {
		return f.fitAnew(ctx, s, h)
	}
	if m, ok := f.Memory.fit(key); ok {
		return m
	}
	m := f.fitAnew(ctx, s, h)
	if ctx.Err() == nil { // what was cut short depends on the clock
		f.Memory.keep(key, m)
	}
	return m
}

// fitAnew is the pipeline. The models of the last plan gain the new data, if their hyperparameters are still good. Otherwise candidates
// compete for every quantity. Levels that tell nothing are given up, and an earlier study is followed where it predicts this one.
func (f *Fitter) fitAnew(ctx context.Context, s *State, h *history) Fitted {
	leveled := s.Levels != nil && (f.TakesLooks() || len(s.Looks)+len(s.Looking) > 0)
	list := f.resumed(s, h.list, leveled)
	m, ok := f.update(ctx, s, list, leveled)
	if ok {
	} else {
		found := f.search(ctx, s, list)
		m = Fitted{Warp: found[value].warp, Values: warped(found[value].warp, s.Y), Searched: len(s.X)}
		for _, c := range found {
			m.of = append(m.of, c.model)
		}
		if leveled && !f.CostsOnly {
			m.of[value], m.GivenUp = f.giveUp(ctx, s, m.of[value], list[value], m.Warp)
		}
		if !(leveled && f.CostsOnly) && s.Earlier.usable() {
			f.useEarlier(ctx, s, list, found, &m)
		}
		if leveled {
			m.SearchedLooks = len(s.Looks)
		}
	}
	if leveled && s.Share != nil {
		m.of[logCost] = m.LogCost().Rising(s.lnShare)
	}
	m.Fails = s.newFails(m.LogCost())
	return m
}

// A search for hyperparameters takes most of a suggestion's time, and one more observation rarely changes them. They are
// searched anew when the data have grown by a part, or when an observation surprised the models. In between, the
// models keep the last plan's hyperparameters and gain the new data.

// surprising is the distance from a forecast, in standard deviations, that puts the hyperparameters in doubt.
const surprising = 3

// update returns the models of the last plan with the new data, and whether its hyperparameters are still good.
func (f *Fitter) update(ctx context.Context, s *State, list []quantity, leveled bool) (m Fitted, calm bool) {
	plan := s.Previous
	if f.Paper || plan == nil || plan.Searched < 1 || !plan.fits(s.Dim, len(list)) || !plan.knows(s) || leveled && (!plan.isLeveled() || plan.Proportional != (s.Share != nil)) {
		return m, false
	}
	searched, grown := plan.Searched, len(s.X)-plan.Searched
	if leveled {
		searched, grown = searched+plan.SearchedLooks, grown+len(s.Looks)-plan.SearchedLooks
	}
	if grown < 0 || float64(grown) >= math.Max(1, f.pace().refit*float64(searched)) {
		return m, false
	}
	m = Fitted{Warp: plan.Warp, Values: warped(plan.Warp, s.Y), Searched: plan.Searched, Gain: plan.Gain}
	trends := make([]gp.Trend, len(list))
	for o := range min(len(list), len(plan.Laws)) {
		if list[o].levels == nil {
			trends[o].Law = plan.Laws[o]
		}
	}
	if leveled {
		m.SearchedLooks, m.GivenUp, list = plan.SearchedLooks, plan.givenUp(s), slices.Clone(list) // a search needs all levels
		list[value].giveUp(s.Levels, m.GivenUp)
	}
	if slices.ContainsFunc(plan.Earlier, EarlierTrend.isUsed) {
		if !s.Earlier.usable() {
			return m, false
		}
		var of []*gp.Model
		if slices.ContainsFunc(plan.Earlier, func(e EarlierTrend) bool { return e.Slope != 0 }) {
			of = s.ofEarlier(s.Earlier.models(ctx, s.Dim, f.Threads))
		}
		m.joined, list = make([]bool, len(list)), slices.Clone(list)
		for o := range min(len(list), len(plan.Earlier)) {
			e := plan.Earlier[o]
			if o < len(of) && of[o] != nil && e.Slope != 0 {
				trends[o] = gp.Trend{Of: of[o], Slope: e.Slope, Shift: e.Shift, SlopeSD: slopeSD, ShiftSD: shiftSD}
			}
			if m.joined[o] = e.Joined; !e.Joined {
				continue
			}
			if !s.mayJoin() {
				return m, false
			}
			givenUp := 0
			if o == value {
				givenUp = m.GivenUp
			}
			list[o], _ = f.joinedWith(s, list[o], givenUp)
		}
	}
	calm = true
	for o, q := range list {
		if o >= further && (q.levels != nil) != (plan.Hyper[o].Fading != nil) {
			return m, false // looks report it now
		}
		targets := q.targets
		if o == value {
			targets = warped(plan.Warp, targets)
		}
		x, levels, y := q.pick(targets, q.modelled)
		model := gp.NewTrended(x, levels, y, plan.Standard[o], plan.Hyper[o], trends[o])
		m.of, calm = append(m.of, model), calm && model.Surprise(q.known) < surprising
	}
	return m, calm
}

// candidate is a way to model a quantity: as it is, or transformed to be more nearly normal; as values of a smooth function, or of a function
// with edges. The candidate under which the observations are likeliest is chosen.
type candidate struct {
	of       *quantity
	kernel   gp.Kernel
	warp     gp.Warp
	proof    float64   // how much likelier it has to be than others
	lawful   bool      // it follows a law
	moved    bool      // it follows an earlier model, by a shift that is searched for
	targets  []float64 // transformed
	compared *gp.Model // with the data that candidates are compared by; nil if the context ended before it was fitted
	density  float64   // the log density of the targets as they were observed
	model    *gp.Model // with all data
}

// fit fits the candidate to the data that candidates are compared by.
func (c *candidate) fit(dim int, set gp.Settings) {
	if c.lawful {
		c.compared, c.density = c.of.fitLaw(c.of.compared, dim, set)
		return
	}
	c.compared = c.of.fit(c.targets, c.of.compared, dim, set)
	c.density = c.compared.LogDensity() + c.warp.LogSlope(maximise.Pick(c.of.targets, c.of.compared))
}

// leastLawful is the least number of costs that may follow a law. logProof is how much likelier logarithms of values must make each value: every search that
// converges has values next to the best.
const leastLawful, logProof = 4, 0.3

// claim is the score of a candidate: its density, minus the proof that an unusual candidate needs.
func (c *candidate) claim() float64 { return c.density - c.proof }

// candidates lists the ways to model the quantity, the plain one first.
func (f *Fitter) candidates(q *quantity) (list []*candidate) {
	add := func(w gp.Warp, proof float64) {
		for _, k := range q.kernels {
			list = append(list, &candidate{of: q, kernel: k, warp: w, targets: warped(w, q.targets), proof: proof})
		}
	}
	add(gp.Warp{}, 0)
	if q.warps {
		power := gp.FitWarp(q.targets)
		if power.On {
			add(power.Straight(q.targets), 0)
		}
		if log := power.Logarithm(q.targets); log.On && !f.IsNoisy() { // the best of noisy values is a lucky one
			add(log.Straight(q.targets), logProof*float64(len(q.compared)))
		}
	}
	if q.sign != 0 && q.levels == nil && !f.Paper && !f.lawless && len(q.compared) >= leastLawful {
		list = append(list, &candidate{of: q, kernel: q.kernels[0], targets: q.targets, lawful: true, proof: proof})
	}
	return list
}

// search returns the likeliest candidate for every quantity, with all data. Candidates are fitted in parallel. Even if the context
// ends, one candidate is fitted for each quantity.
func (f *Fitter) search(ctx context.Context, s *State, list []quantity) []*candidate {
	var all []*candidate
	for i := range list {
		all = append(all, f.candidates(&list[i])...)
	}
	parallel.Each(context.WithoutCancel(ctx), len(all), f.Threads, func(i int) {
		if c := all[i]; i == 0 || c.of != all[i-1].of || ctx.Err() == nil {
			c.fit(s.Dim, f.settings(ctx, s, c.of, c.kernel))
		}
	})
	chosen := make([]*candidate, len(list))
	for _, c := range all {
		if best := &chosen[c.of.output]; *best == nil || c.compared != nil && c.claim() > (*best).claim() {
			*best = c
		}
	}
	parallel.Each(context.WithoutCancel(ctx), len(chosen), f.Threads, func(i int) {
		chosen[i].model = f.extend(ctx, s, chosen[i].of, chosen[i].targets, chosen[i].compared)
	})
	return chosen
}

// PriorWeight is the weight of the hyperparameters' prior. The reference counts it twice.
func (s *Settings) PriorWeight() float64 {
	if s.Paper {
		return 2
	}
	return 1
}

// settings returns how a model of a quantity is fitted.
func (f *Fitter) settings(ctx context.Context, s *State, q *quantity, kernel gp.Kernel) gp.Settings {
	return gp.Settings{Kernel: kernel, Noise: q.noise, PriorWeight: f.PriorWeight(), Reach: f.Reach(s), Warm: q.warm, Starts: q.starts,
		Seed: s.fitSeed(), Stop: func() bool { return ctx.Err() != nil }}
}

// pick returns some of the observations. Without levels, levels is nil.
func (q *quantity) pick(targets []float64, places []int) (x [][]float64, levels, y []float64) {
	if q.levels != nil {
		levels = maximise.Pick(q.levels, places)
	}
	return maximise.Pick(q.x, places), levels, maximise.Pick(targets, places)
}

// fit fits a model to some of the observations.
func (q *quantity) fit(targets []float64, places []int, dim int, set gp.Settings) *gp.Model {
	x, levels, y := q.pick(targets, places)
	set.Levels = levels
	m, _ := gp.Fit(x, y, dim, set)
	return m
}

// fitLaw is fit for a model that follows a law.
func (q *quantity) fitLaw(places []int, dim int, set gp.Settings) (*gp.Model, float64) {
	return gp.FitLaw(maximise.Pick(q.x, places), maximise.Pick(q.targets, places), q.sign < 0, dim, set)
}

// fitTrend is fit for a model that follows another.
func (q *quantity) fitTrend(targets []float64, places []int, dim int, of *gp.Model, set gp.TrendSettings) (*gp.Model, float64) {
	x, levels, y := q.pick(targets, places)
	set.Levels = levels
	return gp.FitTrend(x, y, dim, of, set)
}

// extend returns the model with all data: after a short search for its hyperparameters with more of them, a model of as many as it
// can hold. If the context has ended, there is no search.
func (f *Fitter) extend(ctx context.Context, s *State, q *quantity, targets []float64, m *gp.Model) *gp.Model {
	if len(q.modelled) == len(q.compared) || ctx.Err() != nil && q.levels != nil {
		return m
	}
	all := func(m *gp.Model) *gp.Model {
		return m.Like(maximise.Pick(q.x, q.modelled), maximise.Pick(targets, q.modelled), m.Hyper())
	}
	if ctx.Err() != nil {
		return all(m)
	}
	set, warm, trend := f.settings(ctx, s, q, m.Hyper().Kernel), m.Hyper(), m.Trend()
	if f.Paper && q.levels == nil && trend.Slope == 0 {
		return q.fit(targets, q.modelled, s.Dim, set)
	}
	if set.Warm, set.Starts = &warm, -1; trend.Law != nil {
		m, _ = q.fitLaw(q.searched, s.Dim, set)
	} else if trend.Slope != 0 {
		m, _ = q.fitTrend(targets, q.searched, s.Dim, trend.Of, earlierSettings(set, trend.Of, trend.Shift != nil))
	} else {
		m = q.fit(targets, q.searched, s.Dim, set)
	}
	if len(q.searched) < len(q.modelled) {
		m = all(m)
	}
	return m
}

// earlierSettings returns how a model is fitted that follows an earlier one.
func earlierSettings(s gp.Settings, of *gp.Model, moved bool) gp.TrendSettings {
	set := gp.TrendSettings{Settings: s, SlopeSD: slopeSD, Spread: expectedRest * of.Standard().Scale}
	if moved {
		set.ShiftSD = shiftSD
	}
	return set
}

func warped(w gp.Warp, values []float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = w.To(v)
	}
	return list
}

// A level that has little to do with the top does some harm, whatever the hyperparameters.

const (
	leastTested = 4   // observations of a level before the levels below it are tested
	leastTops   = 2   // evaluations at the top before any level is tested
	misled      = 0.5 // log-likelihood by which the model without the lower levels must win
)

// giveUp returns the model without the lowest levels, as many as tell nothing about those above them, and their number. A level is given up
// with those below it if the observations above are likelier under a model of their own than they are given the rest. If every
// level below the top is given up, only the top is modelled.
func (f *Fitter) giveUp(ctx context.Context, s *State, m *gp.Model, q quantity, w gp.Warp) (_ *gp.Model, givenUp int) {
	q.targets = warped(w, q.targets)
	for k, next := range s.Levels[1:] {
		above, below := q.split(next)
		if len(s.X) < leastTops || len(above.x) < leastTested || len(below.x) == 0 || s.onlyIn(below.x, above.x) || ctx.Err() != nil {
			continue
		}
		given := m.LogDensity() - gp.NewAt(below.x, below.levels, below.targets, m.Standard(), m.Hyper()).LogDensity()
		set, warm := f.settings(ctx, s, &q, m.Hyper().Kernel), m.Hyper()
		if set.Warm, set.Starts = nil, 0; next < 1 {
			set.Levels, set.Warm, set.Starts = above.levels, &warm, warmStarts
		}
		if alone, _ := gp.Fit(above.x, above.targets, s.Dim, set); alone.LogDensity() > given+misled {
			q.x, q.levels, q.targets = above.x, above.levels, above.targets
			m, givenUp = alone, k+1
		}
	}
	return m, givenUp
}

// onlyIn says whether some points have a value of a choice that none of the others has. Without them, nothing would be known of it.
func (s *State) onlyIn(some, others [][]float64) bool {
	has := func(points [][]float64, j int) bool {
		return slices.ContainsFunc(points, func(x []float64) bool { return x[j] == 1 })
	}
	for _, c := range s.Choices {
		for j := c.From; j < c.To; j++ {
			if has(some, j) && !has(others, j) {
				return true
			}
		}
	}
	return false
}

// givenUp is the number of levels that the plan has given up. Earlier versions did not record it when every level below the top was given up.
func (p *Plan) givenUp(s *State) int {
	top := len(s.Levels) - 1
	if p.Hyper[value].Fading == nil {
		return top
	}
	return min(max(p.GivenUp, 0), top-1)
}
