package compare

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/choose"
	"github.com/eke-bo/eke/internal/looks"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/internal/parallel"
	"github.com/eke-bo/eke/internal/rest"
	"github.com/eke-bo/eke/lookahead"
)

// Rollout (Lee, Eriksson, Perrone, Seeger 2021): a first step is worth what a simple policy makes of the money after it. The next
// few tries are simulated on functions drawn from the posterior, beginning with each of some promising points. The point with the
// highest mean gain is chosen. The simulations are those of the forecast of the rest: unlike plans,
// they follow a policy that answers to what it sees, and do not optimise the later steps.

// rolloutTries is how many tries of the dearest candidate the simulated money pays for. Beyond that, a first step does not matter
// any more, and differences drown in chance.
const rolloutTries = 4

// rolloutRoots is how many more peaks of each one-step function compete.
const rolloutRoots = 3

// rolloutDraws is the number of simulations of each candidate.
const rolloutDraws = 64

// Rollout chooses the candidate with the highest simulated gain.
func Rollout(ctx context.Context, d *model.Beliefs) (model.Suggestion, error) {
	simple, err := choose.OneStep(choose.LogEIPUC)(ctx, d)
	if err != nil || d.IsLarge() || len(d.X) == 0 {
		return simple, err
	}
	roots, searched := rolloutCandidates(ctx, d, simple.X)
	simple.Searches, simple.Evaluations = simple.Searches+searched.Searches, simple.Evaluations+searched.Evaluations
	gains := simulatedGains(ctx, d, roots)
	if ctx.Err() != nil {
		return simple, nil
	}
	top := model.Highest(gains)
	simple.X, simple.Acquisition = roots[top], math.Log(gains[top])
	simple.Plan = d.NewPlan(simple.X)
	return simple, nil
}

// rolloutCandidates returns the point that was chosen by one step, and the peaks of the improvement with and without its price that
// are worth paying for.
func rolloutCandidates(ctx context.Context, d *model.Beliefs, simple []float64) (roots [][]float64, searched maximise.Result) {
	const apart = 0.01
	roots = [][]float64{simple}
	for _, f := range []choose.Acquisition{choose.LogEIPUC, choose.Budgeted} {
		function := choose.MayFail(f)
		found := choose.Maximise(ctx, function, d.Belief, d, d.Effort(d.Dim), d.SeedFor(model.SeedRaw))
		searched.Searches, searched.Evaluations = searched.Searches+found.Searches, searched.Evaluations+found.Evaluations
		selector := choose.NewSelector(ctx, d, d.SeedFor(model.SeedRaw), choose.ValueOf(function, d)).Hopeful(d, 0)
		found.Keep(4 * rolloutRoots)
		for most := len(roots) + rolloutRoots; len(found.Peaks) > 0 && len(roots) < most; found.Peaks = found.Peaks[1:] {
			if x := selector.Repaired(found.Peaks[0].X); selector.IsFresh(x) && maximise.FarFrom(roots, x, apart) {
				roots = append(roots, x)
			}
		}
	}
	return roots, searched
}

// simulatedGains returns the mean simulated gain of each root, standardised. All roots meet the same random numbers.
func simulatedGains(ctx context.Context, d *model.Beliefs, roots [][]float64) []float64 {
	dearest := 0.0
	for _, x := range roots {
		dearest = math.Max(dearest, model.ExpectedCost(d.Belief.LnCostAt(x)))
	}
	pending := d.Remaining - d.Belief.Remaining
	money := pending + math.Min(d.Belief.Remaining, rolloutTries*dearest)
	r := rest.NewRehearsal(d.Models, []float64{money}, len(d.Pending)+2*rolloutTries, roots...)
	gains := make([]float64, len(roots)*rolloutDraws)
	parallel.For(ctx, len(gains), d.Threads, func() func(int) {
		return func(i int) { gains[i] = r.Walk(i%rolloutDraws, i/rolloutDraws)[0] }
	})
	means := make([]float64, len(roots))
	for i, g := range gains {
		means[i/rolloutDraws] += g / rolloutDraws
	}
	return means
}

// The policy "look-tree" plans a look and two evaluations at the top after it, in a tree: for each of some outcomes of the look the
// evaluations are others. All points of the tree are chosen together, by what the tree is expected to improve for its price, and
// the best tree of each level competes with two evaluations at the top at once. MATH.md §12.

