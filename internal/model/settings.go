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
	// Paper makes models, plans and decisions those of the method's reference, MATH.md §7, with one difference: its starts are
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
	if !s.Paper { // in many dimensions more searches find hardly more
		raw, starts = min(raw, mostRaw), min(starts, mostStarts)
	}
	return Effort{cmp.Or(max(s.RawPoints, 0), raw), cmp.Or(max(s.Starts, 0), starts), cmp.Or(max(s.Iterations, 0), 200)}
}

// Complete returns a copy of the settings, sharing no memory, with all defaults filled in.
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
func (f *Fitter) TakesLooks() bool { return !f.Paper && !f.NoLooks }

// IsNoisy says whether evaluations return another value when they are repeated.
func (f *Fitter) IsNoisy() bool { return f.Noise.Max > f.unexplained().Max }
