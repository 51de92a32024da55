package model

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/eke-bo/eke/gp"
)

// Settings configure a policy. The zero value works.
type Settings struct {
	// Preset has the choices in which this project and the reference of the method differ. Nil means
	// Default().
	Preset *Preset

	// Fantasies are the fantasy counts m1, m2, … of the policy "bmsei". The other policies ignore them.
	Fantasies []int

	// Design is the number of points of the initial design. 0 means 2(p+1) for p parameters; in the paper's preset 2(d+1) for d
	// coordinates. A negative number means none.
	Design int

	// Parallel is the number of evaluations that may be pending before anything is known, if that is more than the design has points.
	Parallel int

	// Noise is the belief about the noise of evaluations. Nil means that repeated evaluations agree; a little noise stands for
	// what the kernel cannot follow (Preset.NoiseCeiling).
	Noise *gp.Noise

	// CostNoise is the belief about the noise of costs. Nil means that it is like that of the
	// values.
	CostNoise *gp.Noise

	// Threads is the number of goroutines that may work at once. 0 means one for each core. It never changes the result.
	Threads int

	// Memory keeps models from one suggestion to the next. It never changes the result. Nil means that nothing is kept.
	Memory *Memory

	// RawPoints, Starts and Iterations are the effort of one maximisation, MATH.md §6. 0 means the paper's effort:
	// 200d, 10d and 200, where d is the dimension. The default preset has at most 1000 raw points and 20 starts.
	RawPoints, Starts, Iterations int
}

// Noisy returns the belief about evaluations that return another value when they are repeated.
func Noisy() *gp.Noise {
	noise, _ := copied(&gp.Noisy)
	return noise
}

// Effort is that of one maximisation.
type Effort struct{ Raw, Starts, Iterations int }

// mostRaw and mostStarts bound the effort of this project's preset.
const mostRaw, mostStarts = 1000, 20

// Effort returns the settings' effort for a problem of dimension d.
func (s *Settings) Effort(d int) Effort {
	raw, starts := 200*d, 10*d
	if s.Preset.FewStarts { // in many dimensions more searches find hardly more
		raw, starts = min(raw, mostRaw), min(starts, mostStarts)
	}
	return Effort{cmp.Or(max(s.RawPoints, 0), raw), cmp.Or(max(s.Starts, 0), starts), cmp.Or(max(s.Iterations, 0), 200)}
}

// Complete returns a copy of the settings, sharing no memory, with all defaults filled in.
func (s Settings) Complete() (Settings, error) {
	preset := Default()
	if s.Preset != nil {
		preset = *s.Preset
	}
	if preset.Thrift == 0 {
		preset.Thrift = 1
	}
	s.Preset, s.Fantasies = &preset, slices.Clone(s.Fantasies)
	var err error
	if s.Noise, err = copied(s.Noise); err != nil {
		return s, fmt.Errorf("policy: Noise: %w", err)
	}
	if s.CostNoise, err = copied(s.CostNoise); err != nil {
		return s, fmt.Errorf("policy: CostNoise: %w", err)
	}
	if s.Noise == nil {
		s.Noise = preset.Unexplained()
	}
	if s.CostNoise == nil {
		s.CostNoise = s.Noise
	}
	if s.Threads <= 0 {
		s.Threads = runtime.GOMAXPROCS(0)
	}
	return s, nil
}

// Unexplained is the belief about the noise of evaluations that have none. It stands for what the kernel cannot
// follow.
func (p *Preset) Unexplained() *gp.Noise {
	n := gp.Noise{Min: gp.Deterministic.Min, Max: gp.Deterministic.Max}
	if p.NoiseCeiling > 0 {
		n.Max = p.NoiseCeiling
	}
	if p.NoiseFloor > 0 {
		n.Min = math.Min(p.NoiseFloor, n.Max)
	}
	return &n
}

// copied returns a copy that shares no memory, or an error that names what is wrong with it.
func copied(n *gp.Noise) (*gp.Noise, error) {
	if n == nil {
		return nil, nil
	}
	noise := *n
	if noise.Prior != nil {
		prior := *noise.Prior
		noise.Prior = &prior
	}
	return &noise, noise.Check()
}