// lookOutcomes is the number of outcomes of a look in a tree, and planStarts the number of starts of a search for the best one.
const lookOutcomes, planStarts, planIterations = 7, 2, 60

// LookTree returns the look at the root of the best tree, if that is better than the best plan without one, and otherwise what was chosen.
func LookTree(ctx context.Context, d *model.Beliefs, chosen model.Suggestion) model.Suggestion {
	chosen.Level = 1
	if !d.TakesLooks() || !d.IsLeveled() || ctx.Err() != nil {
		return chosen
	}
	w := looks.NewWorth(d, chosen)
	now := newLookTree(d, []float64{1, 1}, chosen)
	second := w.Tops[min(1, len(w.Tops)-1)]
	best := now.maximise(ctx, [][]float64{slices.Concat(chosen.X, second)}, nil).Value
	found, level := maximise.Peak{Value: best}, 1.0
	for _, t := range d.Levels[d.GivenUp : len(d.Levels)-1] {
		points := w.NewLooks(t)
		if len(points) == 0 {
			continue
		}
		tree := newLookTree(d, []float64{t, 1, 1}, chosen)
		allowed := func(x []float64) bool {
			return d.Allows(x) && model.IsNew(x, d.LookedAt(t)...) && model.IsNew(x, d.Taken...)
		}
		if peak := tree.maximise(ctx, w.StartTrees(t, points, tree.outcomes(), planStarts), allowed); peak.X != nil && peak.Value > found.Value {
			found, level = peak, t
		}
	}
	if level == 1 {
		return chosen
	}
	return looks.Chosen(d, chosen, found.X[:d.Dim], model.LookReason{Gain: math.Exp(found.Value - best), Looks: 1}, level)
}

// lookTree is a tree whose levels have their fidelity, and how it is searched.
type lookTree struct {
	*lookahead.Tree
	d     *model.Beliefs
	base  lookahead.Samples
	power float64 // of the price
}

// newLookTree returns a tree of a look and two evaluations, or of two evaluations. An evaluation is expected to have its mean.
func newLookTree(d *model.Beliefs, fidelity []float64, chosen model.Suggestion) lookTree {
	base := make(lookahead.Samples, len(fidelity)-1)
	fantasies := make([]int, len(base))
	for i := range base {
		if base[i] = make([]lookahead.Sample, 1); fidelity[i] < 1 {
			base[i] = outcomes(lookOutcomes)
		}
		fantasies[i] = len(base[i])
	}
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		panic(err) // it is small
	}
	tree, err := lookahead.New(d.Belief, shape, base, lookahead.Options{Fidelity: fidelity})
	if err != nil {
		panic(err) // base samples are made for the shape
	}
	return lookTree{tree, d, base, model.PricePower(chosen.LastTries)}
}

// outcomes returns those of the look at the root.
func (t lookTree) outcomes() (list []float64) {
	for _, s := range t.base[0] {
		list = append(list, s.Value)
	}
	return list
}

// outcomes returns equally likely values of a standard normal variable, with its variance.
func outcomes(n int) []lookahead.Sample {
	list, square := make([]lookahead.Sample, n), 0.0
	for i := range list {
		list[i].Value = normal.Quantile((float64(i) + 0.5) / float64(n))
		square += list[i].Value * list[i].Value / float64(n)
	}
	for i := range list {
		list[i].Value /= math.Sqrt(square)
	}
	return list
}

// maximise returns the best tree whose root is a setting that is allowed, and its value. Nil allows any.
func (t lookTree) maximise(ctx context.Context, starts [][]float64, allowed func([]float64) bool) (best maximise.Peak) {
	newRate := func() maximise.Func {
		walk := t.NewWalk()
		return func(grad, x []float64) float64 { return walk.LogRate(grad, x, t.power) }
	}
	found := maximise.From(ctx, newRate, starts, maximise.Limits{Iterations: planIterations, Threads: t.d.Threads, Tolerance: maximise.LogTolerance})
	best.Value = math.Inf(-1)
	rate := newRate()
	for _, peak := range found.Peaks {
		x := slices.Clone(peak.X)
		copy(x, t.d.Setting(x[:t.d.Dim]))
		if allowed != nil && !allowed(x[:t.d.Dim]) {
			continue
		}
		if v := rate(nil, x); v > best.Value {
			best = maximise.Peak{X: x, Value: v}
		}
	}
	return best
}
