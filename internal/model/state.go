package model

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/eke-bo/eke/internal/front"
	"github.com/eke-bo/eke/internal/maximise"
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
	// Switches are the coordinates of choices between two values: 0 is one of them, and 1 the other.
	Switches []int

	// X are the evaluated points, oldest first.
	X [][]float64

	// Y are their values.
	Y []float64

	// LnCost are the logarithms of their costs. NaN stands for an unknown cost. Where there are evaluations, the cost of one of them, of a
	// look or of a failure must be known.
	LnCost []float64

	// Further are quantities with limits that the evaluations reported, too.
	Further []Quantity

	// Aims are further objectives, which are maximised beside the values: their Least is the worst that counts. There are one or two of them, or none.
	// With them, a value in Y may be missing, too, and is NaN.
	Aims []Quantity

	// Worst is the worst value that counts. It matters only if there are Aims.
	Worst float64

	// Found says, by objective, that the worst that counts was found from results. A result beyond it is on the front, but adds nothing to the hypervolume.
	Found []bool

	// Bounds are what the objectives can be, in their order, the value first. Nil means that nothing is known of that. Forecasts and decisions keep to them.
	Bounds []Bound

	// Misses says which evaluations do not meet the limits, or are not known to meet them: the best value is the best of the others. Nil means that all
	// do. With noise, the models of the quantities say so instead.
	Misses []bool

	// Lacks says which evaluations do not meet, or are not known to meet, a limit on a quantity that too few have reported for a model in Further. Nil means that
	// there is no such limit.
	Lacks []bool

	// Failed are points whose evaluations gave no value, and would not again.
	Failed []Failure

	// FailedCost are the logarithms of the costs of failures, from which the costs of other failures are forecast. NaN stands for an unknown cost. Nil means
	// the costs in Failed.
	FailedCost []float64

	// FailedInRow is the number of evaluations that have failed since the last one that had a value.
	FailedInRow int

	// Pending are points that are being evaluated elsewhere: their values and costs are not known yet.
	Pending [][]float64

	// Tried are points that tell the models nothing: neither their values nor their costs are used. They are not suggested again, unless
	// evaluations have noise.
	Tried [][]float64

	// Initial is the whole budget, and Remaining what is left of it. Pending points are not yet paid
	// for.
	Initial, Remaining float64

	// Snap returns the point of the setting that x stands for. It is for spaces where not every point is a setting of its
	// own, such as those with whole numbers. Nil means that every point is.
	Snap func(x []float64) []float64

	// Held says that Snap gives some parameters the same values everywhere, whatever a point has there. Searches keep to them.
	Held bool

	// Feasible says whether the setting of a point may be tried. Only such settings are suggested. Nil means that all may.
	Feasible func(x []float64) bool

	// Neighbours returns the points of the settings next to the setting of x. Nil means that settings have no
	// neighbours.
	Neighbours func(x []float64) [][]float64

	// Earlier is what an earlier, similar study found. Nil means that there is none.
	Earlier *Earlier

	// Levels are the levels of fidelity that can be evaluated, from the lowest up; the last is 1, the top. Nil means that there is
	// one. X and Pending are evaluations at the top. Failed and Tried may be of any level.
	Levels []float64

	// Share returns the fidelity of a level as a fraction of the highest. Nil means that it is not known.
	Share func(level float64) float64

	// Looks are the evaluations below the top, oldest first, and Looking the looks under way, whose values and costs are not
	// known yet.
	Looks, Looking []Look

	// Stopped are evaluations that were stopped early, with the levels that they were on their way to. What they showed before is in Looks.
	Stopped []Look

	// Resume says that an evaluation goes on where the highest look at its point ended, unless that was elsewhere, and costs the difference. LnCost of all
	// evaluations and looks is what they cost from the beginning.
	Resume bool

	// Change says what it costs to get ready for the next evaluation. Nil means that it costs nothing.
	Change *Change

	// Seed is the study's seed for all random choices.
	Seed uint64

	// Trial is the number of suggestions that were made before this one.
	Trial int

	// Previous is the plan that came with the last suggestion. Nil means that it is not known.
	Previous *Plan
}