// Preset is the set of choices in which the method's reference and this project differ, MATH.md §7.
// All code is shared; each field switches one choice.
type Preset struct {
	// LogForm maximises ln Q, which has a gradient where Q vanishes.
	LogForm bool

	// Grown starts the search of a tree from trees grown from good points instead of from blind ones.
	Grown bool

	// Fresh never suggests a point twice when evaluations are deterministic.
	Fresh bool

	// Advance also starts the search from the last tree, advanced by what was observed since.
	Advance bool

	// MeanCost makes paths plan with the expected cost instead of the median.
	MeanCost bool

	// Rollouts is the number of rollouts that the fantasy budget is averaged over.
	Rollouts int

	// Thrift is the exponent of the cost in the policy that is rolled out, as a fraction of EI-PUC-CC's exponent. 0
	// means all of it.
	Thrift float64

	// PriorWeight is the weight of the hyperparameters' prior.
	PriorWeight float64

	// Tails makes forecasts follow Student's t distribution with three degrees of freedom instead of the normal one. Models that
	// are not quite right are wrong by much more often than a normal distribution has it.
	Tails bool

	// Gaussian also models the costs as those of a function that is smooth to all orders.
	Gaussian bool

	// Tied makes values and costs one joint model where they go together.
	Tied bool

	// Learn is the last part of the budget in which noisy evaluations are chosen by what they teach about the best of the tried points.
	Learn float64

	// Floors sets the reference's floors under standard deviations.
	Floors bool

	// Discount is the value of a step of a plan relative to the same step taken one evaluation earlier. 0 means 1.
	Discount float64

	// Warp also models the values after a transformation that makes them more nearly normal.
	Warp bool

	// Straight continues a transformation beyond the values seen as a straight line. A power that draws in a long tail is bounded.
	Straight bool

	// Rough also models the values as those of a function with edges.
	Rough bool

	// Informative is a fraction of the noise variance. A point with less posterior variance than that, whose mean is not
	// above the best value, is not worth an evaluation.
	Informative float64

	// Refit is the growth of the data, as a part of them, after which hyperparameters are searched anew. 0 means after every
	// observation.
	Refit float64

	// Remembers makes a plan keep what the next suggestion goes on from: scales, ties, and how good its forecasts were.
	Remembers bool

	// ManyData models and searches many data in pieces: samples of them for hyperparameters, and those nearby for a local search.
	ManyData bool

	// FewStarts bounds the number of raw points and starts of a search, which otherwise grows with the dimension.
	FewStarts bool

	// Worth is the least chance to beat the best value, by a trial's own forecast, for which it is worth paying. 0 means any.
	Worth float64

	// Stake is the least chance for a trial that costs the whole budget. For cheaper trials it shrinks in proportion, but never
	// below Worth.
	Stake float64

	// ModelBest makes the best value of noisy evaluations what the model says about the best point, instead of the luckiest
	// observation.
	ModelBest bool

	// Luck makes improvement count only as much as a noisy evaluation can tell about it.
	Luck bool

	// Repeats is how often a point is evaluated at most if evaluations have noise. Where the models see nothing to gain elsewhere, they would
	// evaluate the best point again and again. 0 means any number of times.
	Repeats int

	// DesignShare is the fraction of the budget that the initial design may use. 0 means all of it.
	DesignShare float64

	// CheapDesign takes the cheap ones of the points that would do for the initial design, and begins in the middle half of every range.
	CheapDesign bool

	// EndGame makes one-step policies look at what is left. The price of the last tries counts less and less, and a point counts only
	// as much as the chance that it fits.
	EndGame bool

	// EarnFirst is a part of a path's value. A first step that holds less of it is not taken; the path's most
	// valuable step is taken first.
	EarnFirst float64

	// Looks takes looks, where there are several levels of fidelity. Without, every evaluation is at the top.
	Looks bool

	// Related is how far apart two values of a choice among three or more are taken to be, in edges of the cube. 0 means as far as their
	// coordinates are.
	Related float64

	// OtherValues sets how much the model is doubted at a choice's value that few trials have used: standard deviations are multiplied by
	// √(1 + OtherValues/trials), with at least 2 trials counted. It applies to choices among three or more values, and not to those of the
	// best setting. 0 means that nothing is doubted.
	OtherValues float64

	// LooksAhead is the number of looks that may be planned together before an evaluation at the top.
	LooksAhead int

	// Settled searches only among values that a choice has. Between them the models are unsure of what nobody can try.
	Settled bool

	// NoiseFloor and NoiseCeiling are the smallest and the largest noise variance in the model of evaluations without
	// noise. 0 means those of gp.Deterministic.
	NoiseFloor, NoiseCeiling float64
}

// Default returns the choices of this project. They fix the reference's known weaknesses.
func Default() Preset {
	return Preset{LogForm: true, Grown: true, Fresh: true, Advance: true, MeanCost: true, Rollouts: 8, Thrift: 0.5, PriorWeight: 1,
		Discount: 0.9, Warp: true, Rough: true, Gaussian: true, Tails: true, Straight: true, Refit: 0.1, Remembers: true, ManyData: true, FewStarts: true, Worth: 0.009, Stake: 0.1, ModelBest: true, Luck: true, Repeats: 4,
		DesignShare: 0.25, CheapDesign: true, EndGame: true, EarnFirst: 0.2, Settled: true, Related: 0.35, OtherValues: 2, Looks: true, Tied: true, Learn: 0.25, LooksAhead: 8,
		NoiseFloor: 1e-8, NoiseCeiling: 0.1}
}

// Paper returns the choices of the reference implementation, with one difference: its starts are
// independent searches, while the reference's share one search in pairs.
func Paper() Preset {
	return Preset{Rollouts: 1, Thrift: 1, PriorWeight: 2, Floors: true}
}

// DesignSize returns the number of points of the initial design, unless its share of the budget ends it earlier.
func (s *Settings) DesignSize(state *State) int {
	switch {
	case s.Design > 0:
		return s.Design
	case s.Design < 0:
		return 0
	case s.Preset.DesignShare > 0 && state.Parameters > 0:
		return 2 * (state.Parameters + 1)
	}
	return 2 * (state.Dim + 1)
}

// Fitter fits models: the pipeline from observations to models. Its flags say what a policy does not need of them.
type Fitter struct {
	Settings

	// NoLooks says that the policy takes no looks. Then levels are modelled only if there were some.
	NoLooks bool

	// CostsOnly says that, where there are levels, the models only have to say what an evaluation will cost.
	CostsOnly bool

	// Untied says that values and costs are taken for independent.
	Untied bool
}

// NewFitter returns a fitter with all settings filled in.
func NewFitter(s Settings) (*Fitter, error) {
	s, err := s.Complete()
	return &Fitter{Settings: s}, err
}

// TakesLooks says whether looks are taken where there are levels.
func (f *Fitter) TakesLooks() bool { return f.Preset.Looks && !f.NoLooks }

// IsNoisy says whether evaluations return another value when they are repeated.
func (f *Fitter) IsNoisy() bool { return f.Noise.Max > f.Preset.Unexplained().Max }
