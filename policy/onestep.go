package policy

import (
	"context"
	"math"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/maximise"
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

// floored returns the belief with the given floors, if the preset has them.
func (p *policy) floored(b acq.Belief, floors [2]float64) acq.Belief {
	if p.Preset.Floors {
		b.MinSD = floors
	}
	return b
}

func (p *policy) ei(b acq.Belief, _ *decision) *acq.Function { return acq.EI(p.floored(b, floorsEI)) }

func (p *policy) eiPUC(b acq.Belief, _ *decision) *acq.Function {
	return acq.PerCost(p.floored(b, floorsPerCost), 1)
}

func (p *policy) eiPUCCC(b acq.Belief, d *decision) *acq.Function { return p.perCost(b, d, 1) }

func (p *policy) logEIPUC(b acq.Belief, _ *decision) *acq.Function {
	return acq.PerMedianCost(p.floored(b, floorsPerCost), 1)
}

// perCost is EI-PUC-CC with a part of its exponent.
func (p *policy) perCost(b acq.Belief, d *decision, part float64) *acq.Function {
	return acq.PerCost(p.floored(b, floorsPerCost), part*cooling(b, d.Initial))
}

// lastTries is the number of tries that the money still buys below which the end game begins. Money that is left has no value,
// so the price of the last try does not matter, and that of the last few matters less and less.
const lastTries = 5

// oneStep chooses the maximiser of an acquisition function.
func (p *policy) oneStep(function acquisition) chooser {
	return func(ctx context.Context, d *decision) (Suggestion, error) {
		function := mayFail(function)
		found := p.maximiseOneStep(ctx, function, d.belief, d, p.effort(d.Dim), d.seed(seedRaw))
		late, tries := p.endGame(d, found)
		if late != nil {
			function = mayFail(late)
			found = p.maximiseOneStep(ctx, function, d.belief, d, p.effort(d.Dim), d.seed(seedRaw))
		}
		selector := newSelector(ctx, d, d.seed(seedRaw), p.valueOf(function, d)).informative(d.belief, p.Preset.Informative)
		chosen, err := p.chooseHopeful(ctx, d, p.hopeful(selector, d), &found)
		if err != nil {
			return Suggestion{}, err
		}
		return Suggestion{
			X: chosen.X, Acquisition: chosen.Value, Evaluations: found.Evaluations, Searches: found.Searches, Plan: p.newPlan(d, chosen.X),
			LastTries: tries,
		}, nil
	}
}

// acquisition makes an acquisition function on a belief.
type acquisition func(acq.Belief, *decision) *acq.Function

// endGame returns the function that the last tries are chosen by, and how many the money buys. It returns nil before the end
// game.
func (p *policy) endGame(d *decision, found maximise.Result) (late acquisition, tries float64) {
	if !p.Preset.EndGame || len(found.Peaks) == 0 {
		return nil, 0
	}
	tries = d.belief.Remaining / expectedCostAt(d.belief, found.Top().X)
	if !(tries < lastTries) {
		return nil, 0
	}
	nu := math.Max(1-1/tries, 0)
	return func(b acq.Belief, _ *decision) *acq.Function {
		return acq.PerMedianCost(p.floored(b, floorsPerCost), nu).WithinBudget()
	}, tries
}

// maximiseOneStep searches from the best of many raw points and, in log form, from the incumbent: improvement is
// often next to it. Where there are choices, searches keep those of their starts. The peaks' values are logarithms, whichever form was maximised.
func (p *policy) maximiseOneStep(ctx context.Context, function acquisition, b acq.Belief, d *decision, e effort, seed uint64) maximise.Result {
	if p.isLarge(d) {
		return p.maximiseLocally(ctx, function, d, e, seed)
	}
	logForm := func() maximise.Func { return function(b, d).Log().Eval }
	points := d.feasibleOf(maximise.RawPoints(e.raw, d.Dim, seed))
	if p.settles(d) {
		points = d.settings(points)
	}
	values := maximise.Evaluate(ctx, logForm, points, p.Threads)
	limits := maximise.Limits{Iterations: e.iterations, Threads: p.Threads, Tolerance: maximise.LogTolerance}
	pickStarts := startPicker(function(b, d))
	if p.Preset.LogForm {
		starts := maximise.Pick(points, pickStarts(values, max(e.starts-1, 0), seed))
		starts = append(starts, d.incumbent)
		if p.settles(d) {
			return d.climbSettled(ctx, logForm, append(starts, d.otherValues(d.incumbent)...), limits)
		}
		return maximise.From(ctx, logForm, starts, limits)
	}
	limits.Tolerance = maximise.PlainTolerance
	starts, plainForm := maximise.Pick(points, pickStarts(values, e.starts, seed)), func() maximise.Func { return function(b, d).Eval }
	var found maximise.Result
	if p.settles(d) {
		found = d.climbSettled(ctx, plainForm, starts, limits)
	} else {
		found = maximise.From(ctx, plainForm, starts, limits)
	}
	found.Revalue(logForm())
	return found
}

// startPicker returns how starts are picked for a function: by their gains or, if it is an index, by their order.
func startPicker(f *acq.Function) func(values []float64, count int, seed uint64) []int {
	if f.IsIndex() {
		return maximise.PickStartsOfIndex
	}
	return maximise.PickStarts
}
