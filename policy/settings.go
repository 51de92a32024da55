package policy

import (
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

	// Design is the number of points of the initial design. 0 means 2(d+1), a negative number means none.
	Design int

	// Parallel is the number of evaluations that may be pending before anything is known, if that is more than the design has points.
	Parallel int

	// Noise is the belief about the noise of evaluations. Nil means that there is practically none.
	Noise *gp.Noise

	// CostNoise is the belief about the noise of costs. Nil means that it is like that of the
	// values.
	CostNoise *gp.Noise

	// Threads is the number of goroutines that may work at once. 0 means one for each core. It never changes the result.
	Threads int

	// Memory keeps models from one suggestion to the next. It never changes the result. Nil means that nothing is kept.
	Memory *Memory

	// RawPoints, Starts and Iterations are the effort of one maximisation, MATH.md §6. 0 means the paper's effort:
	// 200d, 10d and 200, where d is the dimension.
	RawPoints, Starts, Iterations int
}

// Noisy returns the belief about evaluations that return another value when they are repeated.
func Noisy() *gp.Noise {
	noise, prior := gp.Noisy, *gp.Noisy.Prior
	noise.Prior = &prior
	return &noise
}

// effort of one maximisation.
type effort struct{ raw, starts, iterations int }

// mostRaw and mostStarts bound the effort of this project's preset.
const mostRaw, mostStarts = 1000, 20

// effort returns the settings' effort for a problem of dimension d.
func (s *Settings) effort(d int) effort {
	or := func(chosen, usual int) int {
		if chosen > 0 {
			return chosen
		}
		return usual
	}
	raw, starts := 200*d, 10*d
	if s.Preset.FewStarts { // in many dimensions more searches find hardly more
		raw, starts = min(raw, mostRaw), min(starts, mostStarts)
	}
	return effort{or(s.RawPoints, raw), or(s.Starts, starts), or(s.Iterations, 200)}
}

// complete returns a copy of the settings, sharing no memory, with all defaults filled in.
func (s Settings) complete() (Settings, error) {
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
		s.Noise = preset.unexplained()
	}
	if s.CostNoise == nil {
		s.CostNoise = s.Noise
	}
	if s.Threads <= 0 {
		s.Threads = runtime.GOMAXPROCS(0)
	}
	return s, nil
}

// unexplained is the belief about the noise of evaluations that have none. It stands for what the kernel cannot
// follow.
func (p *Preset) unexplained() *gp.Noise {
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
