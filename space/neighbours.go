package space

import "slices"

// Neighbours returns the canonical points that differ from a point in one discrete parameter: ints and
// ordered choices by one step, bools and choices by any other value. Where that brings a parameter into
// existence, it has the value that coordinates of 0.5 stand for. A space of floats has no neighbours.
func (s *Space) Neighbours(unit []float64) [][]float64 {
	here := s.Snap(nil, unit)
	var list [][]float64
	for i, a := range s.axes {
		d, ok := a.(discrete)
		if !ok || !s.exists(i, here) {
			continue
		}
		for _, level := range d.near(d.level(s.spans[i].of(here)), d.count()) {
			there := slices.Clone(here)
			d.place(s.spans[i].of(there), level)
			list = append(list, s.Snap(there, there))
		}
	}
	return list
}
