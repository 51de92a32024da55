package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
)

// Evaluating a point a second time teaches almost nothing if evaluations are deterministic. The models always allow for some noise, so they do
// not quite know that. In a corner of the box, a search may end on exactly the point that was evaluated last. And if settings are whole
// numbers or choices, many points of the cube stand for one setting. So the suggested point is the setting's own point, it is judged there,
// and it is new.

// ErrExhausted says that every setting has been tried.
var ErrExhausted = errors.New("every setting has been tried")

// Limits of the search for a setting. mostPeaks is how many peaks are judged. mostSettings is how many settings are looked through for a new
// setting, and mostInfeasible how many if there are constraints. mostDraws is how many random points are drawn after that.
const mostPeaks, mostSettings, mostInfeasible, mostDraws = 20, 1 << 20, 1 << 16, 4000

// Selector chooses among peaks. The first point of each must be new; in a tree that is the root.
type Selector struct {
	ctx   context.Context
	state *model.State
	taken [][]float64
	seed  uint64
	value func(x []float64) float64 // the value of a whole peak, as a logarithm

	anchors  [][]float64            // feasible points; empty: every point is feasible, or none was found
	fails    func(x []float64) bool // the point is sure to fail, as others close to it have; nil: none is
	hopeless func(x []float64) bool // the point is not worth its price; nil: every point is
	safe     float64                // the chance of a value that a point needs
	works    func(x []float64) float64
}

// NewSelector returns a selector of points that are new.
func NewSelector(ctx context.Context, d *model.Beliefs, seed uint64, value func(x []float64) float64) Selector {
	return Selector{ctx: ctx, state: d.State, taken: d.Taken, seed: seed, value: value, anchors: anchors(d.State, seed), fails: d.SureToFail()}
}

// allKnown says whether there are constraints and, under them, none of the peaks is worth an evaluation.
func (t Selector) allKnown(peaks []maximise.Peak) bool {
	return t.state.Feasible != nil && !slices.ContainsFunc(peaks, func(p maximise.Peak) bool { return t.IsFresh(t.snapped(p.X)) })
}

// choose returns the best peak whose first point is a setting's own point and not taken. If all are taken, top, the
// best peak of the search, is moved away.
func (t Selector) choose(peaks []maximise.Peak, top maximise.Peak) (maximise.Peak, error) {
	if chosen, ok := t.best(peaks, top); ok {
		return t.climb(t.slide(chosen)), nil
	}
	return t.elsewhere(top)
}

// best returns the best peak whose first point is a setting's own point and new.
func (t Selector) best(peaks []maximise.Peak, top maximise.Peak) (chosen maximise.Peak, found bool) {
	chosen = maximise.Peak{Value: math.Inf(-1)}
	peaks = slices.Concat(peaks, t.spare(top))
	for k, i := range maximise.Highest(maximise.Result{Peaks: peaks}.Values(), len(peaks)) {
		if found && (t.state.Snap == nil && t.anchors == nil || k >= mostPeaks || t.ctx.Err() != nil) {
			break
		}
		p := peaks[i]
		x := t.Repaired(p.X)
		if !t.IsFresh(x) {
			continue
		}
		if !slices.Equal(x, p.X) {
			p = maximise.Peak{X: x, Value: t.value(x)}
		}
		if !found || p.Value > chosen.Value {
			chosen, found = p, true
		}
	}
	return chosen, found
}

// snapped returns the coordinates with every point moved to its setting's own point, not only the first. Further steps
// that are not settings promise values that nobody can have, and a plan that waits for them could begin anywhere.
func (t Selector) snapped(x []float64) []float64 {
	if t.state.Snap == nil {
		return x
	}
	moved := make([]float64, 0, len(x))
	for d := t.state.Dim; len(x) >= d; x = x[d:] {
		moved = append(moved, t.state.Snap(x[:d])...)
	}
	return moved
}

// withRoot returns the coordinates with another first point.
func (t Selector) withRoot(x, root []float64) []float64 {
	return append(slices.Clone(root), x[t.state.Dim:]...)
}

// IsFresh says whether a point may be suggested, is new and worth an evaluation.
func (t Selector) IsFresh(x []float64) bool {
	x = x[:t.state.Dim]
	return t.state.Allows(x) && maximise.FarFrom(t.taken, x, model.SameDistance) && (t.fails == nil || !t.fails(x)) && (t.hopeless == nil || !t.tooRisky(x) && !t.hopeless(x))
}

func (t Selector) tooRisky(x []float64) bool { return t.safe > 0 && t.works(x) < t.safe-roundSafe }

// climb moves to better neighbouring settings, which differ by one step of a whole number or by one
// choice, as long as that helps. Rounding a peak does not always give the best setting near it.
func (t Selector) climb(p maximise.Peak) maximise.Peak {
	if t.state.Neighbours == nil {
		return p
	}
	for range 10 {
		before := p
		for _, root := range t.state.Neighbours(before.X[:t.state.Dim]) {
			if t.ctx.Err() != nil {
				return p
			}
			x := t.withRoot(before.X, root)
			if !t.IsFresh(x) {
				continue
			}
			if v := t.value(x); v > p.Value {
				p = maximise.Peak{X: x, Value: v}
			}
		}
		if p.Value == before.Value {
			break
		}
	}
	return p
}

