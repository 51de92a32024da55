package policy

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/lbfgsb"
	"github.com/eke-bo/eke/lookahead"
)

// Solution is a maximised tree.
type Solution struct {
	Nodes       []float64 // all points, root first
	LogValue    float64
	Starts      int  // from which the tree was searched
	Searches    int  // local searches in all: from the starts, their continuations, and of smaller problems that help
	Evaluations int  // within those searches
	CutShort    bool // the context ended before the search did
}

// treeSearch maximises one tree.
type treeSearch struct {
	policy  *policy
	belief  acq.Belief
	tree    *lookahead.Tree
	base    lookahead.Samples
	options lookahead.Options
	dim     int
	effort
	seed                  uint64
	planted               [][]float64 // starts of the caller's
	state                 *State      // whose settings the root must be one of, and a new one; nil: any point will do
	searches, evaluations int         // spent besides those from the starts
	pool                  [][]float64 // the first pool, once made: the tree's first levels use it too
	highestMean           []float64   // the maximiser of the posterior mean, likewise
}

func (p *policy) newTreeSearch(b acq.Belief, shape *lookahead.Shape, base lookahead.Samples, seed uint64) (*treeSearch, error) {
	t := &treeSearch{policy: p, belief: b, base: base, dim: b.Objective.Dim(), seed: seed}
	t.options = lookahead.Options{MeanCost: p.Preset.MeanCost, Discount: p.Preset.Discount}
	t.effort = p.effort(t.dim)
	var err error
	t.tree, err = lookahead.New(b, shape, base, t.options)
	return t, err
}

func (t *treeSearch) run(ctx context.Context) (Solution, error) {
	var f found
	if t.policy.Preset.Grown {
		f = t.grown(ctx)
	} else {
		f = t.blind(ctx)
	}
	s := Solution{Starts: len(f.peaks)}
	if t.policy.Preset.LogForm {
		t.polish(ctx, &f)
	}
	walk := t.tree.NewWalk()
	top, err := f.top(), error(nil)
	if t.state != nil {
		top, err = t.settle(ctx, walk, f)
	}
	s.Nodes, s.LogValue, s.CutShort = top.x, top.value, ctx.Err() != nil
	s.Searches, s.Evaluations = t.searches+f.searches, t.evaluations+f.evaluations
	return s, err
}

// settle chooses among the trees. Where the roots of all are known, those of the one-step function compete too, which look
// at more places.
func (t *treeSearch) settle(ctx context.Context, walk *lookahead.Walk, f found) (peak, error) {
	s := t.policy.newSettler(ctx, t.state, t.seed, func(x []float64) float64 { return walk.LogValue(nil, x) })
	s = s.among(t.belief, t.policy.Preset.Informative)
	if s.allKnown(f) {
		made := func() *acq.Function { return acq.Budgeted(t.belief) }
		for _, one := range t.helper(t.policy.maximiseOneStep(ctx, made, t.state, t.effort, t.seed)).peaks {
			x := s.withRoot(f.top().x, one.x)
			f.peaks = append(f.peaks, peak{x, walk.LogValue(nil, x)})
		}
	}
	return s.settle(f)
}

// helper books the effort of a search that is not one from the starts.
func (t *treeSearch) helper(f found) found {
	t.searches += f.searches
	t.evaluations += f.evaluations
	return f
}

// search climbs from the starts. Peak values are logarithms, whichever form was maximised.
func (t *treeSearch) search(ctx context.Context, starts [][]float64, iterations int) found {
	if t.policy.Preset.LogForm {
		return t.climb(ctx, starts, iterations, searchSmoothing)
	}
	f := maximise(ctx, func() lbfgsb.Func { return t.tree.NewWalk().Value }, starts, limits{iterations, t.policy.Threads, plainTol})
	f.revalue(t.tree.NewWalk().LogValue)
	return f
}

// The value of a tree often has its ridge on a corner, where a fantasy is just about to
// become the incumbent. The searches go over rounded corners (lookahead.Walk.Smoothing); the
// best few trees are then followed as the corners sharpen.
const searchSmoothing, polishing = 0.01, 4

var sharpening = []float64{0.01, 0.001, 0}

// climb maximises ln Q with corners rounded, once for each width, going on from where the last ended, and
// returns what the peaks are worth exactly: a peak that is worth less than where its search began is put back there.
func (t *treeSearch) climb(ctx context.Context, starts [][]float64, iterations int, widths ...float64) found {
	f := fromEach(ctx, starts, t.policy.Threads, func() func(*peak) int {
		walk := t.tree.NewWalk()
		c := newClimber(ctx, walk.LogValue, limits{iterations: iterations, ftol: logTol})
		return func(p *peak) (evaluations int) {
			start := slices.Clone(p.x)
			for _, walk.Smoothing = range widths {
				v, n := c.climb(p.x)
				evaluations += n
				if !math.IsInf(v, -1) { // −∞: the context ended before this width
					p.value = v
				}
			}
			walk.Smoothing = 0
			if ctx.Err() != nil {
				return evaluations // no time for exactness
			}
			p.value = walk.LogValue(nil, p.x)
			if v := walk.LogValue(nil, start); !(p.value >= v) {
				*p = peak{start, v}
			}
			return evaluations
		}
	})
	f.searches *= len(widths)
	return f
}

// polish follows the best trees as the corners sharpen, and adds what it finds.
func (t *treeSearch) polish(ctx context.Context, f *found) {
	if ctx.Err() == nil {
		f.add(t.climb(ctx, distinct(f.points(), polishing), t.iterations, sharpening...))
	}
}

// MaximiseTree finds good points for all nodes of a tree, with the settings' effort and the
// preset's way of searching.
func MaximiseTree(ctx context.Context, b acq.Belief, fantasies []int, base lookahead.Samples, seed uint64, s Settings) (Solution, error) {
	s, err := s.complete()
	if err != nil {
		return Solution{}, err
	}
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		return Solution{}, err
	}
	t, err := (&policy{Settings: s}).newTreeSearch(b, shape, base, seed)
	if err != nil {
		return Solution{}, err
	}
	return t.run(ctx)
}
