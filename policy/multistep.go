package policy

import (
	"context"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/lbfgsb"
	"github.com/eke-bo/eke/lookahead"
)

// multiStep chooses the root of the best tree under the fantasy budget.
func (p *policy) multiStep(fantasies []int) (chooser, error) {
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, b acq.Belief, s *State) Suggestion {
		money := p.fantasyBudget(ctx, b, s, shape.Depth())
		b.Remaining = money.budget
		base := lookahead.SobolSamples(fantasies, s.seed(seedBase))
		t, err := p.newTreeSearch(b, shape, base, s.seed(seedRaw))
		if err != nil {
			panic(err) // base samples are made for the shape
		}
		if p.Preset.Advance {
			t.planted = advanced(s, b, shape)
		}
		t.taken = p.taken(s)
		sol := t.run(ctx)
		walk := t.tree.NewWalk()
		out := Suggestion{
			X: slices.Clone(sol.Nodes[:s.Dim]), Acquisition: sol.LogValue,
			Evaluations: sol.Evaluations + money.evaluations, Searches: sol.Searches,
			Next: continuation(walk, sol.Nodes, s.Dim),
		}
		out.Plan = &Plan{
			Point: out.X, Fantasies: shape.Fantasies(), Nodes: sol.Nodes, Outcomes: walk.Fantasies(sol.Nodes),
			Budget: money.budget, Refill: money.refill, Observed: len(s.X), Open: s.Pending,
			Hyper: [2]gp.Hyper{b.Objective.Hyper(), b.LnCost.Hyper()},
		}
		return out
	}, nil
}

// continuation is what the tree would do after the root, if each evaluation returned what
// is likeliest.
func continuation(w *lookahead.Walk, x []float64, dim int) []Prediction {
	var next []Prediction
	for _, n := range w.LikeliestPath(x) {
		if n.Node == 0 {
			continue
		}
		next = append(next, newPrediction(x[n.Node*dim:(n.Node+1)*dim], n.Mean, n.SD, n.LnCost, n.LnCostSD, n.Money))
	}
	return next
}

// advanced returns the last tree, moved on by what its root really returned.
func advanced(s *State, b acq.Belief, shape *lookahead.Shape) [][]float64 {
	plan := s.Previous
	if plan == nil || !slices.Equal(plan.Fantasies, shape.Fantasies()) || len(plan.Nodes) != shape.Nodes()*s.Dim ||
		len(plan.Outcomes) != plan.Fantasies[0] {
		return nil
	}
	for _, v := range plan.Nodes {
		if !(v >= 0 && v <= 1) {
			return nil
		}
	}
	// Without an observation of the root yet, the likeliest branch is the first step's mean.
	observed := lookahead.Outcome{}
	known := false
	for i := min(max(plan.Observed, 0), len(s.X)); i < len(s.X); i++ {
		if slices.Equal(s.X[i], plan.Point) {
			observed, known = lookahead.Outcome{Value: s.Y[i], LnCost: s.LnCost[i]}, true
		}
	}
	if !known {
		mean, _ := b.Objective.Posterior(plan.Nodes[:s.Dim])
		lnCost, _ := b.LnCost.Posterior(plan.Nodes[:s.Dim])
		observed = lookahead.Outcome{Value: mean, LnCost: lnCost}
	}
	branch := lookahead.Nearest(plan.Outcomes, observed, b.Objective.Standard().Scale, b.LnCost.Standard().Scale)
	return [][]float64{lookahead.Advance(shape, plan.Nodes, branch)}
}

// Solution is a maximised tree.
type Solution struct {
	Nodes       []float64 // all points, root first
	LogValue    float64
	Evaluations int
	Searches    int
}

// treeSearch maximises one tree.
type treeSearch struct {
	policy                  *policy
	belief                  acq.Belief
	tree                    *lookahead.Tree
	along                   *lookahead.Tree // the path of as many steps
	base                    lookahead.Samples
	options                 lookahead.Options
	dim                     int
	raw, starts, iterations int
	seed                    uint64
	planted                 [][]float64 // starts of the caller's
	taken                   [][]float64 // points the root should not be
	evaluations             int
}

