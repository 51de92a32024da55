package advisor

import (
	"cmp"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

// limits are a study's limits as a policy sees them: a quantity for each, which must be at least Least and, if it has both ends, at most Most. If there is only an upper
// end, the signs of both are flipped, like the signs of values to minimise.
type limits struct {
	of     study.Limits
	list   []limit
	misses []bool
	rows   []study.Metrics
	looks  []study.Metrics // of the looks of a state
}

// limit is the limit on one quantity.
type limit struct {
	name string
	study.Bound
}

// upper says whether it has only an upper end.
func (d limit) upper() bool { return d.Min == nil }

// inLn begins the name of a quantity whose logarithm is modelled.
const inLn = "ln "

// title names the limited quantity among a state's quantities.
func (d limit) title() string {
	if d.upper() {
		return d.name + " upper"
	}
	return d.name
}

// isPositive says whether both ends have logarithms.
func (d limit) isPositive() bool {
	return (d.Min == nil || *d.Min > 0) && (d.Max == nil || *d.Max > 0)
}

func (a *Advisor) newLimits() *limits {
	l := &limits{of: a.study.Limits}
	for _, name := range l.of.Names() {
		if b := l.of[name]; b.Min != nil || b.Max != nil {
			l.list = append(l.list, limit{name, b})
		}
	}
	return l
}

// add notes what an evaluation reported.
func (l *limits) add(m study.Metrics) {
	if len(l.list) > 0 {
		l.misses, l.rows = append(l.misses, len(l.of.Violated(m)) > 0), append(l.rows, m)
	}
}

// addLook notes what the last look of a state reported.
func (l *limits) addLook(s *policy.State, m study.Metrics) {
	for len(l.looks) < len(s.Looks)-1 { // looks that are steps report nothing
		l.looks = append(l.looks, nil)
	}
	l.looks = append(l.looks, m)
}

// fewestKnown is how many evaluations must have reported a quantity before it is modelled.
const fewestKnown = 2

// fewestWhole is how many numbers of a quantity must all be whole before only whole numbers are expected, as of an objective. Two must differ: of a flag there
// are no more.
const fewestWhole = 6

// areWhole says whether a quantity has only had whole numbers.
func areWhole(known []float64) bool {
	isBroken := func(x float64) bool { return x != math.Trunc(x) }
	return len(known) >= fewestWhole && slices.Min(known) < slices.Max(known) && !slices.ContainsFunc(known, isBroken)
}

// between returns the limit with ends halfway between the last whole number that meets it and the next. Whole numbers meet both or neither. To a model,
// which expects all numbers, 6.99 would be below 7. A limit that no whole number meets stays.
func (d limit) between() limit {
	if d.Min != nil && d.Max != nil && math.Ceil(*d.Min) > *d.Max {
		return d
	}
	if d.Max != nil {
		most := math.Floor(*d.Max) + 0.5
		d.Max = &most
	}
	if d.Min != nil {
		least := math.Ceil(*d.Min) - 0.5
		d.Min = &least
	}
	return d
}

// into gives a state the quantities of its evaluations and of its looks: memory is often known at the lowest fidelity. A quantity that hardly any of them
// reported has no model; the state says which evaluations lack it. earlier is what the evaluations and looks of an earlier study reported. noisy says that
// evaluations have noise: then means may be judged, which are not whole.
func (l *limits) into(s *policy.State, earlier []study.Metrics, noisy bool) {
	s.Misses = l.misses
	if len(l.list) == 0 {
		return
	}
	tops, looks := len(l.rows), make([]study.Metrics, len(s.Looks))
	copy(looks, l.looks)
	for _, d := range l.list {
		y, known := d.reported(slices.Concat(l.rows, looks))
		if len(known) < fewestKnown {
			if s.Lacks == nil {
				s.Lacks = make([]bool, tops)
			}
			for i := range s.Lacks {
				s.Lacks[i] = s.Lacks[i] || math.IsNaN(y[i]) || !d.Meets(y[i])
			}
			continue
		}
		if !noisy && areWhole(known) {
			d = d.between()
		}
		if d.Min != nil && *d.Min <= 0 && d.Max != nil && *d.Max > 0 && inLogarithms(known) {
			d.Min = nil // positive numbers are above it anyway
		}
		there, _ := d.reported(earlier)
		q := policy.Quantity{Name: d.title(), Y: y[:tops:tops], Looks: y[tops:], Earlier: there}
		if q.Least, q.Most = *cmp.Or(d.Min, d.Max), d.Max; d.upper() {
			q.Most = nil
		}
		if d.isPositive() && inLogarithms(known) {
			if q.Name, q.Least, q.Sign = inLn+q.Name, math.Log(q.Least), 1; q.Most != nil {
				most := math.Log(*q.Most)
				q.Most = &most
			}
			for _, list := range [][]float64{y, there} {
				for i, v := range list {
					if list[i] = math.Log(v); math.IsInf(list[i], -1) {
						list[i] = math.NaN()
					}
				}
			}
		}
		if d.upper() {
			q.Least, q.Sign = -q.Least, -q.Sign
			for _, list := range [][]float64{y, there} {
				for i, v := range list {
					list[i] = -v
				}
			}
		}
		s.Further = append(s.Further, q)
	}
}

// reported returns the numbers of all evaluations, with NaN for unknown numbers, and the known numbers alone.
func (d limit) reported(rows []study.Metrics) (all, known []float64) {
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

// inLogarithms says whether numbers are likelier to be log-normal than normal (Box and Cox 1964). They are if the product of their geometric
// mean and the standard deviation of their logarithms is below their own standard deviation. Equal numbers are taken so, too: their own spread would be
// a unit, whatever that is.
func inLogarithms(list []float64) bool {
	if least := slices.Min(list); least > 0 && least == slices.Max(list) {
		return true
	}
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

// Otherwise is a result that meets the limits by the models but not by what it reported, or the reverse.
type Otherwise struct {
	study.Trial
	Expected study.Metrics // Expected is what the models expect of the quantities that make the difference.
}

// Words says what was seen, what is expected, and whether the result counts for it.
func (o Otherwise) Words() string { return say.Otherwise(o.Trial, o.Expected) }

// LimitsMet writes all limits of a study, and how many results meet them, given the results that the models judge differently from the observed numbers.
func LimitsMet(s *study.Study, r *study.Record, list []Otherwise) string {
	more := 0
	for _, o := range list {
		if more++; o.Counts() {
			more -= 2
		}
	}
	return say.LimitsMet(s, r, more)
}

// otherwise lists the results whose limits the models judge differently from the observed numbers, if limited quantities have noise.
func (a *Advisor) otherwise(models *policy.Models, state policy.State, r *study.Record) (list []Otherwise) {
	if len(state.Further) == 0 {
		return nil
	}
	limited := a.newLimits().list
	for t := range r.EachMeasured() {
		x, expected := a.place(t.Point), study.Metrics{}
		i := slices.IndexFunc(state.X, func(at []float64) bool { return slices.Equal(at, x) })
		if i < 0 || models.Counts(i) == t.Counts() {
			continue
		}
		for k, q := range state.Further {
			mean, noisy := models.Judged(k, x)
			for _, d := range limited {
				seen, known := t.Metrics[d.name]
				if v, of := d.own(q, mean); of && noisy && a.study.Limits[d.name].Meets(v) != (known && a.study.Limits[d.name].Meets(seen)) {
					expected[d.name] = v
				}
			}
		}
		if len(expected) > 0 {
			list = append(list, Otherwise{t, expected})
		}
	}
	return list
}

// own turns a number of a state's quantity into a number as trials report it, if the quantity is the limited one.
func (d limit) own(q policy.Quantity, v float64) (_ float64, of bool) {
	if d.upper() {
		v = -v
	}
	if q.Name == inLn+d.title() {
		return math.Exp(v), true
	}
	if q.Name != d.title() && d.Min != nil && d.Max != nil { // positive numbers have no lower end at or below 0
		d.Min = nil
		return d.own(q, v)
	}
	return v, q.Name == d.title()
}
