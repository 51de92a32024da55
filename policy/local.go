package policy

import (
	"context"
	"math"
	"slices"

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
	return p.Preset.Refit > 0 && len(d.X) > exactData && !d.isLeveled()
}

// maximiseLocally is maximiseOneStep for many data.
func (p *policy) maximiseLocally(ctx context.Context, function acquisition, d *decision, e effort, seed uint64) maximise.Result {
	points := d.feasibleOf(maximise.RawPoints(min(e.raw, largeRaw), d.Dim, seed))
	settled := p.settles(d)
	if settled {
		points = d.settings(points)
	}
	values := function(d.belief, d).Log().Values(points)
	starts := maximise.Pick(points, startPicker(function(d.belief, d))(values, min(e.starts, largeStarts), seed))
	starts = append(starts, d.incumbent)
	if settled {
		starts = append(starts, d.otherValues(d.incumbent)...)
	}
	limits := maximise.Limits{Iterations: e.iterations, Threads: p.Threads, Tolerance: maximise.LogTolerance}
	return maximise.FromEach(ctx, starts, p.Threads, func() func(*maximise.Peak) int {
		return func(peak *maximise.Peak) (evaluations int) {
			local := maximise.Func(function(d.near(peak.X), d).Log().Eval)
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
		return func(x []float64) float64 { return function(d.near(x), d).Log().Eval(nil, x) }
	}
	log := function(d.belief, d).Log()
	return func(x []float64) float64 { return log.Eval(nil, x) }
}

// near returns the belief with models of the data nearest to x. What is assumed about pending points counts as data.
func (d *decision) near(x []float64) acq.Belief {
	b := d.belief
	b.Objective = nearModel(d.objective, slices.Concat(d.X, d.assumed.points), slices.Concat(d.values, d.assumed.values), x)
	b.LnCost = nearModel(d.lnCost, slices.Concat(d.costX, d.assumed.points), slices.Concat(d.lnCosts, d.assumed.lnCosts), x)
	return b
}

// nearModel returns a model like m of the known targets nearest to x.
func nearModel(m *gp.Model, data [][]float64, targets, x []float64) *gp.Model {
	h := m.Hyper()
	distances, known := make([]float64, len(data)), make([]int, 0, len(data))
	for i, y := range data {
		if math.IsNaN(targets[i]) {
			continue
		}
		for j, l := range h.Lengthscales {
			distances[i] += (y[j] - x[j]) / l * (y[j] - x[j]) / l
		}
		known = append(known, i)
	}
	slices.SortStableFunc(known, func(a, b int) int { return maximise.Descending(distances[b], distances[a]) })
	known = known[:min(nearData, len(known))]
	slices.Sort(known)
	return m.Like(maximise.Pick(data, known), maximise.Pick(targets, known), h)
}
