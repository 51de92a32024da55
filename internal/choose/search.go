package choose

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
)

// OneStep chooses the maximiser of an acquisition function, and in the end game the maximiser of the function that endGame returns.
func OneStep(function Acquisition) Rule {
	return func(ctx context.Context, d *model.Beliefs) (model.Suggestion, error) {
		function := safely(function, d)
		found := maximiseSettings(ctx, function, d, d.SeedFor(model.SeedRaw))
		late, tries := endGame(d, found)
		if late != nil {
			function = safely(late, d)
			found = maximiseSettings(ctx, function, d, d.SeedFor(model.SeedRaw))
		}
		t := NewSelector(ctx, d, d.SeedFor(model.SeedRaw), ValueOf(function, d)).Hopeful(d, tries)
		chosen, err := t.chooseHopeful(ctx, d, &found)
		if err != nil {
			return model.Suggestion{}, err
		}
		return model.Suggestion{
			X: chosen.X, Acquisition: chosen.Value, Evaluations: found.Evaluations, Searches: found.Searches, Plan: d.NewPlan(chosen.X),
			LastTries: tries,
		}, nil
	}
}

// Promising chooses the point that is expected to improve the most within the budget, whatever it costs. If the median cost of that point is above the
// money that is left, the other rule chooses.
func Promising(other Rule) Rule {
	return func(ctx context.Context, d *model.Beliefs) (model.Suggestion, error) {
		function := safely(Budgeted, d)
		found := maximiseSettings(ctx, function, d, d.SeedFor(model.SeedRaw))
		chosen, err := NewSelector(ctx, d, d.SeedFor(model.SeedRaw), ValueOf(function, d)).choose(found.Peaks, found.Top())
		if err != nil {
			return model.Suggestion{}, err
		}
		if lnCost, _ := d.Belief.LnCostAt(chosen.X); math.Exp(lnCost) > d.Belief.Remaining {
			return other(ctx, d)
		}
		return model.Suggestion{X: chosen.X, Policy: "promise", Acquisition: chosen.Value, Evaluations: found.Evaluations, Searches: found.Searches}, nil
	}
}

// chooseHopeful chooses among the peaks found. If none is worth paying for, the peaks of the improvement within the budget compete, whatever
// they cost, and then peaks that are as likely to fail as not, or likelier where failures have taken little money.
func (t Selector) chooseHopeful(ctx context.Context, d *model.Beliefs, found *maximise.Result) (maximise.Peak, error) {
	chosen, ok := t.best(found.Peaks, found.Top())
	search := func(function Acquisition) {
		more := maximiseSettings(ctx, function, d, t.seed)
		found.Searches, found.Evaluations = found.Searches+more.Searches, found.Evaluations+more.Evaluations
		for _, peak := range more.Peaks {
			peak.Value = t.value(peak.X)
			found.Peaks = append(found.Peaks, peak)
		}
		chosen, ok = t.best(found.Peaks, found.Top())
	}
	if !ok && t.hopeless != nil {
		search(safely(Budgeted, d))
	}
	if !ok && t.safe > even {
		t.safe = math.Min(even, d.LeastByMoney())
		search(MayFail(Budgeted))
	}
	if !ok && ctx.Err() != nil {
		t.hopeless = nil // a search that was cut short cannot say that there is nothing better
		return t.choose(found.Peaks, found.Top())
	}
	if !ok {
		return t.elsewhere(found.Top())
	}
	return t.climb(t.slide(chosen)), nil
}

// Acquisition makes an acquisition function on a belief.
type Acquisition func(acq.Belief, *model.Beliefs) *acq.Function

// EI is the expected improvement.
func EI(b acq.Belief, d *model.Beliefs) *acq.Function { return acq.EI(floored(b, d, floorsEI)) }

// EIPUC is the expected improvement per unit of cost.
func EIPUC(b acq.Belief, d *model.Beliefs) *acq.Function {
	return acq.PerCost(floored(b, d, floorsPerCost), 1)
}

// EIPUCCC is EI-PUC with cost cooling: the exponent of the cost is the fraction of the budget that is left.
func EIPUCCC(b acq.Belief, d *model.Beliefs) *acq.Function { return perCost(b, d, 1) }

// LogEIPUC is the expected improvement per median cost.
func LogEIPUC(b acq.Belief, d *model.Beliefs) *acq.Function {
	return acq.PerMedianCost(floored(b, d, floorsPerCost), 1)
}

// Feasibility is the chance to meet the limits per median cost.
func Feasibility(b acq.Belief, d *model.Beliefs) *acq.Function {
	return acq.Feasibility(floored(b, d, floorsPerCost), 1)
}

