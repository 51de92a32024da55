package policy

import (
	"errors"
	"fmt"
	"math"
)

// State is the log of a study as numbers. Points are in the unit cube, values are maximised, and
// costs are natural logarithms.
type State struct {
	// Dim is the number of coordinates of a point.
	Dim int

	// Parameters is the number of parameters that the coordinates stand for: a choice has several coordinates. 0 means that every
	// coordinate is a parameter.
	Parameters int

	// Choices are the coordinates of each choice among three values or more, one for each value, in order.
	Choices []Span

	// X are the evaluated points, oldest first.
	X [][]float64

	// Y are their values.
	Y []float64

	// LnCost are the logarithms of their costs. NaN stands for an unknown cost; at least one must be known.
	LnCost []float64

	// Failed are points whose evaluations gave no value, and would not again.
	Failed []Failure

	// Pending are points that are being evaluated elsewhere: their values and costs are not known yet.
	Pending [][]float64

	// Tried are points whose evaluations gave neither value nor cost. They are not suggested again.
	Tried [][]float64

	// Initial is the whole budget, and Remaining what is left of it. Pending points are not yet paid
	// for.
	Initial, Remaining float64

	// Snap returns the point of the setting that x stands for. It is for spaces where not every point is a setting of its
	// own, such as those with whole numbers. Nil means that every point is.
	Snap func(x []float64) []float64

	// Feasible says whether the setting of a point may be tried. Only such settings are suggested. Nil means that all may.
	Feasible func(x []float64) bool

	// Neighbours returns the points of the settings next to that of x. Nil means that settings have no
	// neighbours.
	Neighbours func(x []float64) [][]float64

	// Prior is what an earlier, similar study found. Nil means that there is none.
	Prior *Prior

	// Levels are the levels of fidelity that can be evaluated, from the lowest up; the last is 1, the top. Nil means that there is
	// one. X, Pending, Failed and Tried are evaluations at the top.
	Levels []float64

	// Looks are the evaluations below the top, oldest first, and Looking those that are under way, whose values and costs are not
	// known yet.
	Looks, Looking []Look

	// Stopped are evaluations that were stopped early, with the levels that they were on their way to. What they showed before is in Looks.
	Stopped []Look

	// Resume says that an evaluation goes on where the highest look at its point ended, and costs the difference. LnCost of all
	// evaluations and looks is what they cost from the beginning.
	Resume bool

	// Seed is the study's seed for all random choices.
	Seed uint64

	// Trial is the number of suggestions that were made before this one.
	Trial int

	// Previous is the plan that came with the last suggestion. Nil means that it is not known.
	Previous *Plan
}

// Failure is an evaluation that gave no value.
type Failure struct {
	// X is the point.
	X []float64

	// LnCost is the logarithm of its cost. NaN stands for an unknown cost.
	LnCost float64
}

// ErrBudgetSpent says that no money is left.
var ErrBudgetSpent = errors.New("budget spent")

// ErrBudgetPending says that the pending evaluations will need what is left.
var ErrBudgetPending = errors.New("the rest of the budget is expected to be used by pending evaluations")

// ErrNothingKnown says that there is no result yet, and that as many evaluations are pending as is reasonable until there is one.
var ErrNothingKnown = errors.New("nothing is known of costs yet, and enough evaluations are pending")

// check returns an error that names the first thing wrong with a state.
func (s *State) check() error {
	if s.Dim < 1 {
		return fmt.Errorf("policy: dimension is %d, must be at least 1", s.Dim)
	}
	if len(s.Y) != len(s.X) || len(s.LnCost) != len(s.X) {
		return fmt.Errorf("policy: %d points, %d values, %d costs: there must be as many of each", len(s.X), len(s.Y), len(s.LnCost))
	}
	if err := errors.Join(checkPoints("point", s.X, s.Dim), checkPoints("pending point", s.Pending, s.Dim),
		checkPoints("tried point", s.Tried, s.Dim), checkPoints("failed point", s.failures(), s.Dim), s.Prior.check(s.Dim)); err != nil {
		return err
	}
	if err := s.checkLevels(); err != nil {
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
	for _, l := range s.Looks {
		if !math.IsNaN(l.LnCost) {
			costs++
		}
	}
	for i, f := range s.Failed {
		if math.IsInf(f.LnCost, 0) {
			return fmt.Errorf("policy: log cost %v of failure %d, must be finite", f.LnCost, i)
		}
		if !math.IsNaN(f.LnCost) {
			costs++
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
func (s *State) seed(purpose uint64) uint64 { return s.seedAt(purpose, s.Trial) }

// fitSeed is the seed of the models' fits. Suggestions between two results share it, so that they share the models.
func (s *State) fitSeed() uint64 { return s.seedAt(seedFit, s.Trial-len(s.Pending)-len(s.Looking)) }

func (s *State) seedAt(purpose uint64, trial int) uint64 {
	return mix(mix(s.Seed+purpose*0x9e3779b97f4a7c15) + uint64(trial))
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
	seedGain
	seedLook
)