// Quantity is a number with a limit, or a further objective, that evaluations report besides their values and costs.
type Quantity struct {
	// Name tells it from others. What a plan knows of a quantity is used only for one of the same name.
	Name string

	// Y are the numbers that were reported at the points of the evaluations. NaN stands for a number that is not known.
	Y []float64

	// Looks are the numbers that the looks reported, in their order. Nil means that none is known.
	Looks []float64

	// Earlier are the numbers that the evaluations of an earlier study reported, and then the numbers of its looks. Nil means that none is known.
	Earlier []float64

	// Least is the limit: an evaluation counts only if the quantity is not less. For an upper limit both signs are flipped, like the
	// signs of values to minimise.
	Least float64

	// Most is the upper end of a limit that is a range. Nil means that there is none.
	Most *float64

	// Sign is 1 where the numbers are logarithms, −1 where they are the negatives of logarithms, and 0 elsewhere. Logarithms may follow a law; see gp.Law.
	Sign float64
}

// Meets says whether a number is within the limit. What is not known is not.
func (q Quantity) Meets(y float64) bool { return y >= q.Least && (q.Most == nil || y <= *q.Most) }

// Bound has the lowest and the highest possible value of a number. Nil means that there is no such bound. Values are as in State: high ones are good.
type Bound struct{ Least, Most *float64 }

// Clip returns the number within the bound that is next to v.
func (b Bound) Clip(v float64) float64 {
	if b.Least != nil {
		v = math.Max(v, *b.Least)
	}
	if b.Most != nil {
		v = math.Min(v, *b.Most)
	}
	return v
}

func (b Bound) check() error {
	if b.Least != nil && !Finite(*b.Least) || b.Most != nil && !Finite(*b.Most) || b.Least != nil && b.Most != nil && !(*b.Least < *b.Most) {
		return errors.New("policy: a bound of an objective must be finite, and the least below the most")
	}
	return nil
}

// Bound returns what an objective can be.
func (s *State) Bound(objective int) Bound {
	if objective < len(s.Bounds) {
		return s.Bounds[objective]
	}
	return Bound{}
}