// elsewhere moves the best peak to a new point.
func (t Selector) elsewhere(top maximise.Peak) (maximise.Peak, error) {
	x, ok := t.nearestNew(top.X)
	switch {
	case ok:
		x = t.Repaired(x)
		return maximise.Peak{X: x, Value: t.value(x)}, nil
	case t.hopeless != nil:
		t.hopeless, t.fails = nil, nil
		if _, ok := t.nearestNew(top.X); !ok && t.state.Snap != nil {
			return top, ErrExhausted
		}
		return top, ErrNoHope
	case t.fails != nil:
		t.fails = nil // nothing else is new: points that are sure to fail are left
		return t.elsewhere(top)
	case t.state.Snap == nil && t.state.Feasible == nil:
		return top, nil // there are so many points that there is no room between them
	}
	return top, ErrExhausted
}

// late reports whether there is no time left to ask the model about points.
func (t Selector) late() bool { return t.hopeless != nil && t.ctx.Err() != nil }

// nearestNew returns the coordinates with the first point moved to a new setting. It goes from neighbour to neighbour, the
// nearest first, and stops at the first new setting. If there are no neighbours, or none of those checked is new, it draws points
// at random. If the model has to be asked about every point, fewer are checked, because that is slow.
func (t Selector) nearestNew(x []float64) ([]float64, bool) {
	most := mostSettings
	switch {
	case t.hopeless != nil:
		most = mostDraws
	case t.state.Feasible != nil:
		most = mostInfeasible // not all settings in between are taken
	}
	x = t.Repaired(x)
	rng := rand.New(rand.NewPCG(t.seed, 5))
	if t.state.Neighbours != nil {
		seen := map[string]bool{}
		for queue := [][]float64{x[:t.state.Dim]}; len(queue) > 0 && len(seen) < most && !t.late(); queue = queue[1:] {
			if root := queue[0]; t.IsFresh(root) {
				return t.withRoot(x, root), true
			}
			for _, root := range t.state.Neighbours(queue[0]) {
				if key := fmt.Sprint(root); !seen[key] {
					seen[key] = true
					queue = append(queue, root)
				}
			}
		}
	}
	// Other parameters may still vary: a little at first, then anywhere.
	for k := 0; k < mostDraws && !t.late(); k++ {
		root := slices.Clone(x[:t.state.Dim])
		for j := range root {
			if k < mostDraws/4 {
				root[j] = min(max(root[j]+1e-3*math.Pow(1.01, float64(k))*rng.NormFloat64(), 0), 1)
			} else {
				root[j] = rng.Float64()
			}
		}
		if y := t.snapped(t.withRoot(x, root)); t.IsFresh(y) {
			return y, true
		}
	}
	return nil, false
}

// A trial whose own forecast gives it next to no chance to beat the best value is not worth paying for. The more of the budget it takes, the
// likelier it must be to win. On the suite's tuning problems, cheap long shots do find new regions, and dear ones are not missed;
// bench/NOTES.md has the figures. If a search finds only such points, the improvement within the budget is searched, whatever a point costs,
// and then the neighbours of the best peak and random points. If none of them will do, the study is over: further trials would only be
// scattered at random.

// ErrNoHope says that no setting has a fair chance to beat the best value.
var ErrNoHope = errors.New("no setting is likely enough to beat the best value")

// ErrBestPossible says that the best value is as good as any can be.
var ErrBestPossible = errors.New("nothing can be better than the best value")

// leastChance is the chance to beat the best value that every trial needs, and stake the chance that a trial for the whole budget needs. A trial that takes
// a fraction of the budget needs that fraction of stake, but never less than leastChance.
const leastChance, stake = 0.009, 0.1

// lastChance is the least chance to beat the best value that one of the last few tries needs. A long shot shows where to go on, and there is no money left to
// go on with.
const lastChance = 0.05

// even is the chance of a value that a point needs at most if no safer point is hopeful, and roundSafe how far below the least chance a search may end.
const even, roundSafe = 0.5, 0.005

// surelyWorks is a chance of a value that is as good as certain.
const surelyWorks = 1 - 1e-9

// Hopeful returns a selector that also skips points that are too likely to fail. It skips points whose chance to beat the best value is too
// small for their price, or for the number of tries that the money still buys; 0 means many. With looks the price does not matter, since a
// look may come first.
func (t Selector) Hopeful(d *model.Beliefs, tries float64) Selector {
	if d.Paper || d.LongShots || d.IsNoisy() || d.NoneCounts { // whoever has nothing that counts goes on, however long the odds
		return t
	}
	last := 0.0
	if tries > 0 && d.Levels == nil {
		last = lastChance
	}
	beats, budget := d.Beats(), math.Max(d.Initial, d.Remaining)
	t.safe, t.works = d.LeastChance(), d.Belief.Works()
	t.hopeless = func(x []float64) bool {
		lnCost, _ := d.Belief.LnCostAt(x)
		least := math.Max(leastChance, last)
		if d.Levels == nil {
			least = math.Max(least, stake*math.Exp(lnCost)/budget)
		}
		if d.Fails != nil { // what fails at a small price needs a smaller chance
			price, _, _ := d.Fails.LogPrice(math.Log(math.Min(t.works(x), surelyWorks)), lnCost)
			least *= math.Exp(math.Min(price-lnCost, 0))
		}
		return beats(x) < least
	}
	return t
}

