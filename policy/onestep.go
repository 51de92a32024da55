package policy

import (
	"context"
	"math"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/lbfgsb"
)

// cooling returns ν of EI-PUC-CC: the part of the budget that is left.
func cooling(b acq.Belief, initial float64) float64 {
	if !(initial > 0) {
		return 0
	}
	return math.Min(math.Max(b.Remaining/initial, 0), 1)
}

// The floors under the standard deviations of objective and log-cost in the reference's
// functions: BoTorch's EI floors the variance at 1e-9, the authors' EI-PUC at 1e-6, and their budgeted
// EI, and so the tree, the standard deviation at 1e-6.
var (
	floorsEI      = [2]float64{3.1622776601683795e-5, 0}
	floorsPerCost = [2]float64{1e-3, 1e-3}
	floorsTree    = [2]float64{1e-6, 1e-6}
)

// floored returns the belief with the given floors, in the preset that has them.
func (p *policy) floored(b acq.Belief, floors [2]float64) acq.Belief {
	if p.Preset.Floors {
		b.MinSD = floors
	}
	return b
}

func (p *policy) ei(b acq.Belief, _ *State) *acq.Function { return acq.EI(p.floored(b, floorsEI)) }

func (p *policy) eiPUC(b acq.Belief, _ *State) *acq.Function {
	return acq.PerCost(p.floored(b, floorsPerCost), 1)
}

func (p *policy) eiPUCCC(b acq.Belief, s *State) *acq.Function { return p.perCost(b, s, 1) }

// perCost is EI-PUC-CC with a part of its exponent.
func (p *policy) perCost(b acq.Belief, s *State, part float64) *acq.Function {
	return acq.PerCost(p.floored(b, floorsPerCost), part*cooling(b, s.Initial))
}

// oneStep chooses the maximiser of an acquisition function.
func (p *policy) oneStep(function func(acq.Belief, *State) *acq.Function) chooser {
	return func(ctx context.Context, b acq.Belief, s *State) (Suggestion, error) {
		made := func() *acq.Function { return function(b, s) }
		f := p.maximiseOneStep(ctx, made, s, p.effort(s.Dim), s.seed(seedRaw))
		log := made().Log()
		top, err := p.newSettler(ctx, s, s.seed(seedRaw), func(x []float64) float64 { return log.Eval(nil, x) }).among(b, p.Preset.Informative).settle(f)
		return Suggestion{X: top.x, Acquisition: top.value, Evaluations: f.evaluations, Searches: f.searches}, err
	}
}

// maximiseOneStep searches from the best of many raw points and, in log form, from the incumbent: improvement is
// often next to it. Peak values are logarithms, whichever form was maximised.
func (p *policy) maximiseOneStep(ctx context.Context, function func() *acq.Function, s *State, e effort, seed uint64) found {
	logForm := func() lbfgsb.Func { return function().Log().Eval }
	points := rawPoints(e.raw, s.Dim, seed)
	values := evaluate(ctx, logForm, points, p.Threads)
	if p.Preset.LogForm {
		starts := pick(points, pickStarts(values, max(e.starts-1, 0), seed))
		return maximise(ctx, logForm, append(starts, incumbent(s)), limits{e.iterations, p.Threads, logTol})
	}
	starts := pick(points, pickStarts(values, e.starts, seed))
	f := maximise(ctx, func() lbfgsb.Func { return function().Eval }, starts, limits{e.iterations, p.Threads, plainTol})
	f.revalue(logForm())
	return f
}

// incumbent returns the best observed point.
func incumbent(s *State) []float64 {
	best := 0
	for i, y := range s.Y {
		if y > s.Y[best] {
			best = i
		}
	}
	return s.X[best]
}
