package policy

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
)

// Policy decides what to evaluate next. It is safe for concurrent use.
type Policy interface {
	Suggest(ctx context.Context, s State) (Suggestion, error)
}

// Settings of a policy; the zero value works.
type Settings struct {
	Preset    *Preset   // nil: Default()
	Fantasies []int     // of "bmsei": m1, m2, …
	Design    int       // points of the initial design; 0: 2(d+1), negative: none
	Noise     *gp.Noise // what is believed of the evaluations' noise; nil: none to speak of
	CostNoise *gp.Noise // the same of their costs; nil: as Noise
	Threads   int       // 0: all cores. Never changes the result

	// Effort of one maximisation, MATH.md §6; 0: the paper's 200d, 10d, 200.
	RawPoints, Starts, Iterations int
}

// Preset is the set of choices in which the method's reference and this project differ.
// All code is shared; each field switches one choice.
type Preset struct {
	LogForm     bool    // maximise ln Q, which has a gradient where Q vanishes
	Grown       bool    // start from trees grown from good points instead of blind ones
	Fresh       bool    // never suggest a point twice when evaluations are deterministic
	Advance     bool    // start also from the last tree, advanced by what was observed
	MeanCost    bool    // paths plan with the expected cost, not the median
	Rollouts    int     // that the fantasy budget is averaged over
	Thrift      float64 // exponent of the cost in the policy that is rolled out, as a part of EI-PUC-CC's; 0: all
	PriorWeight float64 // of the hyperparameters' prior
	Floors      bool    // the reference's floors under standard deviations
	Discount    float64 // of a plan's further steps; 0: none
	Warp        bool    // model the values after a transformation that makes them more like normal ones
	Rough       bool    // model the values also as those of a function with edges
	Informative float64 // a point is not worth a look whose variance is below this part of the noise's

	// Least and most noise variance that evaluations without noise are modelled with; 0: gp.Deterministic's.
	NoiseFloor, NoiseCeiling float64
}

// Default mends the reference's known weaknesses, MATH.md §7.
func Default() Preset {
	return Preset{LogForm: true, Grown: true, Fresh: true, Advance: true, MeanCost: true, Rollouts: 8, Thrift: 0.5, PriorWeight: 1,
		Discount: 0.9, Warp: true, Rough: true, Informative: 0.3, NoiseFloor: 1e-6, NoiseCeiling: 0.1}
}

// Paper is faithful to the reference implementation, except that its starts are
// independent searches (the reference's share one search in pairs).
func Paper() Preset {
	return Preset{Rollouts: 1, Thrift: 1, PriorWeight: 2, Floors: true}
}

// Names lists the policies.
func Names() []string {
	return []string{"random", "ei", "ei-puc", "ei-puc-cc", "2-bmsei", "4-bmsei", "2-bmsei-p", "4-bmsei-p", "bmsei"}
}

// New returns the policy of the given name. It keeps nothing of the settings' memory.
func New(name string, s Settings) (Policy, error) {
	s, err := s.complete()
	if err != nil {
		return nil, err
	}
	p := &policy{name: name, Settings: s}
	switch name {
	case "random":
		p.choose = p.random
	case "ei":
		p.choose = p.oneStep(p.ei)
	case "ei-puc":
		p.choose = p.oneStep(p.eiPUC)
	case "ei-puc-cc":
		p.choose = p.oneStep(p.eiPUCCC)
	default:
		fantasies, err := fantasiesOf(name, s.Fantasies)
		if err != nil {
			return nil, err
		}
		if p.choose, err = p.multiStep(fantasies); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// fantasiesOf reads the fantasy counts off a policy's name: the paper's trees, or N−1
// ones for an N-step path.
func fantasiesOf(name string, chosen []int) ([]int, error) {
	switch name {
	case "2-bmsei":
		return []int{4}, nil
	case "4-bmsei":
		return []int{4, 4, 2}, nil
	case "bmsei":
		if len(chosen) == 0 {
			return nil, fmt.Errorf("policy: bmsei needs fantasy counts, such as 4,4,2")
		}
		return chosen, nil
	}
	if steps, ok := strings.CutSuffix(name, "-bmsei-p"); ok {
		if n, err := strconv.Atoi(steps); err == nil && n >= 2 && n <= 12 {
			return slices.Repeat([]int{1}, n-1), nil
		}
	}
	return nil, fmt.Errorf("policy: %q is not a policy; choose one of %s", name, strings.Join(Names(), ", "))
}

// policy is all of them: how to choose is the only difference.
type policy struct {
	Settings
	name   string
	choose chooser
}

// chooser picks the point. It fills in X, Acquisition, Next, Plan and the effort.
type chooser func(ctx context.Context, b acq.Belief, s *State) (Suggestion, error)

// Suggest implements Policy.
func (p *policy) Suggest(ctx context.Context, s State) (Suggestion, error) {
	if s.Remaining <= 0 {
		return Suggestion{}, ErrBudgetSpent
	}
	if err := s.check(); err != nil {
		return Suggestion{}, err
	}
	if len(s.X) == 0 {
		if len(s.Pending) >= max(p.designSize(s.Dim), 1) {
			return Suggestion{}, ErrBudgetPending // nothing is known of costs yet: better wait for a first result
		}
		return p.design(ctx, &s)
	}
	b, err := p.believe(ctx, &s)
	if err != nil {
		return Suggestion{}, err
	}
	var out Suggestion
	if len(s.X)+len(s.Pending) < p.designSize(s.Dim) {
		out, err = p.design(ctx, &s)
	} else {
		out, err = p.choose(ctx, b, &s)
		out.Policy = p.name
	}
	if err != nil {
		return Suggestion{}, err
	}
	out.Predicted = predict(s.warp, b, out.X)
	out.CutShort = ctx.Err() != nil
	out.Acquisition = capped(out.Acquisition)
	return out, nil
}

// effort of one maximisation.
type effort struct{ raw, starts, iterations int }

// effort returns the settings' effort for a problem of dimension d.
func (s *Settings) effort(d int) effort {
	or := func(chosen, usual int) int {
		if chosen > 0 {
			return chosen
		}
		return usual
	}
	return effort{or(s.RawPoints, 200*d), or(s.Starts, 10*d), or(s.Iterations, 200)}
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

// unexplained is what is believed of the noise of evaluations that have none: it stands for what the kernel cannot follow.
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

// copied returns a copy that shares no memory, if it makes sense.
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

// Noisy is what to believe of evaluations that return another value when repeated.
func Noisy() *gp.Noise {
	noise, prior := gp.Noisy, *gp.Noisy.Prior
	noise.Prior = &prior
	return &noise
}
