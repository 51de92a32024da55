package space

import "github.com/eke-bo/eke/internal/fault"

// Hold takes a setting that leaves parameters out, and returns what moves a point to where the given parameters have their values. Each parameter
// must exist whatever the others are: what it needs must be given as well. If the point is shorter than the space, the coordinates that it lacks at its
// end are ignored.
//
// An error lists every mistake, as an error of Encode does, except that missing parameters are not mistakes here. If no setting with these values meets
// the constraints, the error says only that.
func (s *Space) Hold(part Setting) (hold func(unit []float64), err error) {
	values, errs := s.given(part)
	var list Errors
	for i, p := range s.params {
		v, given := part[p.Name]
		if !given {
			continue
		}
		e := errs[i]
		switch failed, open := s.failing(i, values, errs); {
		case failed != nil:
			e = wrong("value", "leave it out", "value is %s, but it exists only when %s", v.quoted(), s.spell([]need{*failed}))
		case open && e == nil:
			e = wrong("value", "give these as well", "value is %s, but it exists only when %s", v.quoted(), s.spell(s.needs[i]))
		}
		if e != nil {
			list = append(list, e.of(i, p.Name))
		}
	}
	if list = append(list, s.strangers(part)...); len(list) > 0 {
		return nil, list
	}
	hold = func(unit []float64) {
		for i, a := range s.axes {
			if span := s.spans[i]; !values[i].IsZero() && span.to <= len(unit) {
				a.encode(span.of(unit), values[i])
			}
		}
	}
	if len(s.where) > 0 && !s.canMeet(hold) {
		return nil, fault.New(fault.BadRequest, "give other values, or change where in the study file", "no setting with these values meets the constraints")
	}
	return hold, nil
}