// checkQuantities returns an error that names the first thing wrong with the quantities of this many points.
func checkQuantities(list []Quantity, points int, looks ...Look) error {
	for i, q := range list {
		if q.Looks != nil && (len(q.Looks) != len(looks) || slices.ContainsFunc(q.Looks, func(v float64) bool { return math.IsInf(v, 0) })) {
			return fmt.Errorf("policy: further quantity %d: there are %d numbers for %d looks; give one for each, none infinite", i, len(q.Looks), len(looks))
		}
		if q.Most != nil && !(q.Least <= *q.Most) {
			return fmt.Errorf("policy: further quantity %d: the limit is from %v to %v", i, q.Least, *q.Most)
		}
		if len(q.Y) != points || math.IsNaN(q.Least) || slices.ContainsFunc(q.Y, func(v float64) bool { return math.IsInf(v, 0) }) {
			return fmt.Errorf("policy: further quantity %d: there are %d numbers for %d points and the limit is %v; give one number for each point, none infinite, and a limit that is not NaN",
				i, len(q.Y), points, q.Least)
		}
	}
	return nil
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

// Look is an evaluation below the top.
type Look struct {
	// X is the point.
	X []float64

	// Level is its level: 0 is the lowest and 1 the top.
	Level float64

	// Y is its value, and LnCost the logarithm of its cost. NaN stands for an unknown cost.
	Y, LnCost float64

	// Step says that nobody chose it: it is a value that another evaluation had on its way. LnCost is what that had cost until then.
	Step bool

	// Elsewhere says that it was run elsewhere, so that no evaluation can go on from it.
	Elsewhere bool
}

// Earlier is what an earlier, similar study found. Where it predicts the new study, the models follow it; see earlier.go. It must
// not be changed once it is in use, and is safe for concurrent use.
type Earlier struct {
	// X are the points of its evaluations, in the cube of the new study.
	X [][]float64

	// Y are their values, of which high ones are good.
	Y []float64

	// LnCost are the logarithms of their costs. NaN stands for an unknown cost.
	LnCost []float64

	// Aims are its further objectives, in the order of the new study's. What it does not know is NaN; its worst does not matter.
	Aims []Quantity

	// Looks are its evaluations below the top of the new study.
	Looks []Look

	// Misses says which evaluations do not meet the new study's limits. Nil means that all do.
	Misses []bool

	// Noisy says that its evaluations had noise.
	Noisy bool

	mu     sync.Mutex
	fitted *Fitted // fitted once; nil before
}

// leastEarlier is the number of results below which an earlier study says nothing, and mostEarlier how many of them are modelled. The
// models are asked at every point that a search looks at.
const leastEarlier, mostEarlier = 4, 400

// usable says whether there are enough results to learn from.
func (e *Earlier) usable() bool { return e != nil && len(e.X) >= leastEarlier }

func (e *Earlier) check(dim int) error {
	if e == nil {
		return nil
	}
	if len(e.Y) != len(e.X) || len(e.LnCost) != len(e.X) {
		return fmt.Errorf("policy: %d earlier points, %d values, %d costs: there must be as many of each", len(e.X), len(e.Y), len(e.LnCost))
	}
	for i, v := range e.Y {
		if !Finite(v) || math.IsInf(e.LnCost[i], 0) {
			return fmt.Errorf("policy: earlier result %d is %v at a log cost of %v, must be finite", i, v, e.LnCost[i])
		}
	}
	for i, l := range e.Looks {
		if err := checkPoints("earlier look", [][]float64{l.X}, dim); err != nil || !Finite(l.Y) || math.IsInf(l.LnCost, 0) || !(l.Level >= 0 && l.Level < 1) {
			return errors.Join(fmt.Errorf("policy: earlier look %d is %v on level %v at a log cost of %v; the level must be in [0, 1), the others finite", i, l.Y, l.Level, l.LnCost), err)
		}
	}
	if e.Misses != nil && len(e.Misses) != len(e.X) {
		return fmt.Errorf("policy: %d earlier points, and for %d of them is said whether they meet the limits", len(e.X), len(e.Misses))
	}
	return errors.Join(checkPoints("earlier point", e.X, dim), checkQuantities(e.Aims, len(e.X)))
}

// Span is a range of coordinates that belong together, such as the coordinates of one parameter.
type Span struct {
	// From is the first of them, and To the one after the last.
	From, To int
}

// Check returns an error that names the first thing wrong with a state.
func (s *State) Check() error {
	if s.Dim < 1 {
		return fmt.Errorf("policy: dimension is %d, must be at least 1", s.Dim)
	}
	if len(s.Y) != len(s.X) || len(s.LnCost) != len(s.X) {
		return fmt.Errorf("policy: %d points, %d values, %d costs: there must be as many of each", len(s.X), len(s.Y), len(s.LnCost))
	}
	if err := errors.Join(checkPoints("point", s.X, s.Dim), checkPoints("pending point", s.Pending, s.Dim),
		checkPoints("tried point", s.Tried, s.Dim), checkPoints("failed point", s.Failures(), s.Dim), s.Earlier.check(s.Dim), checkQuantities(s.Further, len(s.X), s.Looks...), s.checkAims()); err != nil {
		return err
	}
	for _, b := range s.Bounds {
		if err := b.check(); err != nil {
			return err
		}
	}
	if s.Misses != nil && len(s.Misses) != len(s.X) {
		return fmt.Errorf("policy: %d points, and for %d of them is said whether they meet the limits", len(s.X), len(s.Misses))
	}
	if s.Lacks != nil && len(s.Lacks) != len(s.X) {
		return fmt.Errorf("policy: %d points, and for %d of them is said whether they meet the limits without models", len(s.X), len(s.Lacks))
	}
	if err := s.checkLevels(); err != nil {
		return err
	}
	costs := slices.Clone(s.LnCost)
	for i, v := range costs {
		if !Finite(s.Y[i]) && !(math.IsNaN(s.Y[i]) && s.HasAims()) {
			return fmt.Errorf("policy: value %d is %v, must be finite", i, s.Y[i])
		}
		if math.IsInf(v, 0) {
			return fmt.Errorf("policy: log cost %d is %v, must be finite: a cost is above zero", i, v)
		}
	}
	for _, l := range s.Looks {
		costs = append(costs, l.LnCost)
	}
	for i, f := range s.Failed {
		if costs = append(costs, f.LnCost); math.IsInf(f.LnCost, 0) {
			return fmt.Errorf("policy: log cost %v of failure %d, must be finite", f.LnCost, i)
		}
	}
	if s.FailedCost != nil && len(s.FailedCost) != len(s.Failed) || slices.ContainsFunc(s.FailedCost, func(v float64) bool { return math.IsInf(v, 0) }) {
		return fmt.Errorf("policy: %d costs of %d failures: there must be as many, none infinite", len(s.FailedCost), len(s.Failed))
	}
	if len(s.X) > 0 && !slices.ContainsFunc(costs, Finite) {
		return fmt.Errorf("policy: none of the %d costs is known, at least one must be", len(s.X))
	}
	if !Finite(s.Remaining) || !Finite(s.Initial) {
		return fmt.Errorf("policy: budget is %v of %v, must be finite", s.Remaining, s.Initial)
	}
	if s.Initial < 0 || s.Trial < 0 {
		return fmt.Errorf("policy: initial budget is %v and trial number %d, neither may be negative", s.Initial, s.Trial)
	}
	return nil
}

// checkLevels returns an error that names the first thing wrong with the levels and the looks.
func (s *State) checkLevels() error {
	if s.Levels == nil {
		if len(s.Looks)+len(s.Looking) > 0 {
			return errors.New("policy: there are looks, but no levels")
		}
		return nil
	}
	if len(s.Levels) < 2 || !slices.IsSorted(s.Levels) || s.Levels[0] < 0 || s.Levels[len(s.Levels)-1] != 1 {
		return fmt.Errorf("policy: levels are %v, must rise from 0 or more to 1", s.Levels)
	}
	for i, l := range slices.Concat(s.Looks, s.Looking) {
		if err := checkPoints("look", [][]float64{l.X}, s.Dim); err != nil {
			return err
		}
		if !(l.Level >= 0 && l.Level < 1) || !Finite(l.Y) || math.IsInf(l.LnCost, 0) {
			return fmt.Errorf("policy: look %d has level %v, value %v and log cost %v; the level must be in [0, 1), the value finite, the log cost not infinite",
				i, l.Level, l.Y, l.LnCost)
		}
	}
	return nil
}

func (s *State) checkAims() error {
	switch {
	case len(s.Aims) >= front.Most:
		return fmt.Errorf("policy: there are %d objectives, must be at most %d", 1+len(s.Aims), front.Most)
	case slices.ContainsFunc(s.Aims, func(q Quantity) bool {
		return s.Levels != nil && len(s.X)+len(s.Looks) > 0 && !slices.ContainsFunc(slices.Concat(q.Y, q.Looks), Finite)
	}):
		return errors.New("policy: nothing is known of a further objective; leave the objectives out until something is")
	case s.HasAims() && s.Earlier != nil && len(s.Earlier.Aims) != len(s.Aims): // before there is a result, objectives may be unknown
		return fmt.Errorf("policy: the earlier study has %d further objectives, and this one %d", len(s.Earlier.Aims), len(s.Aims))
	case slices.ContainsFunc(s.Reference(), func(v float64) bool { return !Finite(v) }):
		return fmt.Errorf("policy: the worst that counts is %v, must be finite", s.Reference())
	}
	return checkQuantities(s.Aims, len(s.X), s.Looks...)
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

// Failures returns the points of the failures.
func (s *State) Failures() [][]float64 {
	points := make([][]float64, len(s.Failed))
	for i, f := range s.Failed {
		points[i] = f.X
	}
	return points
}

// ChosenLooks is the number of looks that were chosen, with those under way.
func (s *State) ChosenLooks() int {
	n := len(s.Looking)
	for _, l := range s.Looks {
		if !l.Step {
			n++
		}
	}
	return n
}

// LookedAt returns the points that were looked at on a level or higher.
func (s *State) LookedAt(level float64) (points [][]float64) {
	for _, l := range slices.Concat(s.Looks, s.Looking) {
		if l.Level >= level {
			points = append(points, l.X)
		}
	}
	return points
}

// Constraints between parameters make a part of the cube infeasible. The models know nothing of them: what would be found there can be
// predicted, but not tried.

// Allows says whether a point may be suggested.
func (s *State) Allows(x []float64) bool { return s.Feasible == nil || s.Feasible(x[:s.Dim]) }

// Allowed returns the points whose settings may be tried, or all points if there are none such.
func (s *State) Allowed(points [][]float64) [][]float64 {
	if s.Feasible == nil {
		return points
	}
	if list := slices.DeleteFunc(slices.Clone(points), func(x []float64) bool { return !s.Feasible(s.Setting(x)) }); len(list) > 0 {
		return list
	}
	return points
}

// Setting returns the point of the setting that x stands for.
func (s *State) Setting(x []float64) []float64 {
	if s.Snap == nil {
		return x
	}
	return s.Snap(x)
}

// NearPoint draws a point around another: at any scale from a thousandth of the lengthscales to half of them, and often along a few
// coordinates only.
func NearPoint(x, lengthscales []float64, rng *rand.Rand) []float64 {
	const nearest, farthest, along, whole = 1e-3, 0.5, 0.3, 0.6
	scale := nearest * math.Pow(farthest/nearest, rng.Float64())
	all := rng.Float64() < whole
	y := slices.Clone(x)
	for j := range y {
		if all || rng.Float64() < along {
			y[j] = min(max(y[j]+scale*math.Min(lengthscales[j], 2)*rng.NormFloat64(), 0), 1)
		}
	}
	return y
}

// SameDistance is the distance below which two points count as one: a millionth of the cube's edge.
const SameDistance = 1e-6

// IsNew says whether a point is none of the given ones.
func IsNew(x []float64, points ...[]float64) bool { return maximise.FarFrom(points, x, SameDistance) }

// Highest returns the index of the highest value, and the earliest among equals.
func Highest(values []float64) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}

// Finite says whether v is a number.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func allFinite(list ...float64) bool {
	return !slices.ContainsFunc(list, func(v float64) bool { return !Finite(v) })
}

// Capped returns the finite number next to v, so that it can be written as JSON. NaN stays NaN.
func Capped(v float64) float64 { return math.Min(math.Max(v, -math.MaxFloat64), math.MaxFloat64) }

// SeedFor derives an independent seed for one purpose of this suggestion.
func (s *State) SeedFor(purpose uint64) uint64 { return s.seedAt(purpose, s.Trial) }

// fitSeed is the seed of the models' fits. Suggestions between two results share it, so that they share the models.
func (s *State) fitSeed() uint64 { return s.seedAt(SeedFit, s.Trial-len(s.Pending)-len(s.Looking)) }

func (s *State) seedAt(purpose uint64, trial int) uint64 {
	return Mix(Mix(s.Seed+purpose*0x9e3779b97f4a7c15) + uint64(trial))
}

// Mix is SplitMix64's finaliser (Steele, Lea, Flood 2014).
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Purposes of derived seeds.
const (
	SeedDesign uint64 = iota + 1
	SeedRandom
	SeedFit
	SeedRaw
	SeedBase
	SeedRollout
	SeedGain
	SeedLook
	SeedRest uint64 = 0x72657374
)
