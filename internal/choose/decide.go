package choose

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/eke-bo/eke/internal/looks"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/sobol"
)

// Rule picks a point. It fills in X and, where they apply, Level, Acquisition, Next, Plan, LastTries and the effort.
type Rule func(ctx context.Context, d *model.Beliefs) (model.Suggestion, error)

// Policy is the type of all policies, which differ only in these fields.
type Policy struct {
	// Rule picks the point.
	Rule Rule

	// Look returns what was chosen or a look in its place, where there are levels. Nil means looks.First.
	Look func(ctx context.Context, d *model.Beliefs, chosen model.Suggestion) model.Suggestion

	// Blind says that models and earlier studies play no part in the choice.
	Blind bool

	// Plans says that the rule plans several steps ahead, with values and costs that are independent.
	Plans bool

	// Changing replaces the rule of a policy that plans if it costs something to get ready. Nil means OneStep(LogEIPUC).
	Changing Rule

	// Climbs says that the rule itself chooses levels, and climbs them by successive halving.
	Climbs bool

	// Guided says that a rule that climbs chooses new points by models of the values.
	Guided bool

	name   string // what suggestions call the policy; no choice depends on it
	fitter *model.Fitter
}

// New returns the policy with a name and settings.
func (p Policy) New(name string, s model.Settings) (*Policy, error) {
	f, err := model.NewFitter(s)
	if err != nil {
		return nil, err
	}
	f.NoLooks, f.CostsOnly = p.Blind || p.Climbs, p.Climbs && !p.Guided
	if p.name, p.fitter = name, f; p.Look == nil {
		p.Look = looks.First
	}
	return &p, nil
}

// Suggest returns the next point to evaluate. When the context ends, it returns the best point found so far.
func (p *Policy) Suggest(ctx context.Context, s model.State) (model.Suggestion, error) {
	if s.Remaining <= 0 {
		return model.Suggestion{}, model.ErrBudgetSpent
	}
	if err := s.Check(); err != nil {
		return model.Suggestion{}, err
	}
	waiting := len(s.Pending)
	if p.fitter.TakesLooks() {
		waiting += len(s.Looking)
	}
	if len(s.X) == 0 && waiting >= max(p.fitter.DesignSize(&s), p.fitter.Parallel, 1) {
		return model.Suggestion{}, model.ErrNothingKnown // it is better to wait for a first result
	}
	d, err := p.fitter.Believe(ctx, &s)
	if err != nil {
		return model.Suggestion{}, err
	}
	if d.IsBestPossible() && !d.LongShots {
		return model.Suggestion{}, ErrBestPossible
	}
	return p.decide(ctx, d)
}

// decide takes the next point of the design, the point of the policy's rule, or a look in its place.
func (p *Policy) decide(ctx context.Context, d *model.Beliefs) (out model.Suggestion, err error) {
	first, known := len(d.X) == 0, d.IsKnown()
	switch {
	case p.Climbs && d.Levels != nil:
		out, err = p.Rule(ctx, d)
		out.Policy = p.name
	case !known:
		return p.explore(ctx, d)
	case d.InDesign():
		out, err = p.explore(ctx, d)
	case first && !d.FollowsEarlier(): // an earlier study's results would count like this study's
		if out, known = looks.Begin(d); !known {
			return p.explore(ctx, d)
		}
	default:
		switch out, err = p.ruleFor(d)(ctx, d); {
		case err != nil || d.Levels == nil:
		case d.Held:
			out.Level = 1
		default:
			chosen := out.X
			if out = p.Look(ctx, d, out); out.Level == 1 && out.Plan != nil && !slices.Equal(out.X, chosen) {
				plan := *out.Plan // its point is still the root of its tree
				plan.Track, out.Plan = d.NewPlan(out.X).Track, &plan
			}
		}
		if out.Policy == "" {
			out.Policy = p.name
		}
	}
	if err != nil {
		return model.Suggestion{}, err
	}
	if !known {
		return out, nil
	}
	out.Predicted = d.Expect(out.X, out.Level)
	if !first || d.FollowsEarlier() {
		out.Earlier = d.EarlierUse()
		if full := d.Levels == nil || out.Level == 1; full && !first && !d.NoneCounts && (d.Lacks == nil || d.AnyCounts()) {
			if out.Predicted.Beats = d.Beats()(out.X); d.IsNoisy() && !d.HasAims() {
				out.Predicted.Gain = d.Gain(out.Predicted)
			}
		}
		if d.HasAims() && out.Policy == p.name && out.Look == nil { // a look is on no front
			out.Between = d.Between(out.X)
		}
	}
	out.CutShort = ctx.Err() != nil
	out.Acquisition = model.Capped(out.Acquisition)
	return out, nil
}