// Searches start from feasible points. An infeasible result is moved towards a feasible point until it is feasible, and then improved
// along the constraints.

// Anchors are feasible points from which others are reached: at most mostAnchors of anchorDraws points that are spread over the cube, and
// the points that have values or are pending.
const mostAnchors, anchorDraws = 64, 4096

// anchors returns feasible points; empty: every point is feasible, or none was found.
func anchors(s *model.State, seed uint64) (list [][]float64) {
	if s.Feasible == nil {
		return nil
	}
	for _, x := range maximise.RawPoints(anchorDraws, s.Dim, seed) {
		if x = s.Setting(x); s.Feasible(x) {
			if list = append(list, x); len(list) == mostAnchors {
				break
			}
		}
	}
	for _, x := range slices.Concat(s.X, s.Pending) {
		if s.Feasible(x) {
			list = append(list, x)
		}
	}
	return list
}

// Repaired returns the coordinates with every point moved to a setting's own point. If that is infeasible, it is moved towards a feasible
// point: the first point towards the nearest anchor, and the others towards the first.
func (t Selector) Repaired(x []float64) []float64 {
	x = t.snapped(x)
	if len(t.anchors) == 0 {
		return x
	}
	d := t.state.Dim
	moved := make([]float64, 0, len(x))
	for i := 0; i < len(x); i += d {
		node := x[i : i+d]
		if !t.state.Allows(node) {
			from := moved[:min(d, len(moved))]
			if i == 0 {
				from = nearestTo(t.anchors, node)
			}
			node = t.towards(from, node)
		}
		moved = append(moved, node...)
	}
	return moved
}

// towards returns the last feasible setting on the way from a feasible point to another.
func (t Selector) towards(from, to []float64) []float64 {
	const halvings = 30
	low, high, last := 0.0, 1.0, from
	for range halvings {
		part, x := (low+high)/2, make([]float64, len(from))
		for j := range x {
			x[j] = from[j] + part*(to[j]-from[j])
		}
		if x = t.state.Setting(x); t.state.Allows(x) {
			low, last = part, x
		} else {
			high = part
		}
	}
	return last
}

// spare returns peaks whose first points are the anchors, for a search whose best peak is infeasible.
func (t Selector) spare(top maximise.Peak) (peaks []maximise.Peak) {
	if len(t.anchors) == 0 || t.state.Allows(t.snapped(top.X)) {
		return nil
	}
	for _, root := range t.anchors[:min(mostAnchors, len(t.anchors))] {
		x := t.Repaired(t.withRoot(top.X, root))
		peaks = append(peaks, maximise.Peak{X: x, Value: t.value(x)})
	}
	return peaks
}

// slide climbs along the constraints from a feasible point, one coordinate at a time: the top of what is feasible is often on
// their edge, where no gradient leads. A step beyond the edge ends on it: where it crosses it, or on the way to what is feasible nearby.
func (t Selector) slide(p maximise.Peak) maximise.Peak {
	if len(t.anchors) == 0 {
		return p
	}
	const widest, narrowest, most = 0.2, 1e-4, 500
	tries := 0
	for step := widest; step > narrowest && tries < most && t.ctx.Err() == nil; {
		better := false
		for j := 0; j < 2*t.state.Dim && tries < most; j++ {
			root := slices.Clone(p.X[:t.state.Dim])
			root[j/2] = min(max(root[j/2]+step*float64(1-2*(j%2)), 0), 1)
			for _, root := range t.ends(p.X[:t.state.Dim], root) {
				x := t.Repaired(t.withRoot(p.X, root))
				if slices.Equal(x, p.X) || !t.IsFresh(x) {
					continue
				}
				tries++
				if v := t.value(x); v > p.Value {
					p, better = maximise.Peak{X: x, Value: v}, true
				}
			}
		}
		if !better {
			step /= 2
		}
	}
	return p
}

// ends lists where a step from a feasible point leads to.
func (t Selector) ends(from, to []float64) [][]float64 {
	if t.state.Allows(t.state.Setting(to)) {
		return [][]float64{to}
	}
	return [][]float64{to, t.towards(from, to)}
}

// nearestTo returns the nearest of some points.
func nearestTo(points [][]float64, x []float64) []float64 {
	distance := func(p []float64) (sum float64) {
		for j, v := range p {
			sum += (v - x[j]) * (v - x[j])
		}
		return sum
	}
	return slices.MinFunc(points, func(p, q []float64) int { return cmp.Compare(distance(p), distance(q)) })
}