// Budgeted is the expected improvement within the budget; before anything is known to meet the limits, the chance to meet them.
func Budgeted(b acq.Belief, d *model.Beliefs) *acq.Function {
	if d.NoneCounts {
		return acq.Feasibility(b, 0).WithinBudget()
	}
	return acq.Budgeted(b)
}

// perCost is EI-PUC-CC with its exponent multiplied by part.
func perCost(b acq.Belief, d *model.Beliefs, part float64) *acq.Function {
	cooling := 0.0
	if d.Initial > 0 {
		cooling = math.Min(math.Max(b.Remaining/d.Initial, 0), 1)
	}
	return acq.PerCost(floored(b, d, floorsPerCost), part*cooling)
}

// The floors under the standard deviations of objective and log-cost in the reference's functions. BoTorch's EI floors the variance at 1e-9,
// and the authors' EI-PUC at 1e-6. Their budgeted EI, and so the tree, floors the standard deviation at 1e-6.
var (
	floorsEI      = [2]float64{3.1622776601683795e-5, 0}
	floorsPerCost = [2]float64{1e-3, 1e-3}
	floorsTree    = [2]float64{1e-6, 1e-6}
)

// floored returns the belief with the given floors, if the preset has them.
func floored(b acq.Belief, d *model.Beliefs, floors [2]float64) acq.Belief {
	if d.Paper {
		b.MinSD = floors
	}
	return b
}

// MayFail returns the acquisition function times the chance of a value, and of all other limits to be kept.
func MayFail(function Acquisition) Acquisition {
	return func(b acq.Belief, d *model.Beliefs) *acq.Function { return function(b, d).WithinLimits() }
}

// safely returns the same for searches, which keep away from points that are too likely to fail.
func safely(function Acquisition, d *model.Beliefs) Acquisition {
	least := d.LeastChance()
	if least == 0 {
		return MayFail(function)
	}
	return func(b acq.Belief, d *model.Beliefs) *acq.Function { return function(b, d).WithinLimits().Safely(least) }
}

// lastTries is the number of tries that the money still buys below which the end game begins.
const lastTries = 5

// endGame returns the function for the last tries, and how many tries the money buys. The function is the expected improvement within the budget
// per power of the price. The exponent falls to 0, since money left at the end has no value. Before the end game the function is nil.
func endGame(d *model.Beliefs, found maximise.Result) (late Acquisition, tries float64) {
	if d.Paper || len(found.Peaks) == 0 {
		return nil, 0
	}
	top := found.Top().X
	own := d.Belief
	if own.Setup != nil { // once all is ready, others can follow there
		setup, _ := own.Setup(nil, top)
		own.Remaining, own.Setup = own.Remaining-setup, nil
	}
	lnCost, lnCostSD := own.LnCostAt(top)
	tries = math.Max(own.Remaining, 0) / own.PriceOf(top, lnCost, lnCostSD)
	if !(tries < lastTries) {
		return nil, 0
	}
	return func(b acq.Belief, d *model.Beliefs) *acq.Function {
		if d.NoneCounts {
			return acq.Feasibility(floored(b, d, floorsPerCost), math.Max(1-1/tries, 0)).WithinBudget()
		}
		return acq.PerMedianCost(floored(b, d, floorsPerCost), math.Max(1-1/tries, 0)).WithinBudget()
	}, tries
}

// largeRaw and largeStarts are the effort of a search with many data.
const largeRaw, largeStarts = 512, 12

// Maximise searches from the best of many raw points and, in log form, from the incumbent: improvement is often next to it. Where there are choices,
// searches keep the choices of their starts. With many data (IsLarge) each search goes by the data around its start; the belief that is passed in is
// ignored, and d.Belief is used. So the base steps of rollouts then all maximise the same function. The peaks' values are logarithms, whichever form
// was maximised. Where it costs something to get ready, further searches stay with what is set now.
func Maximise(ctx context.Context, function Acquisition, b acq.Belief, d *model.Beliefs, e model.Effort, seed uint64) maximise.Result {
	found := maximiseKeeping(ctx, function, b, d, e, seed, nil)
	e.Raw, e.Starts = (e.Raw+1)/2, (e.Starts+1)/2 // in fewer dimensions
	for _, kept := range d.Keeps() {
		found.Add(maximiseKeeping(ctx, function, b, d, e, seed, kept))
	}
	return found
}

// roundedPeaks is how many of the best peaks are searched again as settings, roundedPoints how many of the best settings of raw points, and mostRounded the most
// such searches.
const roundedPeaks, roundedPoints, mostRounded = 3, 5, 40

