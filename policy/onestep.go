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

// oneStep chooses the maximiser of an acquisition function.
func (p *policy) oneStep(function func(acq.Belief, *State) *acq.Function) chooser {
	return func(ctx context.Context, b acq.Belief, s *State) Suggestion {
		if p.Preset.Floors {
			b.MinSD = [2]float64{1e-3, 1e-3} // the reference floors EI-PUC's variances at 1e-6
		}
		raw, starts, iterations := p.effort(s.Dim)
		f := p.maximiseOneStep(ctx, func() *acq.Function { return function(b, s) }, s.Dim,
			effort{raw, starts, iterations}, s.seed(seedRaw), incumbents(s))
		top := f.fresh(p.taken(s), s.seed(seedRaw))
		return Suggestion{X: top.x, Acquisition: top.value, Evaluations: f.evaluations, Searches: len(f.peaks)}
	}
}

// effort of one maximisation.
type effort struct{ raw, starts, iterations int }

// maximiseOneStep searches from the best of many raw points, and from the planted ones. Peak
// values are logarithms, whichever form was maximised.
func (p *policy) maximiseOneStep(ctx context.Context, function func() *acq.Function, dim int, e effort, seed uint64, planted [][]float64) found {
	logForm := func() lbfgsb.Func { return function().Log().Eval }
	points := rawPoints(e.raw, dim, seed)
	values := evaluate(ctx, logForm, points, p.Threads)
	var starts [][]float64
	if p.Preset.LogForm { // the reference plants nothing
		starts = append(starts, planted[:min(len(planted), e.starts-1)]...)
	}
	for _, i := range pickStarts(values, e.starts-len(starts), seed) {
		starts = append(starts, points[i])
	}
	if p.Preset.LogForm {
		return maximise(ctx, logForm, starts, limits{e.iterations, p.Threads, logTol})
	}
	return maximise(ctx, func() lbfgsb.Func { return function().Eval }, starts, limits{e.iterations, p.Threads, plainTol}).logged()
}

// incumbents returns the best observed point: improvement is often next to it.
func incumbents(s *State) [][]float64 {
	best := 0
	for i, y := range s.Y {
		if y > s.Y[best] {
			best = i
		}
	}
	return [][]float64{s.X[best]}
}
