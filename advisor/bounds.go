package advisor

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

// bounds are the limits of a study as a policy sees them: one quantity for each side of a limit, which must not be less than its limit. A quantity
// that is at most so much has its sign flipped, as values to minimise have.
type bounds struct {
	limits study.Limits
	sides  []side
	misses []bool
	rows   []study.Metrics
	looks  []study.Metrics // of the looks of a state
}

// side is one side of a limit.
type side struct {
	name  string
	upper bool
	limit float64
}

func (a *Advisor) newBounds() *bounds {
	b := &bounds{limits: a.study.Limits}
	for _, name := range b.limits.Names() {
		if limit := b.limits[name]; limit.Max != nil {
			b.sides = append(b.sides, side{name, true, *limit.Max})
		}
		if limit := b.limits[name]; limit.Min != nil {
			b.sides = append(b.sides, side{name, false, *limit.Min})
		}
	}
	return b
}

// add notes what an evaluation reported.
func (b *bounds) add(m study.Metrics) {
	if len(b.sides) > 0 {
		b.misses, b.rows = append(b.misses, len(b.limits.Violated(m)) > 0), append(b.rows, m)
	}
}

// addLook notes what the last look of a state reported.
func (b *bounds) addLook(s *policy.State, m study.Metrics) {
	for len(b.looks) < len(s.Looks)-1 { // those of steps, which report nothing
		b.looks = append(b.looks, nil)
	}
	b.looks = append(b.looks, m)
}

// fewestKnown is how many evaluations must have reported a quantity before it is modelled.
const fewestKnown = 2

// into gives a state the quantities of its evaluations and of its looks: memory is often known at the lowest fidelity. A quantity that hardly any of them
// reported has no model. earlier is what the evaluations and looks of an earlier study reported.
func (b *bounds) into(s *policy.State, earlier []study.Metrics) {
	s.Misses = b.misses
	if len(b.sides) == 0 {
		return
	}
	tops, looks := len(b.rows), make([]study.Metrics, len(s.Looks))
	copy(looks, b.looks)
	for _, d := range b.sides {
		y, known := d.reported(slices.Concat(b.rows, looks))
		if len(known) < fewestKnown {
			continue
		}
		there, _ := d.reported(earlier)
		q := policy.Quantity{Name: d.name, Y: y[:tops:tops], Looks: y[tops:], Earlier: there, Least: d.limit}
		if d.upper {
			q.Name += " upper"
		}
		if d.limit > 0 && inLogarithms(known) {
			q.Name, q.Least = "ln "+q.Name, math.Log(q.Least)
			for _, list := range [][]float64{y, there} {
				for i, v := range list {
					if list[i] = math.Log(v); math.IsInf(list[i], -1) {
						list[i] = math.NaN()
					}
				}
			}
		}
		if d.upper {
			q.Least = -q.Least
			for _, list := range [][]float64{y, there} {
				for i, v := range list {
					list[i] = -v
				}
			}
		}
		s.Further = append(s.Further, q)
	}
}

// reported returns the numbers of all evaluations, NaN where one is not known, and those that are.
func (d side) reported(rows []study.Metrics) (all, known []float64) {
	for _, m := range rows {
		x, ok := m[d.name]
		if !ok {
			x = math.NaN()
		} else {
			known = append(known, x)
		}
		all = append(all, x)
	}
	return all, known
}

// inLogarithms says whether numbers are likelier to be log-normal than normal (Box and Cox 1964): whether the product of their geometric mean and the standard
// deviation of their logarithms is below their own standard deviation.
func inLogarithms(list []float64) bool {
	n, sum, sumLn := float64(len(list)), 0.0, 0.0
	for _, x := range list {
		if !(x > 0) {
			return false
		}
		sum, sumLn = sum+x/n, sumLn+math.Log(x)/n
	}
	variance, varianceLn := 0.0, 0.0
	for _, x := range list {
		variance, varianceLn = variance+(x/sum-1)*(x/sum-1)/n, varianceLn+(math.Log(x)-sumLn)*(math.Log(x)-sumLn)/n
	}
	return 2*(sumLn-math.Log(sum))+math.Log(varianceLn) < math.Log(variance)
}

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
