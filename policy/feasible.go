package policy

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/sobol"
)

// Constraints between parameters make a part of the cube infeasible. The models know nothing of them: what would be found there can be
// predicted, but not tried. So searches start from feasible points, what they find elsewhere is moved back along the line to a
// feasible point, and from there it climbs again as far as the constraints let it.

// feasible says whether a point may be suggested.
func (s *State) feasible(x []float64) bool { return s.Feasible == nil || s.Feasible(x[:s.Dim]) }

// feasibleOf leaves the feasible points of a list; all of it if none is.
func (s *State) feasibleOf(points [][]float64) [][]float64 {
	if s.Feasible == nil {
		return points
	}
	if list := slices.DeleteFunc(slices.Clone(points), func(x []float64) bool { return !s.Feasible(s.snap(x)) }); len(list) > 0 {
		return list
	}
	return points
}

func (s *State) snap(x []float64) []float64 {
	if s.Snap == nil {
		return x
	}
	return s.Snap(x)
}

// mostDesign is how many points of a sequence are checked for feasible ones.
const mostDesign = 1 << 16

// nthFeasible returns the feasible point of that number in the sequence, from 0, and false if it does not come soon.
func (s *State) nthFeasible(points *sobol.Sequence, n int) ([]float64, bool) {
	for range mostDesign {
		x := s.snap(points.Next(nil))
		if !s.feasible(x) {
			continue
		}
		if n--; n < 0 {
			return x, true
		}
	}
	return nil, false
}

// Feasible points from which others are reached: so many of so many that are spread over the cube, and all that were tried.
const mostAnchors, anchorDraws = 64, 4096

// anchors returns feasible points; nil if everything is feasible.
func (s *State) anchors(seed uint64) (list [][]float64) {
	if s.Feasible == nil {
		return nil
	}
	for _, x := range maximise.RawPoints(anchorDraws, s.Dim, seed) {
		if x = s.snap(x); s.Feasible(x) {
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

// repaired returns the coordinates with every point moved to a setting's own point and, if that is infeasible, towards a feasible one: the
// first point towards the nearest anchor, and the others towards the first.
func (t selector) repaired(x []float64) []float64 {
	x = t.snapped(x)
	if len(t.anchors) == 0 {
		return x
	}
	d := t.state.Dim
	moved := make([]float64, 0, len(x))
	for i := 0; i < len(x); i += d {
		node := x[i : i+d]
		if !t.state.feasible(node) {
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
func (t selector) towards(from, to []float64) []float64 {
	const halvings = 30
	low, high, last := 0.0, 1.0, from
	for range halvings {
		part, x := (low+high)/2, make([]float64, len(from))
		for j := range x {
			x[j] = from[j] + part*(to[j]-from[j])
		}
		if x = t.state.snap(x); t.state.feasible(x) {
			low, last = part, x
		} else {
			high = part
		}
	}
	return last
}

// spare returns peaks whose first points are the anchors, for a search whose best peak is infeasible.
func (t selector) spare(top maximise.Peak) (peaks []maximise.Peak) {
	if len(t.anchors) == 0 || t.state.feasible(t.snapped(top.X)) {
		return nil
	}
	for _, root := range t.anchors[:min(mostAnchors, len(t.anchors))] {
		x := t.repaired(t.withRoot(top.X, root))
		peaks = append(peaks, maximise.Peak{X: x, Value: t.value(x)})
	}
	return peaks
}

// slide climbs along the constraints from a feasible point, one coordinate at a time: the top of what is feasible is often on
// their edge, where no gradient leads.
func (t selector) slide(p maximise.Peak) maximise.Peak {
	if len(t.anchors) == 0 {
		return p
	}
	const widest, narrowest, most = 0.2, 1e-3, 300
	tries := 0
	for step := widest; step > narrowest && tries < most && t.ctx.Err() == nil; {
		better := false
		for j := 0; j < 2*t.state.Dim && tries < most; j++ {
			root := slices.Clone(p.X[:t.state.Dim])
			root[j/2] = min(max(root[j/2]+step*float64(1-2*(j%2)), 0), 1)
			if root = t.state.snap(root); slices.Equal(root, p.X[:t.state.Dim]) || !t.isFresh(root) {
				continue
			}
			tries++
			if x := t.repaired(t.withRoot(p.X, root)); t.value(x) > p.Value {
				p, better = maximise.Peak{X: x, Value: t.value(x)}, true
			}
		}
		if !better {
			step /= 2
		}
	}
	return p
}

// nearestTo returns the nearest of some points.
func nearestTo(points [][]float64, x []float64) (nearest []float64) {
	least := math.Inf(1)
	for _, p := range points {
		sum := 0.0
		for j, v := range p {
			sum += (v - x[j]) * (v - x[j])
		}
		if sum < least {
			least, nearest = sum, p
		}
	}
	return nearest
}
