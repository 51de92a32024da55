package policy

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
)

// With many data a model of all of them is too slow for a search, where each of some thousand evaluations takes time that grows with
// the square of their number. But what a model says about a point depends on the data near it. So raw points are compared
// by the model of all data, many at a time, and each local search uses a model of the data around its start. It has the same
// hyperparameters. No datum is forgotten: beyond the number that one model can hold, the data near a point still count there.

// exactData is the number of data up to which searches use all of them, nearData how many a local search uses, and the others the effort of
// a search then.
const exactData, nearData, largeRaw, largeStarts = 200, 200, 512, 12

// isLarge says whether there are too many data for an exact search.
func (p *policy) isLarge(d *decision) bool {
	return p.Preset.ManyData && len(d.X) > exactData && !d.isLeveled()
}

// maximiseLocally is maximiseOneStep for many data.
func (p *policy) maximiseLocally(ctx context.Context, function acquisition, d *decision, e effort, seed uint64) maximise.Result {
	e.raw, e.starts = min(e.raw, largeRaw), min(e.starts, largeStarts)
	if len(d.assumed.points) > 0 { // other suggestions from the same data look elsewhere
		e.raw, e.starts = (e.raw+1)/2, (e.starts+1)/2
	}
	points := d.feasibleOf(maximise.RawPoints(e.raw, d.Dim, seed))
	settled := p.settles(d)
	if settled {
		points = d.settings(points)
	}
	values := function(d.belief, d).Log().Values(points)
	starts := maximise.Pick(points, startPicker(function(d.belief, d))(values, e.starts, seed))
	starts = append(starts, d.incumbent)
	if settled {
		starts = append(starts, d.otherValues(d.incumbent)...)
	}
	limits := maximise.Limits{Iterations: e.iterations, Threads: p.Threads, Tolerance: maximise.LogTolerance}
	beliefs := make([]func() acq.Belief, len(starts))
	for i, x := range starts {
		beliefs[i] = d.near(x)
	}
	return maximise.FromEach(ctx, starts, p.Threads, func() func(int, *maximise.Peak) int {
		return func(i int, peak *maximise.Peak) (evaluations int) {
			local := maximise.Func(function(beliefs[i](), d).Log().Eval)
			if settled {
				local = d.holding(local, peak.X)
			}
			peak.Value, evaluations = maximise.NewClimber(ctx, local, limits).Climb(peak.X)
			return evaluations
		}
	})
}

// valueOf returns the function as settings are compared by it.
func (p *policy) valueOf(function acquisition, d *decision) func(x []float64) float64 {
	if p.isLarge(d) {
		return func(x []float64) float64 { return function(d.near(x)(), d).Log().Eval(nil, x) }
	}
	log := function(d.belief, d).Log()
	return func(x []float64) float64 { return log.Eval(nil, x) }
}

// near returns what returns the belief with models of the data around x. What is assumed about pending points counts as data.
func (d *decision) near(x []float64) func() acq.Belief {
	if d.nearby[0] == nil {
		d.nearby[0] = &surroundings{of: d.objective, data: slices.Concat(d.X, d.assumed.points), targets: slices.Concat(d.values, d.assumed.values)}
		d.nearby[1] = &surroundings{of: d.lnCost, data: slices.Concat(d.costX, d.assumed.points), targets: slices.Concat(d.lnCosts, d.assumed.lnCosts)}
	}
	objective, lnCost := d.nearby[0].at(x), d.nearby[1].at(x)
	return func() acq.Belief {
		b := d.belief
		b.Objective, b.LnCost = objective(), lnCost()
		return b
	}
}

// surroundings are the local models of an output.
type surroundings struct {
	of      *gp.Model
	data    [][]float64
	targets []float64 // NaN: not known
	list    []surrounding
}

// surrounding is a local model, which is made when it is first used.
type surrounding struct {
	holds []bool // of all data
	model func() *gp.Model
}

// at returns the model of the nearData known targets nearest to x, or an earlier one that holds the nearest half of them.
func (s *surroundings) at(x []float64) func() *gp.Model {
	distances, inOrder := make([]float64, len(s.data)), make([]float64, 0, len(s.data))
	scales := s.of.Hyper().Lengthscales
	for i, y := range s.data {
		if math.IsNaN(s.targets[i]) {
			distances[i] = math.NaN() // near nothing
			continue
		}
		for j, l := range scales {
			distances[i] += (y[j] - x[j]) / l * (y[j] - x[j]) / l
		}
		inOrder = append(inOrder, distances[i])
	}
	slices.Sort(inOrder)
	within := func(n int) float64 {
		if n = min(n, len(inOrder)); n == 0 {
			return math.Inf(-1)
		}
		return inOrder[n-1]
	}
	for _, known := range s.list {
		if known.covers(distances, within(nearData/2)) {
			return known.model
		}
	}
	var places []int
	for i, v := range distances { // of equally far ones, the oldest
		if v < within(nearData) {
			places = append(places, i)
		}
	}
	for i, v := range distances {
		if v == within(nearData) && len(places) < min(nearData, len(inOrder)) {
			places = append(places, i)
		}
	}
	slices.Sort(places)
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
