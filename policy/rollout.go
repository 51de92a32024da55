package policy

import (
	"context"
	"math"

	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/parallel"
)

// Rollout (Lee, Eriksson, Perrone, Seeger 2021): a first step is worth what a simple policy makes of the money after it. The next
// few tries are simulated on functions drawn from the posterior, beginning with each of some promising points. The point with the
// highest mean gain is chosen. The simulations are those of the forecast of the rest, in walk.go: unlike the plans of multistep.go,
// they follow a policy that answers to what it sees, and do not optimise the later steps.

// rolloutTries is how many tries of the dearest candidate the simulated money pays for. Beyond that, a first step does not matter
// any more, and differences drown in chance.
const rolloutTries = 4

// rolloutRoots is how many more peaks of each one-step function compete.
const rolloutRoots = 3

// rolloutDraws is the number of simulations of each candidate.
const rolloutDraws = 64

// rollout chooses the candidate with the highest simulated gain.
func (p *policy) rollout(ctx context.Context, d *decision) (Suggestion, error) {
	simple, err := p.oneStep(p.logEIPUC)(ctx, d)
	if err != nil || p.isLarge(d) {
		return simple, err
	}
	roots, searched := p.rolloutCandidates(ctx, d, simple.X)
	simple.Searches, simple.Evaluations = simple.Searches+searched.Searches, simple.Evaluations+searched.Evaluations
	gains := p.simulatedGains(ctx, d, roots)
	if ctx.Err() != nil {
		return simple, nil
	}
	top := highest(gains)
	simple.X, simple.Acquisition = roots[top], math.Log(gains[top])
	simple.Plan = p.newPlan(d, simple.X)
	return simple, nil
}

// rolloutCandidates returns the point that was chosen by one step, and the peaks of the improvement with and without its price that
// are worth paying for.
func (p *policy) rolloutCandidates(ctx context.Context, d *decision, simple []float64) (roots [][]float64, searched maximise.Result) {
	const apart = 0.01
	roots = [][]float64{simple}
	for _, f := range []acquisition{p.logEIPUC, budgeted} {
		function := mayFail(f)
		found := p.maximiseOneStep(ctx, function, d.belief, d, p.effort(d.Dim), d.seed(seedRaw))
		searched.Searches, searched.Evaluations = searched.Searches+found.Searches, searched.Evaluations+found.Evaluations
		selector := p.hopeful(newSelector(ctx, d, d.seed(seedRaw), p.valueOf(function, d)), d)
		found.Keep(4 * rolloutRoots)
		for most := len(roots) + rolloutRoots; len(found.Peaks) > 0 && len(roots) < most; found.Peaks = found.Peaks[1:] {
			if x := selector.repaired(found.Peaks[0].X); selector.isFresh(x) && maximise.FarFrom(roots, x, apart) {
				roots = append(roots, x)
			}
		}
	}
	return roots, searched
}

// simulatedGains returns the mean simulated gain of each root, standardised. All roots meet the same random numbers.
func (p *policy) simulatedGains(ctx context.Context, d *decision, roots [][]float64) []float64 {
	dearest := 0.0
	for _, x := range roots {
		dearest = math.Max(dearest, expectedCostAt(d.belief, x))
	}
	pending := d.Remaining - d.belief.Remaining
	money := pending + math.Min(d.belief.Remaining, rolloutTries*dearest)
	r := newRehearsal(p, d.fitted, d.State, []float64{money}, len(d.Pending)+2*rolloutTries, roots...)
	gains := make([]float64, len(roots)*rolloutDraws)
	parallel.For(ctx, len(gains), p.Threads, func() func(int) {
		return func(i int) { gains[i] = r.walk(i%rolloutDraws, i/rolloutDraws)[0] }
	})
	means := make([]float64, len(roots))
	for i, g := range gains {
		means[i/rolloutDraws] += g / rolloutDraws
	}
	return means
}
