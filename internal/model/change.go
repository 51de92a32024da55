package model

import (
	"slices"

	"github.com/eke-bo/eke/acq"
)

// Change says what it costs to get ready for the next evaluation, at its place, on top of the evaluation's own cost: an oven has to be heated. The costs in State
// are without it.
type Change struct {
	// Setup returns the price of going from what is set now to a point.
	Setup acq.Setup

	// Between returns the expected price of going from one point to another.
	Between func(from, to []float64) float64

	// At is the current setting; nil: unknown, and there is nothing to keep. Keep has a list for each price: the coordinates that must stay as in At to
	// avoid the price.
	At   []float64
	Keep [][]int

	// Pending is the money that the evaluations under way are expected to pay for getting ready.
	Pending float64
}

// mostSubsets is the number of prices up to which every combination of what may be kept is searched. With more prices, searches keep the coordinates of all prices,
// or of all but one.
const mostSubsets = 3

// Keeps lists the sets of coordinates that searches keep as they are. A price that is paid for any change at all falls to zero at a single value, where no
// gradient leads; so searches that stay there have to begin there.
func (s *State) Keeps() (list [][]int) {
	if s.Change == nil || s.Change.At == nil {
		return nil
	}
	n := len(s.Change.Keep)
	add := func(kept func(i int) bool) {
		var set []int
		for i, coordinates := range s.Change.Keep {
			if kept(i) {
				set = append(set, coordinates...)
			}
		}
		if slices.Sort(set); len(set) > 0 {
			list = append(list, slices.Compact(set))
		}
	}
	if n <= mostSubsets {
		for mask := 1<<n - 1; mask > 0; mask-- {
			add(func(i int) bool { return mask>>i&1 == 1 })
		}
		return list
	}
	add(func(int) bool { return true })
	for left := range n {
		add(func(i int) bool { return i != left })
	}
	return list
}

// Kept returns the settings of points with some coordinates kept as they are now, if these settings are allowed.
func (s *State) Kept(points [][]float64, coordinates []int) (list [][]float64) {
	for _, x := range points {
		x = slices.Clone(x)
		for _, j := range coordinates {
			x[j] = s.Change.At[j]
		}
		if x = s.Setting(x); s.Allows(x) {
			list = append(list, x)
		}
	}
	return list
}

// setup is what it costs to get ready for an evaluation; nil: nothing.
func (s *State) setup() acq.Setup {
	if s.Change == nil {
		return nil
	}
	return s.Change.Setup
}

// Charged returns a prediction with what it costs to get ready for its point.
func (m *Models) Charged(p Prediction) Prediction {
	setup := m.setup()
	if setup == nil || !p.Known {
		return p
	}
	amount, sd := setup(nil, p.X)
	ln, lnSD := acq.AddSetup(p.LnCost, p.LnCostSD, amount, sd)
	with := NewPrediction(m.Warp, Bound{}, p.X, 0, 0, ln, lnSD, m.Remaining)
	p.LnCost, p.LnCostSD, p.Cost, p.CostSD, p.Fits = ln, lnSD, with.Cost, with.CostSD, with.Fits
	return p
}
