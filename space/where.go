package space

import (
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/internal/fault"
)

// constraint is a condition on several parameters. It does not apply where one of them does not exist.
type constraint struct {
	text  string
	uses  []int // places of the parameters it names
	holds func(values []Value) bool
}

// readWhere reads the constraints, and makes sure that some setting meets them all. The index of an error is that of its constraint.
func (s *Space) readWhere(where []string) (list Errors) {
	for k, text := range where {
		f, uses, err := parseWhere(text, s.params)
		if err != nil {
			list = append(list, err.of(k, ""))
			continue
		}
		s.where = append(s.where, constraint{text, uses, func(v []Value) bool { return f.of(v).bool() }})
	}
	if len(list) > 0 || len(where) == 0 || s.possible(s.where) {
		return list
	}
	for k, c := range s.where {
		if !s.possible([]constraint{c}) {
			return Errors{wrong("where", "loosen it, or widen the ranges", "no setting was found that meets %q", c.text).of(k, "")}
		}
	}
	return Errors{wrong("where", "loosen one of them, or widen the ranges", "no setting was found that meets all constraints").of(len(where)-1, "")}
}

// mostLooked is how many settings are looked at to find one that is feasible. A search for suggestions needs more luck than
// that, so what is not found here is as good as not there.
const mostLooked = 1 << 15

// possible says whether some setting that meets the constraints can be found.
func (s *Space) possible(where []constraint) bool {
	if n, finite := s.countSettings(); finite && n <= mostLooked {
		return slices.ContainsFunc(s.enumerate(nil), func(x []float64) bool { return s.meets(where, x) == nil })
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(where))))
	point := make([]float64, s.dim)
	for range mostLooked {
		for j := range point {
			point[j] = rng.Float64()
		}
		if s.meets(where, s.Snap(nil, point)) == nil {
			return true
		}
	}
	return false
}

// meets returns the first constraint that a point does not meet, nil if there is none.
func (s *Space) meets(where []constraint, unit []float64) *constraint {
	if len(where) == 0 {
		return nil
	}
	values := make([]Value, len(s.params))
next:
	for k, c := range where {
		for _, i := range c.uses {
			if !s.exists(i, unit) {
				continue next
			}
			values[i] = s.axes[i].decode(s.spans[i].of(unit))
		}
		if !c.holds(values) {
			return &where[k]
		}
	}
	return nil
}

// Constrained reports whether there are constraints between parameters.
func (s *Space) Constrained() bool { return len(s.where) > 0 }

// Feasible reports whether the setting that a point means meets the constraints.
func (s *Space) Feasible(unit []float64) bool {
	s.checkPoint(unit)
	return s.meets(s.where, unit) == nil
}

// Allows returns an error if a setting does not meet the constraints. The setting must be one that Encode takes.
func (s *Space) Allows(setting Setting) error {
	unit, err := s.Encode(setting)
	if err != nil {
		return err
	}
	if c := s.meets(s.where, unit); c != nil {
		return fault.New(fault.BadRequest, "give a setting that meets it, or change where in the study file", "the setting does not meet %q", c.text)
	}
	return nil
}
