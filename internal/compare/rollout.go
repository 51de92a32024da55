package compare

import (
	"context"
	"math"

	"github.com/eke-bo/eke/internal/choose"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/parallel"
	"github.com/eke-bo/eke/internal/rest"
)

// Rollout (Lee, Eriksson, Perrone, Seeger 2021): a first step is worth what a simple policy makes of the money after it. The next
// few tries are simulated on functions drawn from the posterior, beginning with each of some promising points. The point with the
// highest mean gain is chosen. The simulations are the same as in the forecast of the rest: unlike plans,
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
	parallel.Each(ctx, len(gains), d.Threads, func(i int) { gains[i] = r.Walk(i%rolloutDraws, i/rolloutDraws)[0] })
	means := make([]float64, len(roots))
	for i, g := range gains {
		means[i/rolloutDraws] += g / rolloutDraws
	}
	return means
}
