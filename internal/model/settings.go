package model

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"github.com/eke-bo/eke/gp"
)

// Settings configure a policy. The zero value works.
type Settings struct {
	// Paper makes models, plans and decisions like the method's reference, MATH.md §7, with one difference: its starts are
	// independent searches, while the reference's share one search in pairs.
	Paper bool

	// LongShots also suggests points that have next to no chance to beat the best value.
	LongShots bool

	// Fantasies are the fantasy counts m1, m2, … of the policy "bmsei". The other policies ignore them.
	Fantasies []int

	// Design is the number of points of the initial design. 0 means 2(p+1) for p parameters; in the paper's preset 2(d+1) for d
	// coordinates. A negative number means none.
	Design int

	// Parallel is the number of evaluations that may be pending before anything is known, if that is more than the design has points.
	Parallel int

	// Noise is the belief about the noise of evaluations. Nil means that repeated evaluations agree; a little noise stands for
	// what the kernel cannot follow.
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

	// Haste is for quick evaluations: 0 takes the usual time for a suggestion, 1 about a quarter of it, and 2 a tenth.
	Haste int
}

// Noisy returns the belief about evaluations that return another value when they are repeated.
func Noisy() *gp.Noise {
	noise, _ := copied(&gp.Noisy)
	return noise
}

// Effort is the effort of one maximisation.
type Effort struct{ Raw, Starts, Iterations int }

// pace bounds the work of a suggestion in this project's preset.
type pace struct {
	raw, starts int     // the most of one maximisation
	refit       float64 // the growth of the data, as a part of them, after which hyperparameters are searched anew
	parts       [3]int  // the most data that candidates are compared by, that a search for hyperparameters uses, and that a model holds
	leveled     int     // the most observations of all levels that a model holds. Looks may be many; those at the top all count
	ahead       int     // the number of looks that may be planned together
}

// paces are by haste. A search for hyperparameters, and looks that are planned together, take most of the time (bench/NOTES.md, quick trials).
var paces = [...]pace{
	{1000, 20, 0.1, [3]int{120, 250, 2000}, 200, 8},
	{500, 10, 0.3, [3]int{80, 120, 500}, 120, 2},
	{200, 5, 1, [3]int{50, 80, 200}, 80, 1},
}

func (s *Settings) pace() *pace { return &paces[min(max(s.Haste, 0), len(paces)-1)] }

// LooksAhead is the number of looks that may be planned together before an evaluation at the top.
func (s *Settings) LooksAhead() int { return s.pace().ahead }

// Effort returns the settings' effort for a problem of dimension d.
func (s *Settings) Effort(d int) Effort {
	raw, starts := 200*d, 10*d
	if !s.Paper { // in many dimensions more searches find hardly more
		raw, starts = min(raw, s.pace().raw), min(starts, s.pace().starts)
	}
	return Effort{cmp.Or(max(s.RawPoints, 0), raw), cmp.Or(max(s.Starts, 0), starts), cmp.Or(max(s.Iterations, 0), 200)}
}

// Complete returns a copy of the settings with all defaults filled in. The two share nothing but Memory.
func (s Settings) Complete() (Settings, error) {
	s.Fantasies = slices.Clone(s.Fantasies)
	var err error
	if s.Noise, err = copied(s.Noise); err != nil {
		return s, fmt.Errorf("policy: Noise: %w", err)
	}
	if s.CostNoise, err = copied(s.CostNoise); err != nil {
		return s, fmt.Errorf("policy: CostNoise: %w", err)
	}
	if s.Noise == nil {
		s.Noise = s.unexplained()
	}
	if s.CostNoise == nil {
		s.CostNoise = s.Noise
	}
	if s.Threads <= 0 {
		s.Threads = runtime.GOMAXPROCS(0)
	}
	return s, nil
}

// The least and the largest noise variance in the model of evaluations without noise. It stands for what the kernel cannot follow.
const noiseFloor, noiseCeiling = 1e-8, 0.1

// unexplained is the belief about the noise of evaluations that have none.
func (s *Settings) unexplained() *gp.Noise {
	if s.Paper {
		return &gp.Noise{Min: gp.Deterministic.Min, Max: gp.Deterministic.Max}
	}
	return &gp.Noise{Min: noiseFloor, Max: noiseCeiling}
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

// DesignSize returns the number of points of the initial design, unless its share of the budget ends it earlier.
func (s *Settings) DesignSize(state *State) int {
	switch {
	case s.Design > 0:
		return s.Design
	case s.Design < 0:
		return 0
	case !s.Paper && state.Parameters > 0:
		return 2 * (state.Parameters + 1)
	}
	return 2 * (state.Dim + 1)
}

// Fitter fits models to observations. Its flags say what a policy does not need.
type Fitter struct {
	Settings

	// NoLooks says that the policy takes no looks. Then levels are modelled only if there were some.
	NoLooks bool

	// CostsOnly says that, where there are levels, the models only have to say what an evaluation will cost.
	CostsOnly bool

	lawless bool // nothing follows a law
}

// NewFitter returns a fitter with all settings filled in.
func NewFitter(s Settings) (*Fitter, error) {
	s, err := s.Complete()
	return &Fitter{Settings: s}, err
}

// TakesLooks says whether looks are taken where there are levels.
func (f *Fitter) TakesLooks() bool { return !f.Paper && !f.NoLooks }

// IsNoisy says whether evaluations return another value when they are repeated.
func (f *Fitter) IsNoisy() bool { return f.Noise.Max > f.unexplained().Max }
