package model

import (
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

// ExactData is the number of data up to which searches use all of them, and nearData how many a local search uses.
const ExactData, nearData = 200, 200

// IsLarge says whether there are too many data for an exact search.
func (m *Models) IsLarge() bool {
	return m.Preset.ManyData && len(m.X) > ExactData && !m.IsLeveled()
}

// Near returns what returns the belief with models of the data around x. What is assumed about pending points counts as data.
func (d *Beliefs) Near(x []float64) func() acq.Belief {
	if d.nearby[0] == nil {
		d.nearby[0] = &surroundings{of: d.Objective, data: slices.Concat(d.X, d.assumed.points), targets: slices.Concat(d.Values, d.assumed.values)}
		d.nearby[1] = &surroundings{of: d.LogCost, data: slices.Concat(d.costX, d.assumed.points), targets: slices.Concat(d.lnCosts, d.assumed.lnCosts)}
	}
	objective, lnCost := d.nearby[0].at(x), d.nearby[1].at(x)
	return func() acq.Belief {
		b := d.Belief
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
