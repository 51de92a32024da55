package policy

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/gp"
)

// From what a search found to the point that is suggested.
//
// Evaluating a point a second time teaches next to nothing when evaluations are deterministic, but the
// models, which always grant some noise, do not quite know that: in a corner of the box, where a
// search ends on exactly the same numbers again, the best point may be the last one. And where settings are
// whole numbers or choices, many points of the cube are one setting: the point suggested is the
// setting's own, it is judged there, and it is new.

// ErrExhausted says that every setting has been tried.
var ErrExhausted = errors.New("every setting has been tried")

// taken returns the points not to suggest again: those evaluated and those pending. The paper
// preset does not look, and noisy evaluations may be worth repeating.
func (p *policy) taken(s *State) [][]float64 {
	if !p.Preset.Fresh || (p.Noise != nil && p.Noise.Max > gp.Deterministic.Max) {
		return nil
	}
	return slices.Concat(s.X, s.Pending)
}

const (
	sameDistance = 1e-6 // two points nearer than a millionth of the cube's edge are one
	settled      = 20   // peaks whose settings are looked at
	draws        = 4000 // random points tried before the settings are taken to be exhausted
)

// settler chooses among peaks. Only the first point of each is looked at: of a tree, the root.
type settler struct {
	state *State
	taken [][]float64
	seed  uint64
	value func(x []float64) float64 // what a whole peak is worth, as a logarithm
}

func (p *policy) newSettler(s *State, seed uint64, value func(x []float64) float64) settler {
	return settler{s, p.taken(s), seed, value}
}

// settle returns the best peak whose first point is a setting's own and not taken. When all are taken, the best
// one is moved away.
func (t settler) settle(f found) (peak, error) {
	chosen, any := peak{value: math.Inf(-1)}, false
	for k, i := range best(f.values(), len(f.peaks)) {
		if t.state.Snap != nil && k >= settled && any {
			break
		}
		if p := t.snapped(f.peaks[i]); t.isFresh(p) && (!any || p.value > chosen.value) {
			chosen, any = p, true
			if t.state.Snap == nil {
				return chosen, nil
			}
		}
	}
	if !any {
		return t.elsewhere(f.top())
	}
	return t.descend(chosen), nil
}

// snapped moves a peak's first point to its setting's own.
func (t settler) snapped(p peak) peak {
	if t.state.Snap == nil {
		return p
	}
	x := slices.Clone(p.x)
	copy(x, t.state.Snap(x[:t.state.Dim]))
	if slices.Equal(x, p.x) {
		return p
	}
	return peak{x, t.value(x)}
}

func (t settler) isFresh(p peak) bool {
	return farFrom(t.taken, p.x[:t.state.Dim], sameDistance)
}

// descend looks at neighbouring settings, one step of one whole number or one other choice away, as long as
// that helps: rounding a peak need not give the best setting near it.
func (t settler) descend(p peak) peak {
	if t.state.Neighbours == nil {
		return p
	}
	for range 10 {
		before := p
		for _, x := range t.state.Neighbours(before.x[:t.state.Dim]) {
			q := peak{append(slices.Clone(x), before.x[t.state.Dim:]...), 0}
			if !t.isFresh(q) {
				continue
			}
			if q.value = t.value(q.x); q.value > p.value {
				p = q
			}
		}
		if p.value == before.value {
			break
		}
	}
	return p
}

// elsewhere moves a point that is taken, a little at first, then as far as it takes.
func (t settler) elsewhere(p peak) (peak, error) {
	rng := rand.New(rand.NewPCG(t.seed, 5))
	step := 1e-3
	for range draws {
		q := peak{slices.Clone(p.x), 0}
		for j := range t.state.Dim {
			q.x[j] = math.Min(math.Max(q.x[j]+step*rng.NormFloat64(), 0), 1)
		}
		if q = t.snapped(q); t.isFresh(q) {
			return peak{q.x, t.value(q.x)}, nil
		}
		step = math.Min(step*1.2, 1)
	}
	if t.state.Snap != nil {
		return p, ErrExhausted
	}
	return p, nil // so many points that there is no room between them
}