// ruleFor returns the policy's rule, or another rule in some cases. A setting that somebody wants is completed by the values that promise most, whatever
// they cost. If it costs something to get ready, a policy that plans uses Changing or looks one step ahead, since trees know nothing of that cost. Before
// any evaluation meets the limits, the rule looks for a point that does. Several objectives have one rule: the expected gain in hypervolume per median cost.
func (p *Policy) ruleFor(d *model.Beliefs) Rule {
	if d.Held && !p.Blind {
		return Promising(p.usual(d))
	}
	return p.usual(d)
}

func (p *Policy) usual(d *model.Beliefs) Rule {
	switch {
	case p.Changing != nil && d.Change != nil && len(d.Further) == 0 && !d.HasAims():
		return p.Changing
	case p.Blind:
		return p.Rule
	case d.NoneCounts && len(d.Further) > 0:
		return OneStep(Feasibility)
	case d.HasAims() || p.Plans && d.Change != nil:
		return OneStep(LogEIPUC)
	}
	return p.Rule
}

// The initial design spreads a few points over the space, so that the models have something to start from. In the paper it has
// 2(d+1) points and is free. Here it costs money, so it ends when its share of the budget is used. Its first two
// points keep away from the edges, where the dearest settings are, and seldom the best. Once two costs are known, it takes cheap points.

// explore returns the best point of the earlier study, if it has not been tried yet, and otherwise the next point of the initial design.
// No other point shows sooner whether the earlier study is right and, if it is, no other point is better to begin with.
func (p *Policy) explore(ctx context.Context, d *model.Beliefs) (model.Suggestion, error) {
	if !p.Blind {
		x, paid, ok := d.EarlierBest(ctx, d.Remaining)
		tried := slices.Concat(d.X, d.Failures(), d.Pending, d.Tried)
		for _, l := range d.Stopped {
			tried = append(tried, l.X)
		}
		if ok && !slices.ContainsFunc(tried, func(t []float64) bool { return slices.Equal(t, x) }) {
			return model.Suggestion{X: x, Level: 1, Policy: "earlier", Predicted: paid}, nil
		}
	}
	return p.design(ctx, d)
}

// design returns the next point of the initial design, from a scrambled Sobol sequence that depends on the study's seed. Once costs are known, it is
// the cheapest of a few points that are far from all that were tried, except in the paper's preset and for random points. It is also used
// while there is nothing to model yet.
func (p *Policy) design(ctx context.Context, d *model.Beliefs) (model.Suggestion, error) {
	if d.Dim > sobol.MaxDim {
		out, err := Random(ctx, d)
		out.Policy, out.Level = "design", designLevel(d)
		return out, err
	}
	x, cheap := designPoint(d.State), false
	switch {
	case d.Paper || p.Blind:
	case d.IsKnown() && d.LogCost().Len() >= model.LeastDesign:
		points := d.Allowed(append([][]float64{x}, maximise.RawPoints(mostDesigned-1, d.Dim, d.SeedFor(model.SeedDesign))...))
		for _, kept := range d.Keeps() {
			points = append(points, d.Kept(points[:min(mostDesigned, len(points))], kept)...)
		}
		x, cheap = cheapest(d, points), true
	case d.Trial < model.LeastDesign && d.Levels == nil:
		x = inner(x)
	}
	out, err := newPoint(ctx, d, x, "design")
	out.Level, out.Cheapest = designLevel(d), cheap
	return out, err
}

