package space

import (
	"slices"

	"github.com/eke-bo/eke/internal/fault"
)

// inactive is the coordinate of a parameter that does not exist: always the same, so that no model
// varies with it.
const inactive = 0.5

// Decode returns the setting that a point means. Every point means one: coordinates outside the unit
// interval are clipped to it, and NaN is 0.5.
func (s *Space) Decode(unit []float64) Setting {
	s.checkPoint(unit)
	setting := make(Setting, len(s.params))
	for i, a := range s.axes {
		if s.exists(i, unit) {
			setting[s.params[i].Name] = a.decode(s.spans[i].of(unit))
		}
	}
	return setting
}

// Snap writes to dst the canonical point of the setting that a point means, Encode(Decode(unit)), and
// returns it. If dst is nil it is allocated; it may be the point itself.
func (s *Space) Snap(dst, unit []float64) []float64 {
	s.checkPoint(unit)
	if dst == nil {
		dst = make([]float64, s.dim)
	}
	s.checkPoint(dst)
	// From dst to dst, any order will do: levels do not change by snapping, except those of
	// parameters that do not exist, and what depends on these has other needs that fail.
	copy(dst, unit)
	for i, a := range s.axes {
		if u := s.spans[i].of(dst); s.exists(i, dst) {
			a.snap(u, u)
		} else {
			deactivate(u)
		}
	}
	return dst
}

// Encode returns the canonical point of a setting. An error is always of type Errors and lists every mistake: parameters that
// are missing, unknown or do not exist under these conditions, and values that a parameter cannot have. A whole number is good
// for an int and for a float, however it is written.
func (s *Space) Encode(setting Setting) ([]float64, error) {
	values, err := s.admit(setting)
	if err != nil {
		return nil, err
	}
	unit := make([]float64, s.dim)
	for i, a := range s.axes {
		if u := s.spans[i].of(unit); values[i].IsZero() {
			deactivate(u)
		} else {
			a.encode(u, values[i])
		}
	}
	return unit, nil
}

// given returns the values that a setting has, in the order of the parameters, and what is wrong with each.
func (s *Space) given(setting Setting) ([]Value, []*Error) {
	values, errs := make([]Value, len(s.params)), make([]*Error, len(s.params))
	for i, p := range s.params {
		if v, given := setting[p.Name]; given {
			values[i], errs[i] = s.axes[i].admit(v)
		}
	}
	return values, errs
}

// admit returns the values of a setting in the order of the parameters, as Decode would give them, with
// nothing for those that do not exist.
func (s *Space) admit(setting Setting) ([]Value, error) {
	values, errs := s.given(setting)
	var list Errors
	for i, p := range s.params {
		_, given := setting[p.Name]
		failed, open := s.failing(i, values, errs)
		e := errs[i]
		switch {
		case failed != nil && given:
			e = wrong("value", "leave it out", "value is %s, but it exists only when %s", setting[p.Name].quoted(), s.spell([]need{*failed}))
		case failed == nil && !open && !given:
			e = wrong("value", "give it a value", "value is missing")
			if len(s.needs[i]) > 0 {
				e.Problem += ", and it exists because " + s.spell(s.needs[i])
			}
		}
		if e != nil {
			list = append(list, e.of(i, p.Name))
		}
	}
	if list = append(list, s.strangers(setting)...); len(list) > 0 {
		return nil, list
	}
	return values, nil
}

// failing returns the first need of a parameter that does not hold. If there is none, open says whether
// there is one that cannot be judged, its parent missing or wrong, which is an error of the parent alone.
func (s *Space) failing(i int, values []Value, errs []*Error) (failed *need, open bool) {
	for k, n := range s.needs[i] {
		if values[n.parent].IsZero() || errs[n.parent] != nil {
			open = true
			continue
		}
		if level, err := s.axes[n.parent].find(values[n.parent]); err != nil || !n.levels.has(level) {
			return &s.needs[i][k], false
		}
	}
	return nil, open
}

// strangers reports the names in a setting that are not in the space.
func (s *Space) strangers(setting Setting) Errors {
	var names []string
	for name := range setting {
		if _, known := s.places[name]; !known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var list Errors
	for _, name := range names {
		list = append(list, wrong("name", s.knownNames(), "there is no such parameter").of(-1, name))
	}
	return list
}

func (s *Space) knownNames() string {
	if len(s.params) == 0 {
		return "the space has no parameters"
	}
	return "give " + fault.OneOf(namesOf(s.params))
}

// deactivate puts the coordinates of a parameter that does not exist in a setting where all such are.
func deactivate(dst []float64) {
	for i := range dst {
		dst[i] = inactive
	}
}

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
