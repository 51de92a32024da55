package space

// Adopt returns the canonical point of a setting of another, similar space. Parameters are matched by their names, and those that this
// space does not have are left out. A parameter that the setting lacks has its default or, without one, the middle of its range: the other space held it
// at some value, and nobody knows which. If a parameter cannot have its value, ok is false.
func (s *Space) Adopt(setting Setting) (unit []float64, ok bool) {
	unit = make([]float64, s.dim)
	values, errs := make([]Value, len(s.params)), make([]*Error, len(s.params))
	for _, i := range s.order {
		u, a := s.spans[i].of(unit), s.axes[i]
		deactivate(u)
		if failed, open := s.failing(i, values, errs); failed != nil || open {
			continue // it does not exist
		}
		v, given := setting[s.params[i].Name]
		if !given || s.params[i].Kind == KindFixed {
			if v = s.params[i].fallback(); v.IsZero() {
				v = a.decode(u)
			}
		}
		if values[i], errs[i] = a.admit(v); errs[i] != nil {
			return nil, false
		}
		a.encode(u, values[i])
	}
	return unit, true
}