// maximiseSettings is Maximise for a point that is to be evaluated. With limits, the best peaks lie on their edges, and rounding a whole number takes a
// peak across an edge, or away from it. With several objectives there is a peak between any two neighbours on the front, and rounding takes it to one of them, which has
// nothing to gain any more. So further searches begin at settings: those of the best peaks and their neighbours and, with several objectives, the best of raw points. They move
// only coordinates without steps.
func maximiseSettings(ctx context.Context, function Acquisition, d *model.Beliefs, seed uint64) maximise.Result {
	e := d.Effort(d.Dim)
	found := Maximise(ctx, function, d.Belief, d, e, seed)
	between := d.HasAims() && len(stepped(d.State, d.Setting(found.Top().X))) > 0
	if d.Paper || d.Neighbours == nil || len(d.Further) == 0 && !between {
		return found
	}
	var starts [][]float64
	for _, x := range maximise.Distinct(found.Points(), roundedPeaks) {
		x = d.Setting(x)
		starts = append(append(starts, x), d.Neighbours(x)...)
	}
	value := ValueOf(function, d)
	for i, p := range found.Peaks {
		x := d.Setting(p.X)
		found.Peaks[i] = maximise.Peak{X: x, Value: value(x)}
	}
	if between && !d.IsLarge() {
		raw := settings(d.State, d.Allowed(maximise.RawPoints(e.Raw, d.Dim, seed)))
		raw = slices.DeleteFunc(raw, func(x []float64) bool { return !model.IsNew(x, d.Taken...) })
		values := function(d.Belief, d).Log().Values(raw)
		var best [][]float64
		for _, i := range maximise.Highest(values, len(raw)) {
			if len(best) < roundedPoints && model.IsNew(raw[i], best...) { // many points may stand for one setting
				best, found.Peaks = append(best, raw[i]), append(found.Peaks, maximise.Peak{X: raw[i], Value: values[i]})
			}
		}
		starts = append(best, starts...)
	}
	starts = slices.DeleteFunc(maximise.Distinct(starts, mostRounded), func(x []float64) bool { return len(stepped(d.State, x)) == d.Dim })
	found.Add(climbAll(ctx, d, starts, func(x []float64) []int { return stepped(d.State, x) }, e, logForms(function, d.Belief, d, starts), maximise.LogTolerance))
	return found
}

// stepped returns the coordinates of a setting's own point that have steps, such as whole numbers and choices, or that mean nothing there.
func stepped(s *model.State, x []float64) (list []int) {
	const little = 1e-6
	for j := range x {
		y := slices.Clone(x)
		if y[j] += little; y[j] > 1 {
			y[j] = x[j] - little
		}
		if s.Setting(y)[j] == x[j] {
			list = append(list, j)
		}
	}
	return list
}

// logForms returns, by start, the logarithm that a search maximises. With many data, each search goes by the data around its start.
func logForms(function Acquisition, b acq.Belief, d *model.Beliefs, starts [][]float64) func(start int) maximise.Func {
	if !d.IsLarge() {
		return func(int) maximise.Func { return function(b, d).Log().Eval }
	}
	beliefs := make([]func() acq.Belief, len(starts))
	for i, x := range starts {
		beliefs[i] = d.Near(x)
	}
	return func(i int) maximise.Func { return function(beliefs[i](), d).Log().Eval }
}

