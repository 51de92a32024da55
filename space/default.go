package space

import "maps"

// Complete returns the setting with values for the parameters that exist and have none in it: their defaults, or their fixed values.
func (s *Space) Complete(setting Setting) Setting {
	missing := Setting{}
	values := make([]Value, len(s.params))
	errs := make([]*Error, len(s.params))
	for _, i := range s.order {
		p := s.params[i]
		v, given := setting[p.Name]
		if failed, open := s.failing(i, values, errs); !given && failed == nil && !open {
			if v = p.fallback(); !v.IsZero() {
				missing[p.Name], given = v, true
			}
		}
		if given {
			values[i], errs[i] = s.axes[i].admit(v)
		}
	}
	if len(missing) == 0 {
		return setting
	}
	maps.Copy(missing, setting)
	return missing
}

// fallback is the value where none is given.
func (p *Param) fallback() Value {
	if p.Kind == KindFixed {
		return p.Value
	}
	return p.Default
}

// checkDefault refuses a default that the parameter cannot have.
func (p *Param) checkDefault() Errors {
	if p.Default.IsZero() {
		return nil
	}
	if _, e := newAxis(p).admit(p.Default); e != nil {
		return Errors{wrong("default", e.Hint, "default: %s", e.Problem)}
	}
	return nil
}
