package policy

import (
	"errors"
	"fmt"
	"math"
)

// State is the log of a study as numbers. Points are in the unit cube, values are
// maximised, costs come as natural logarithms.
type State struct {
	Dim     int
	X       [][]float64 // evaluated points, oldest first
	Y       []float64   // their values
	LnCost  []float64   // the logs of their costs; NaN where that is not known, but not everywhere
	Pending [][]float64 // points being evaluated elsewhere: value and cost not yet known
	Tried   [][]float64 // points that gave neither value nor cost; not to be suggested again

	Initial   float64 // the whole budget
	Remaining float64 // what is left of it; pending points are not yet paid

	// Where not every point is a setting: Snap returns a setting's own point, Neighbours those of the settings next
	// to one. Nil: every point is its own setting.
	Snap       func(x []float64) []float64
	Neighbours func(x []float64) [][]float64

	Seed     uint64 // of the study
	Trial    int    // how many suggestions were made before this one
	Previous *Plan  // the plan that came with the last suggestion, if it is known
}

// ErrBudgetSpent says that no money is left.
var ErrBudgetSpent = errors.New("budget spent")

// ErrBudgetPending says that what is left will be needed by the pending evaluations.
var ErrBudgetPending = errors.New("the rest of the budget is expected to be used by pending evaluations")

// check names the first thing wrong with a state.
func (s *State) check() error {
	if s.Dim < 1 {
		return fmt.Errorf("policy: dimension is %d, must be at least 1", s.Dim)
	}
	if len(s.Y) != len(s.X) || len(s.LnCost) != len(s.X) {
		return fmt.Errorf("policy: %d points, %d values, %d costs: there must be as many of each", len(s.X), len(s.Y), len(s.LnCost))
	}
	if err := errors.Join(checkPoints("point", s.X, s.Dim), checkPoints("pending point", s.Pending, s.Dim),
		checkPoints("tried point", s.Tried, s.Dim)); err != nil {
		return err
	}
	costs := 0
	for i := range s.X {
		if !finite(s.Y[i]) {
			return fmt.Errorf("policy: value %d is %v, must be finite", i, s.Y[i])
		}
		if !math.IsNaN(s.LnCost[i]) {
			costs++
		}
		if math.IsInf(s.LnCost[i], 0) {
			return fmt.Errorf("policy: log cost %d is %v, must be finite: a cost is above zero", i, s.LnCost[i])
		}
	}
	if len(s.X) > 0 && costs == 0 {
		return fmt.Errorf("policy: none of the %d costs is known, at least one must be", len(s.X))
	}
	if math.IsNaN(s.Remaining) || math.IsNaN(s.Initial) || math.IsInf(s.Initial, 0) || math.IsInf(s.Remaining, 0) {
		return fmt.Errorf("policy: budget is %v of %v, must be finite", s.Remaining, s.Initial)
	}
	if s.Initial < 0 || s.Trial < 0 {
		return fmt.Errorf("policy: initial budget is %v and trial number %d, neither may be negative", s.Initial, s.Trial)
	}
	return nil
}

func checkPoints(name string, points [][]float64, dim int) error {
	for i, x := range points {
		if len(x) != dim {
			return fmt.Errorf("policy: %s %d has %d coordinates, not %d", name, i, len(x), dim)
		}
		for j, v := range x {
			if !(v >= 0 && v <= 1) {
				return fmt.Errorf("policy: %s %d: coordinate %d is %v, outside [0, 1]", name, i, j, v)
			}
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// seed derives an independent seed for one purpose of this suggestion.
func (s *State) seed(purpose uint64) uint64 {
	return mix(mix(s.Seed+purpose*0x9e3779b97f4a7c15) + uint64(s.Trial))
}

// mix is SplitMix64's finaliser (Steele, Lea, Flood 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Purposes of derived seeds.
const (
	seedDesign uint64 = iota + 1
	seedRandom
	seedFit
	seedRaw
	seedBase
	seedRollout
)
