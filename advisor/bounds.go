package advisor

import "github.com/eke-bo/eke/policy"

// addBounds gives a state what the objectives can be. A bound that a result has passed is wrong, and is left out.
func (a *Advisor) addBounds(s *policy.State) {
	list, some := []policy.Bound{}, false
	for i, o := range a.study.Aims() {
		values, sign := s.Y, signOf(o.Goal)
		if i > 0 && i <= len(s.Aims) {
			values = s.Aims[i-1].Y
		}
		for _, y := range values {
			switch field, _ := o.Passes(sign * y); field {
			case "min":
				o.Min = nil
			case "max":
				o.Max = nil
			}
		}
		b := policy.Bound{Least: o.Min, Most: o.Max}
		if sign < 0 {
			b = policy.Bound{Least: negative(o.Max), Most: negative(o.Min)}
		}
		list, some = append(list, b), some || b != policy.Bound{}
	}
	if some {
		s.Bounds = list
	}
}

func negative(x *float64) *float64 {
	if x == nil {
		return nil
	}
	v := -*x
	return &v
}
