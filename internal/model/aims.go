package model

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/front"
	"github.com/eke-bo/eke/internal/maximise"
)

// Several objectives, MATH.md §14. The first is the value, and each of the others is one more modelled quantity. Improvement is the gain in the hypervolume of the
// front. Values are not transformed then: the hypervolume is computed from the values as they are.

// HasAims says whether there are several objectives.
func (s *State) HasAims() bool { return len(s.Aims) > 0 }

// reported are the quantities with limits and the further objectives, in the order of all lists.
func (s *State) reported() []Quantity { return slices.Concat(s.Further, s.Aims) }

// Reference is the worst that counts, by objective.
func (s *State) Reference() []float64 {
	list := []float64{s.Worst}
	for _, q := range s.Aims {
		list = append(list, q.Least)
	}
	return list
}

// Floor is the worst value of a result on the front, by objective. A worst that was found from results leaves no result out.
func (s *State) Floor() []float64 {
	list := s.Reference()
	for j := range list {
		if j < len(s.Found) && s.Found[j] {
			list[j] = math.Inf(-1)
		}
	}
	return list
}

// isComplete says whether an evaluation has all objectives.
func (s *State) isComplete(i int) bool {
	return !math.IsNaN(s.Y[i]) && !slices.ContainsFunc(s.Aims, func(q Quantity) bool { return math.IsNaN(q.Y[i]) })
}

// complete returns the points of the evaluations that have all objectives.
func (s *State) complete() [][]float64 {
	if !s.HasAims() {
		return s.X
	}
	return maximise.Pick(s.X, slices.DeleteFunc(maximise.Indices(s.X), func(i int) bool { return !s.isComplete(i) }))
}

// columns are the observed numbers of every objective, the value first.
func (s *State) columns() [][]float64 {
	list := [][]float64{s.Y}
	for _, q := range s.Aims {
		list = append(list, q.Y)
	}
	return list
}

// below returns the parts of boxes that are below the bounds of the objectives; if nothing is, the boxes as they are.
func (s *State) below(boxes []front.Box) []front.Box {
	if len(s.Bounds) == 0 {
		return boxes
	}
	if list := front.Below(boxes, s.Ceiling()); len(list) > 0 {
		return list
	}
	return boxes
}

// Ceiling is the most that the objectives can be, infinite where there is no bound.
func (s *State) Ceiling() (list []float64) {
	for j := range 1 + len(s.Aims) {
		most := math.Inf(1)
		if b := s.Bound(j); b.Most != nil {
			most = *b.Most
		}
		list = append(list, most)
	}
	return list
}

// outputOf is the place of an objective in lists by quantity.
func (s *State) outputOf(objective int) int {
	if objective == 0 {
		return value
	}
	return further + len(s.Further) + objective - 1
}