// maximiseKeeping is Maximise where some coordinates stay as they are set now; none: all may change.
func maximiseKeeping(ctx context.Context, function Acquisition, b acq.Belief, d *model.Beliefs, e model.Effort, seed uint64, kept []int) maximise.Result {
	large := d.IsLarge()
	if large {
		b, e.Raw, e.Starts = d.Belief, min(e.Raw, largeRaw), min(e.Starts, largeStarts)
		if len(d.Pending) > 0 { // other suggestions from the same data look elsewhere
			e.Raw, e.Starts = (e.Raw+1)/2, (e.Starts+1)/2
		}
	}
	logForm := func() maximise.Func { return function(b, d).Log().Eval }
	points := d.Allowed(maximise.RawPoints(e.Raw, d.Dim, seed))
	if d.Settles() || d.Held {
		points = settings(d.State, points)
	}
	if kept != nil {
		if points = d.Kept(points, kept); len(points) == 0 {
			return maximise.Result{}
		}
	}
	var values []float64
	if large {
		values = function(b, d).Log().Values(points)
	} else {
		values = maximise.Evaluate(ctx, logForm, points, d.Threads)
		if !d.Paper {
			e.Starts = max(e.Starts-1, 0) // the incumbent is one
		}
	}
	pick := maximise.PickStarts // by their gains
	if function(b, d).IsIndex() {
		pick = maximise.PickStartsOfIndex // by their order
	}
	starts := maximise.Pick(points, pick(values, e.Starts, seed))
	still := func(x []float64) []int {
		if d.Settles() || d.Held {
			return append(held(d.State, x), kept...)
		}
		return kept
	}
	if !large && d.Paper {
		found := climbAll(ctx, d, starts, still, e, func(int) maximise.Func { return function(b, d).Eval }, maximise.PlainTolerance)
		found.Revalue(logForm())
		return found
	}
	incumbent := d.Incumbent
	if d.Held {
		incumbent = d.Setting(incumbent)
	}
	near := append(tops(d), incumbent)
	if d.Settles() {
		near = append(near, otherValues(d.State, d.Incumbent)...)
	}
	if kept != nil {
		near = d.Kept(near, kept)
	}
	starts = append(starts, near...)
	return climbAll(ctx, d, starts, still, e, logForms(function, b, d, starts), maximise.LogTolerance)
}

// mostTops is the number of points on the front of several objectives from which searches start.
const mostTops = 8

// tops returns some points of the front, evenly taken from it: what extends it is often next to it.
func tops(d *model.Beliefs) (list [][]float64) {
	n := min(len(d.Tops), mostTops)
	for i := range n {
		x := d.Tops[i*len(d.Tops)/n]
		if d.Held {
			x = d.Setting(x)
		}
		list = append(list, slices.Clone(x))
	}
	return list
}

// climbAll runs a local search from every start, each with those coordinates of its start that stay still.
func climbAll(ctx context.Context, d *model.Beliefs, starts [][]float64, still func(x []float64) []int, e model.Effort, newFunc func(start int) maximise.Func, tolerance float64) maximise.Result {
	limits := maximise.Limits{Iterations: e.Iterations, Threads: d.Threads, Tolerance: tolerance}
	return maximise.FromEach(ctx, starts, d.Threads, func() func(int, *maximise.Peak) int {
		return func(i int, p *maximise.Peak) (evaluations int) {
			f := newFunc(i)
			if still := still(p.X); len(still) > 0 {
				f = holding(f, still)
			}
			p.Value, evaluations = maximise.NewClimber(ctx, f, limits).Climb(p.X)
			return evaluations
		}
	})
}

// ValueOf returns the function as settings are compared by it.
func ValueOf(function Acquisition, d *model.Beliefs) func(x []float64) float64 {
	if d.IsLarge() {
		return func(x []float64) float64 { return function(d.Near(x)(), d).Log().Eval(nil, x) }
	}
	log := function(d.Belief, d).Log()
	return func(x []float64) float64 { return log.Eval(nil, x) }
}

// settings returns the points of the settings that the given points stand for.
func settings(s *model.State, points [][]float64) [][]float64 {
	list := make([][]float64, len(points))
	for i, x := range points {
		list[i] = s.Setting(x)
	}
	return list
}

// holding returns the function with a gradient of zero along some coordinates, so that a search does not move there.
func holding(f maximise.Func, still []int) maximise.Func {
	return func(grad, x []float64) float64 {
		value := f(grad, x)
		if grad != nil {
			for _, j := range still {
				grad[j] = 0
			}
		}
		return value
	}
}

// held returns the coordinates of choices, and the coordinates that mean nothing at the setting of x.
func held(s *model.State, x []float64) (list []int) {
	for j := range s.Dim {
		if slices.ContainsFunc(s.Choices, func(c model.Span) bool { return c.From <= j && j < c.To }) || idle(s, x, j) {
			list = append(list, j)
		}
	}
	return list
}

// idle says whether a coordinate means nothing at the setting of x.
func idle(s *model.State, x []float64, j int) bool {
	low, high := slices.Clone(x), slices.Clone(x)
	low[j], high[j] = 0, 1
	return s.Setting(low)[j] == s.Setting(high)[j]
}

// otherValues returns the points that differ from x in one choice.
func otherValues(s *model.State, x []float64) (list [][]float64) {
	for _, c := range s.Choices {
		for j := c.From; j < c.To; j++ {
			if x[j] == 1 {
				continue
			}
			y := slices.Clone(x)
			clear(y[c.From:c.To])
			y[j] = 1
			if y = s.Setting(y); s.Allows(y) {
				list = append(list, y)
			}
		}
	}
	return list
}