// designLevel returns the level of the next point of the initial design: looks on the lowest two levels in turn. Two tell how levels differ, and
// higher ones cost more.
func designLevel(d *model.Beliefs) float64 {
	if d.Levels == nil || !d.TakesLooks() {
		return 1
	}
	return d.Levels[d.ChosenLooks()%min(len(d.Levels)-1, 2)]
}

// mostDesign is how many points of a sequence are checked for feasible ones.
const mostDesign = 1 << 16

// designPoint returns the next point of the sequence that is feasible, if one comes soon. An earlier study with the same seed has paid for
// the sequence already.
func designPoint(s *model.State) []float64 {
	if s.Earlier != nil {
		other := *s
		other.Seed, other.Earlier = model.Mix(s.Seed+model.SeedDesign), nil // Mix(0) is 0
		return designPoint(&other)
	}
	points := sobol.New(s.Dim, model.Mix(s.Seed+model.SeedDesign))
	for i, n := 0, s.Trial; i < mostDesign && s.Feasible != nil; i++ {
		if x := s.Setting(points.Next(nil)); s.Feasible(x) {
			if n--; n < 0 {
				return x
			}
		}
	}
	points = sobol.New(s.Dim, model.Mix(s.Seed+model.SeedDesign))
	points.Skip(s.Trial)
	return points.Next(nil)
}

// inner moves a point into the middle half of every range.
func inner(x []float64) []float64 {
	for j := range x {
		x[j] = 0.25 + x[j]/2
	}
	return x
}

// mostDesigned is the number of points among which the cheapest is looked for.
const mostDesigned = 16

// cheapest returns the point with the lowest median cost among the half of the points that are farthest from all others tried
// so far (after Lee, Perrone, Archambeau, Seeger 2020).
func cheapest(d *model.Beliefs, points [][]float64) []float64 {
	tried := slices.Concat(d.X, d.Pending, d.Tried, d.LookedAt(0))
	distances := make([]float64, len(points))
	for i, x := range points {
		distances[i] = math.Inf(1)
		for _, y := range tried {
			distances[i] = math.Min(distances[i], floats.Distance(x, y, 2))
		}
	}
	chosen, lowest := points[0], math.Inf(1)
	for _, i := range maximise.Highest(distances, (len(points)+1)/2) {
		if cost, _ := d.Belief.LnCostAt(points[i]); cost < lowest {
			chosen, lowest = points[i], cost
		}
	}
	return chosen
}

// Random is the rule that ignores what was observed.
func Random(ctx context.Context, d *model.Beliefs) (model.Suggestion, error) {
	rng := rand.New(rand.NewPCG(d.SeedFor(model.SeedRandom), 1))
	x := make([]float64, d.Dim)
	for range mostDesign {
		for j := range x {
			x[j] = rng.Float64()
		}
		if d.Allows(d.Setting(x)) {
			break
		}
	}
	return newPoint(ctx, d, x, "")
}

// newPoint suggests x or, if its setting was tried before, a setting near it that was not.
func newPoint(ctx context.Context, d *model.Beliefs, x []float64, name string) (model.Suggestion, error) {
	seed := d.SeedFor(model.SeedRandom)
	t := Selector{ctx: ctx, state: d.State, taken: d.Taken, seed: seed} // mostly this is all: anchors take thousands of draws
	if x = t.snapped(x); !t.IsFresh(x) {
		t.anchors = anchors(d.State, seed)
		near, ok := t.nearestNew(x)
		switch {
		case ok:
			x = near
		case d.Snap != nil || d.Feasible != nil:
			return model.Suggestion{}, ErrExhausted
		}
	}
	return model.Suggestion{X: x, Policy: name}, nil
}
