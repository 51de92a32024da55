package advisor

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

// limits are those of a study as a policy sees them: a quantity for each side of a limit, which must be at least Least. For an upper limit the signs of
// both are flipped, as those of values to minimise are.
type limits struct {
	of     study.Limits
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

func (a *Advisor) newLimits() *limits {
	l := &limits{of: a.study.Limits}
	for _, name := range l.of.Names() {
		if limit := l.of[name]; limit.Max != nil {
			l.sides = append(l.sides, side{name, true, *limit.Max})
		}
		if limit := l.of[name]; limit.Min != nil {
			l.sides = append(l.sides, side{name, false, *limit.Min})
		}
	}
	return l
}

// add notes what an evaluation reported.
func (l *limits) add(m study.Metrics) {
	if len(l.sides) > 0 {
		l.misses, l.rows = append(l.misses, len(l.of.Violated(m)) > 0), append(l.rows, m)
	}
}

// addLook notes what the last look of a state reported.
func (l *limits) addLook(s *policy.State, m study.Metrics) {
	for len(l.looks) < len(s.Looks)-1 { // those of steps, which report nothing
		l.looks = append(l.looks, nil)
	}
	l.looks = append(l.looks, m)
}

// fewestKnown is how many evaluations must have reported a quantity before it is modelled.
const fewestKnown = 2

// into gives a state the quantities of its evaluations and of its looks: memory is often known at the lowest fidelity. A quantity that hardly any of them
// reported has no model. earlier is what the evaluations and looks of an earlier study reported.
func (l *limits) into(s *policy.State, earlier []study.Metrics) {
	s.Misses = l.misses
	if len(l.sides) == 0 {
		return
	}
	tops, looks := len(l.rows), make([]study.Metrics, len(s.Looks))
	copy(looks, l.looks)
	for _, d := range l.sides {
		y, known := d.reported(slices.Concat(l.rows, looks))
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
