package compare

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/eke-bo/eke/internal/choose"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
)

// Where it costs something to get ready, the nodes of the paper's path know what is set: each step pays the change from the step before, MATH.md (73). The first
// steps that compete are peaks of the improvement per price; at least one keeps what is set, and one changes it. Each further step is the best of many points, given the
// steps before it, which are imagined to return what the models expect. A path is worth its expected improvement for its price, up to the step at which that is
// highest. So a change is weighed together with the steps that it makes cheap.

// Effort: the number of first steps that compete, and of points among which each further step is looked for, spread over the cube and near the best.
const pathRoots, pathSpread, pathNear = 6, 96, 24

// ChangePath chooses the first step of the best path of at most this many steps.
func ChangePath(steps int) choose.Rule {
	return func(ctx context.Context, d *model.Beliefs) (model.Suggestion, error) {
		simple, err := choose.OneStep(choose.LogEIPUC)(ctx, d)
		if err != nil || d.IsLarge() || simple.LastTries > 0 {
			return simple, err
		}
		p := &changePath{Beliefs: d, steps: steps, points: pathPoints(d)}
		roots := p.roots(ctx, simple.X)
		rates := make([]float64, len(roots))
		for i, x := range roots {
			if rates[i] = p.rate(x); ctx.Err() != nil {
				return simple, nil
			}
		}
		top := model.Highest(rates)
		simple.X, simple.Acquisition = roots[top], math.Log(rates[top])
		simple.Plan = d.NewPlan(simple.X)
		return simple, nil
	}
}

// changePath values paths.
type changePath struct {
	*model.Beliefs
	steps  int
	points [][]float64 // among which further steps are looked for
}

// pathPoints are spread over the cube, and around the best.
func pathPoints(d *model.Beliefs) [][]float64 {
	points := maximise.RawPoints(pathSpread, d.Dim, d.SeedFor(model.SeedRaw))
	rng := rand.New(rand.NewPCG(d.SeedFor(model.SeedRaw), 7))
	for i := range pathNear {
		near := make([]float64, d.Dim)
		for j, v := range d.Incumbent {
			near[j] = min(max(v+math.Pow(2, -1-float64(i%8))*rng.NormFloat64(), 0), 1)
		}
		points = append(points, near)
	}
	for i, x := range points {
		points[i] = d.Setting(x)
	}
	return d.Allowed(points)
}

// roots returns the first steps that compete, beginning with the one that was chosen by itself.
func (p *changePath) roots(ctx context.Context, simple []float64) [][]float64 {
	const apart = 0.01
	function := choose.MayFail(choose.LogEIPUC)
	found := choose.Maximise(ctx, function, p.Belief, p.Beliefs, p.Effort(p.Dim), p.SeedFor(model.SeedRaw))
	s := choose.NewSelector(ctx, p.Beliefs, p.SeedFor(model.SeedRaw), choose.ValueOf(function, p.Beliefs)).Hopeful(p.Beliefs, 0)
	found.Keep(len(found.Peaks)) // the best first
	roots, kinds := [][]float64{simple}, map[uint]bool{p.kind(simple): true}
	for _, another := range []bool{false, true} { // the best of each kind, and then any
		for _, peak := range found.Peaks {
			x := s.Repaired(peak.X)
			if len(roots) < pathRoots && (another || !kinds[p.kind(x)]) && s.IsFresh(x) && maximise.FarFrom(roots, x, apart) {
				roots, kinds[p.kind(x)] = append(roots, x), true
			}
		}
	}
	return roots
}

// kind says which of what has a price stays as it is.
func (p *changePath) kind(x []float64) (kept uint) {
	if p.Change.At == nil {
		return 0
	}
	for i, coordinates := range p.Change.Keep {
		stays := true
		for _, j := range coordinates {
			stays = stays && x[j] == p.Change.At[j]
		}
		if stays {
			kept |= 1 << i
		}
	}
	return kept
}

// rate is what the path from a first step is expected to improve for its price, if every step returns what is expected.
func (p *changePath) rate(x []float64) (best float64) {
	b := p.Belief
	gain, price := 0.0, 0.0
	for range p.steps {
		lnCost, lnCostSD := b.LnCostAt(x)
		gain += math.Exp(choose.MayFail(choose.Budgeted)(b, p.Beliefs).Log().Eval(nil, x))
		price += math.Exp(lnCost)
		best = math.Max(best, gain/price)
		if b.Remaining -= model.ExpectedCost(lnCost, lnCostSD); b.Remaining <= 0 {
			break
		}
		var mean float64
		b.Objective, mean, _ = b.Objective.Believe(x)
		b.LnCost, _, _ = b.LnCost.Believe(x)
		b.Best = math.Max(b.Best, mean)
		set, points := x, p.stepsAfter(x)
		b.Setup = func(_, x []float64) (amount, sd float64) { return p.Change.Between(set, x), 0 }
		x = points[model.Highest(choose.MayFail(choose.LogEIPUC)(b, p.Beliefs).WithinBudget().Log().Values(points))]
	}
	return best
}

// stepsAfter are the points at which a path may go on: any of some, and those that keep some of what a step has set.
func (p *changePath) stepsAfter(set []float64) [][]float64 {
	state, change := *p.State, *p.Change
	change.At, state.Change = set, &change
	points := p.points
	for _, kept := range state.Keeps() {
		points = append(points[:len(points):len(points)], state.Kept(p.points, kept)...)
	}
	return points
}