// The Gittins index of Pandora's box (Weitzman 1979; Xie, Astudillo, Frazier, Scully, Terenin 2024), MATH.md (16).
//
// An evaluation is a box that can be opened for a price and holds a value. Suppose that boxes were independent, and money had the price λ.
// Then it would be optimal to always open the box with the highest index, and to stop when the best value is above all indices. Evaluations
// are not independent, and money is limited rather than priced: as a policy, the index is a heuristic whose λ has to be chosen.

// lastGain is the ratio of the fixed price of money to the gain per unit of money that is expected on average. The last
// of the money earns less than the average and should still be spent: the whole budget for a tenth of the gain is a fair
// price. A price that decays can begin with the average.
const lastGain = 0.1

// leastGain is a floor under the expected gain, in standard deviations of the values, because a price
// must be above zero.
const leastGain = 1e-6

// Gittins chooses the point with the highest index, until the end game. With decay, the price of money is halved
// whenever the best value has reached the last index: by that price, nothing more is worth its cost.
func Gittins(decays bool) Rule {
	return func(ctx context.Context, d *model.Beliefs) (model.Suggestion, error) {
		lambda := priceOfMoney(d, decays)
		var index Acquisition = func(b acq.Belief, d *model.Beliefs) *acq.Function {
			return acq.Gittins(floored(b, d, floorsTree), lambda)
		}
		out, err := OneStep(index)(ctx, d)
		if err != nil {
			return model.Suggestion{}, err
		}
		margin := MayFail(index)(d.Belief, d).Eval(nil, out.X)
		out.Plan.Lambda = lambda
		out.Plan.Index = model.Capped(d.Warp.From(d.Belief.Best + margin*d.Objective().Standard().Scale))
		return out, nil
	}
}

// priceOfMoney returns λ, in standard deviations of the values for a unit of cost. It is the price of the last plan, halved
// if the last index was not above what is now the best value (PBGI-D). Without a plan it is computed from the expected gain.
func priceOfMoney(d *model.Beliefs, decays bool) float64 {
	if last := d.Previous; last != nil && last.Lambda > 0 && model.Finite(last.Lambda) {
		if top, ok := d.Top(); decays && ok && d.Y[top] >= last.Index {
			return math.Max(last.Lambda/2, math.SmallestNonzeroFloat64)
		}
		return last.Lambda
	}
	lambda := expectedGain(d) / d.Belief.Remaining
	if !decays {
		lambda *= lastGain
	}
	return math.Max(model.Capped(lambda), math.SmallestNonzeroFloat64)
}

// gainPoints and gainDraws are the effort for an expected gain: the number of points, and the number of draws
// of their highest value.
const gainPoints, gainDraws = 128, 512

// expectedGain returns how far the highest value of all points is expected to lie above the best so far, in standard deviations of the values,
// MATH.md (17). It is the mean over draws of the objective from its posterior. The points are stretched a little beyond the cube's edges and
// clipped there, since the top is often on an edge.
func expectedGain(d *model.Beliefs) float64 {
	points := maximise.RawPoints(gainPoints, d.Dim, d.SeedFor(model.SeedGain))
	for i, x := range points {
		for j, v := range x {
			x[j] = min(max(0.5+1.05*(v-0.5), 0), 1)
		}
		points[i] = d.Setting(x)
	}
	rng := rand.New(rand.NewPCG(d.SeedFor(model.SeedGain), 1))
	sampler := d.Belief.Objective.NewSampler(points)
	std, sum := d.Objective().Standard(), 0.0
	best := std.To(d.Belief.Best)
	var limited []*gp.Sampler
	for _, l := range d.Belief.Limits {
		limited = append(limited, l.Model.NewSampler(points))
	}
	works, has := make([]float64, len(points)), d.Belief.Works()
	for i, x := range points {
		works[i] = has(x)
	}
	for range gainDraws {
		draw := sampler.Draw(rng)
		for k, s := range limited { // only draws within the limits count
			for j, v := range s.Draw(rng) {
				if !d.Further[k].Meets(v) {
					draw[j] = d.Belief.Best
				}
			}
		}
		if d.Belief.Fails != nil { // points with the same chances have values together
			for i, luck := 0, rng.Float64(); i < len(draw); i++ {
				if luck >= works[i] {
					draw[i] = d.Belief.Best
				}
			}
		}
		highest := slices.Max(draw)
		if most := d.Belief.Most; most != nil {
			highest = math.Min(highest, *most)
		}
		sum += math.Max(std.To(highest)-best, 0)
	}
	return math.Max(sum/gainDraws, leastGain)
}
