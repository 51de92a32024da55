package space

import "slices"

// MaxSize is the largest number of settings that Size counts.
const MaxSize = 1 << 20

// Size returns the number of different settings that meet the constraints, and whether it is finite and at most MaxSize. Otherwise
// n is 0.
func (s *Space) Size() (n int, finite bool) { return s.size() }

// Enumerate returns the canonical points of all settings that meet the constraints, if there are at most limit of them and at
// most MaxSize.
func (s *Space) Enumerate(limit int) (points [][]float64, ok bool) {
	n, finite := s.Size()
	if !finite || n > limit {
		return nil, false
	}
	return s.enumerate(s.where), true
}

// countFeasible counts the settings that meet the constraints, unless there are too many to look at each.
func (s *Space) countFeasible() (int, bool) {
	n, finite := s.countSettings()
	if !finite || len(s.where) == 0 {
		return n, finite
	}
	return len(s.enumerate(s.where)), true
}

// enumerate returns the canonical points of all settings that meet the constraints. There must be finitely many settings.
func (s *Space) enumerate(where []constraint) (points [][]float64) {
	point := make([]float64, s.dim)
	walk := newWalk(s)
	var from func(depth int)
	from = func(depth int) {
		if depth == len(s.order) {
			if s.meets(where, point) == nil {
				points = append(points, slices.Clone(point))
			}
			return
		}
		i := s.order[depth]
		u := s.spans[i].of(point)
		if !walk.exists(i) {
			deactivate(u)
			walk.chosen[i] = none
			from(depth + 1)
			return
		}
		d := s.axes[i].(discrete)
		for level := range d.count() {
			d.place(u, level)
			walk.chosen[i] = level
			from(depth + 1)
		}
	}
	from(0)
	return points
}

// countSettings walks through the levels of those parameters that conditions mention, and multiplies by
// the number of levels of the others. Every end of the walk is a setting at least, so the walk is over
// when there were MaxSize of them.
func (s *Space) countSettings() (int, bool) {
	for _, a := range s.axes {
		if _, ok := a.(discrete); !ok {
			return 0, false // every parameter exists in some setting, or New had refused it
		}
	}
	walk := newWalk(s)
	total := int64(0)
	var from func(depth int, times int64) bool
	from = func(depth int, times int64) bool {
		if depth == len(s.order) {
			total += times
			return total <= MaxSize
		}
		i := s.order[depth]
		if !walk.exists(i) {
			walk.chosen[i] = none
			return from(depth+1, times)
		}
		n := s.axes[i].(discrete).count()
		if !s.parent[i] {
			if n > MaxSize/times {
				return false
			}
			return from(depth+1, times*n)
		}
		for level := range n {
			walk.chosen[i] = level
			if !from(depth+1, times) {
				return false
			}
		}
		return true
	}
	if !from(0, 1) {
		return 0, false
	}
	return int(total), true
}

// walk is a way through the parameters, parents first.
type walk struct {
	*Space
	chosen []int64 // the level of each parameter passed
}

// none is no level, and no need holds for it.
const none = -1

func newWalk(s *Space) walk { return walk{s, make([]int64, len(s.params))} }

func (w walk) exists(i int) bool {
	for _, n := range w.needs[i] {
		if !n.levels.has(w.chosen[n.parent]) {
			return false
		}
	}
	return true
}
