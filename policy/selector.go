package policy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
)

// This file goes from the results of a search to the point that is suggested.
//
// Evaluating a point a second time teaches almost nothing if evaluations are deterministic. The models
// always allow for some noise, so they do not quite know that: in a corner of the box, where a search ends
// on exactly the same numbers again, the best point may be the last one. And if settings are whole numbers
// or choices, many points of the cube stand for one setting. The suggested point is the setting's own
// point, it is judged there, and it is new.

// ErrExhausted says that every setting has been tried.
var ErrExhausted = errors.New("every setting has been tried")

// sameDistance is the distance below which two points count as one: a millionth of the cube's edge.
const sameDistance = 1e-6

// Limits of the search for a setting: peaks whose settings are judged, settings checked to find a new one, and
// random points drawn if settings have no neighbours.
const mostPeaks, mostSettings, mostInfeasible, mostDraws = 20, 1 << 20, 1 << 16, 4000

// selector chooses among peaks. The first point of each must be new; in a tree that is the root.
type selector struct {
	ctx   context.Context
	state *State
	taken [][]float64
	seed  uint64
	value func(x []float64) float64 // the value of a whole peak, as a logarithm
	known func(x []float64) bool    // nothing can be learnt at the point; nil: something can, everywhere

	anchors  [][]float64            // feasible points; nil: every point is feasible
	hopeless func(x []float64) bool // the point is not worth its price; nil: every point is
}

func newSelector(ctx context.Context, d *decision, seed uint64, value func(x []float64) float64) selector {
	return selector{ctx: ctx, state: d.State, taken: d.taken, seed: seed, value: value, anchors: d.anchors(seed)}
}

// informative returns a selector that also skips a point if the model knows nearly everything about it, and knows that
// it is no better than the best. The models always allow for some noise, so they promise a little improvement next to
// the best point, however often that region was evaluated. If they see nothing else, a policy would spend the rest of
// its money there.
func (t selector) informative(b acq.Belief, part float64) selector {
	if t.taken == nil || part <= 0 {
		return t
	}
	if t.state.Snap != nil && b.Objective.Hyper().Noise > gp.Deterministic.Max {
		return t // from one whole number or choice to the next there may be gains that no kernel can follow
	}
	scale := b.Objective.Standard().Scale
	noise := b.Objective.Hyper().Noise * scale * scale
	t.known = func(x []float64) bool {
		mean, variance := b.Objective.Posterior(x)
		return variance < part*noise && mean < b.Best+math.Sqrt(noise)
	}
	return t
}

// allKnown says whether none of the peaks is worth an evaluation.
func (t selector) allKnown(peaks []maximise.Peak) bool {
	return (t.known != nil || t.state.Feasible != nil) && !slices.ContainsFunc(peaks, func(p maximise.Peak) bool { return t.isFresh(t.snapped(p.X)) })
}

// choose returns the best peak whose first point is a setting's own point and not taken. If all are taken, top, the
// best peak of the search, is moved away.
func (t selector) choose(peaks []maximise.Peak, top maximise.Peak) (maximise.Peak, error) {
	if chosen, ok := t.best(peaks, top); ok {
		return t.climb(t.slide(chosen)), nil
	}
	return t.elsewhere(peaks, top)
}

// best returns the best peak whose first point is a setting's own point and new.
func (t selector) best(peaks []maximise.Peak, top maximise.Peak) (chosen maximise.Peak, found bool) {
	chosen = maximise.Peak{Value: math.Inf(-1)}
	peaks = slices.Concat(peaks, t.spare(top))
	for k, i := range maximise.Highest(maximise.Result{Peaks: peaks}.Values(), len(peaks)) {
		if found && (t.state.Snap == nil && t.anchors == nil || k >= mostPeaks || t.ctx.Err() != nil) {
			break
		}
		p := peaks[i]
		x := t.repaired(p.X)
		if !t.isFresh(x) {
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
func (t selector) snapped(x []float64) []float64 {
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
func (t selector) withRoot(x, root []float64) []float64 {
	return append(slices.Clone(root), x[t.state.Dim:]...)
}

func (t selector) isFresh(x []float64) bool {
	x = x[:t.state.Dim]
	return t.state.feasible(x) && maximise.FarFrom(t.taken, x, sameDistance) && (t.known == nil || !t.known(x)) && (t.hopeless == nil || !t.hopeless(x))
}

// climb moves to better neighbouring settings, which differ by one step of a whole number or by one
// choice, as long as that helps. Rounding a peak does not always give the best setting near it.
func (t selector) climb(p maximise.Peak) maximise.Peak {
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
			if !t.isFresh(x) {
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

// elsewhere moves the best peak to a new point. If everything new is known, it chooses a peak as if nothing were known: an
// evaluation that teaches little is better than none.
func (t selector) elsewhere(peaks []maximise.Peak, top maximise.Peak) (maximise.Peak, error) {
	x, ok := t.nearestNew(top.X)
	switch {
	case ok:
		x = t.repaired(x)
		return maximise.Peak{X: x, Value: t.value(x)}, nil
	case t.hopeless != nil:
		t.hopeless = nil
		if _, ok := t.nearestNew(top.X); !ok && t.state.Snap != nil {
			return top, ErrExhausted
		}
		return top, ErrNoHope
	case t.known != nil:
		t.known = nil
		return t.choose(peaks, top)
	case t.state.Snap == nil && t.state.Feasible == nil:
		return top, nil // there are so many points that there is no room between them
	}
	return top, ErrExhausted
}

// late reports whether there is no time left to ask the model what is known.
func (t selector) late() bool { return t.asksModel() && t.ctx.Err() != nil }

// asksModel says whether the model is asked about every point.
func (t selector) asksModel() bool { return t.known != nil || t.hopeless != nil }

// nearestNew returns the coordinates with the first point moved to a new setting. Settings with neighbours are checked from the
// nearest on, step by step. All settings in between are taken, so the search ends after as many steps as there are taken settings.
// If it finds none, steps can reach none. Only the model can tell what is known, so in that case the search does not go far.
func (t selector) nearestNew(x []float64) ([]float64, bool) {
	most := mostSettings
	switch {
	case t.asksModel():
		most = mostDraws
	case t.state.Feasible != nil:
		most = mostInfeasible // not all settings in between are taken
	}
	x = t.repaired(x)
	rng := rand.New(rand.NewPCG(t.seed, 5))
	if t.state.Neighbours != nil {
		seen := map[string]bool{}
		for queue := [][]float64{x[:t.state.Dim]}; len(queue) > 0 && len(seen) < most && !t.late(); queue = queue[1:] {
			if root := queue[0]; t.isFresh(root) {
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
		if y := t.snapped(t.withRoot(x, root)); t.isFresh(y) {
			return y, true
		}
	}
	return nil, false
}