func (p *policy) newTreeSearch(b acq.Belief, shape *lookahead.Shape, base lookahead.Samples, seed uint64) (*treeSearch, error) {
	t := &treeSearch{policy: p, belief: b, base: base, dim: b.Objective.Dim(), seed: seed}
	t.options = lookahead.Options{MeanCost: p.Preset.MeanCost}
	t.raw, t.starts, t.iterations = p.effort(t.dim)
	var err error
	if t.tree, err = lookahead.New(b, shape, base, t.options); err != nil {
		return nil, err
	}
	t.along = t.pathOf(shape.Depth())
	return t, nil
}

func (t *treeSearch) run(ctx context.Context) Solution {
	f := found{}
	if t.policy.Preset.Grown {
		f = t.grown(ctx)
	} else {
		f = t.blind(ctx)
	}
	searches := len(f.peaks)
	f = t.polish(ctx, f)
	top := f.fresh(t.taken, t.seed)
	return Solution{Nodes: top.x, LogValue: top.value, Evaluations: t.evaluations + f.evaluations, Searches: searches}
}

// search climbs from the starts. Peak values are logarithms, whichever form was maximised.
func (t *treeSearch) search(ctx context.Context, starts [][]float64) found {
	if t.policy.Preset.LogForm {
		return t.climb(ctx, starts, searchSmoothing)
	}
	return maximise(ctx, func() lbfgsb.Func { return t.tree.NewWalk().Value }, starts, limits{t.iterations, t.policy.Threads, plainTol}).logged()
}

// The value of a tree often has its ridge on a corner, where a fantasy is just about to
// become the incumbent. The searches go over rounded corners (lookahead.Walk.Smoothing); the
// best few trees are then followed as the corners sharpen.
const searchSmoothing, polishing = 0.01, 4

var sharpening = []float64{0.01, 0.001, 0}

// climb maximises ln Q with corners rounded, and returns what the peaks are worth exactly.
func (t *treeSearch) climb(ctx context.Context, starts [][]float64, smoothing float64) found {
	f := maximiseHalving(ctx, func() lbfgsb.Func {
		w := t.tree.NewWalk()
		w.Smoothing = smoothing
		return w.LogValue
	}, starts, limits{t.iterations, t.policy.Threads, logTol})
	if ctx.Err() != nil {
		return f // what was found is as good as the time allowed
	}
	exact := t.tree.NewWalk()
	for i, p := range f.peaks {
		f.peaks[i].value = exact.LogValue(nil, p.x)
	}
	f.best = best(f.values(), 1)[0]
	return f
}

// polish follows the best trees as the corners sharpen, and adds what it finds.
func (t *treeSearch) polish(ctx context.Context, f found) found {
	if !t.policy.Preset.LogForm {
		return f
	}
	var starts [][]float64
	for _, i := range best(f.values(), polishing) {
		starts = append(starts, f.peaks[i].x)
	}
	for _, smoothing := range sharpening {
		if ctx.Err() != nil {
			break
		}
		sharper := t.climb(ctx, starts, smoothing)
		for i, p := range sharper.peaks {
			starts[i] = p.x
		}
		f.add(sharper)
	}
	return f
}

// MaximiseTree finds good points for all nodes of a tree, with the settings' effort and the
// preset's way of searching.
func MaximiseTree(ctx context.Context, b acq.Belief, fantasies []int, base lookahead.Samples, seed uint64, s Settings) (Solution, error) {
	made, err := New("bmsei", withFantasies(s, fantasies))
	if err != nil {
		return Solution{}, err
	}
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		return Solution{}, err
	}
	t, err := made.(*policy).newTreeSearch(b, shape, base, seed)
	if err != nil {
		return Solution{}, err
	}
	return t.run(ctx), nil
}

func withFantasies(s Settings, fantasies []int) Settings {
	s.Fantasies = fantasies
	return s
}
