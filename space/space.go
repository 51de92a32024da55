package space

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/eke-bo/eke/internal/fault"
)

// Space is a set of parameters. It never changes, and many goroutines may use it at once.
type Space struct {
	params []Param
	axes   []axis
	spans  []span
	needs  [][]need
	order  []int // parents before children
	parent []bool
	places map[string]int
	sorted []string // the parameters' names
	dim    int
	where  []constraint
	size   func() (int, bool)
}

// span says which coordinates belong to a parameter.
type span struct{ from, to int }

func (s span) of(u []float64) []float64 { return u[s.from:s.to:s.to] }

// Setting gives a value to every parameter that exists, and to no other.
type Setting map[string]Value

// New returns the space of the parameters. Settings should meet the constraints in where, such as "batch * accum <= 512"; a constraint
// does not apply to a setting without one of the parameters that it names. New reports every mistake at once, as Errors.
func New(params []Param, where ...string) (*Space, error) {
	s := &Space{places: make(map[string]int, len(params)), axes: make([]axis, len(params)), parent: make([]bool, len(params))}
	perParam := make([]Errors, len(params))
	for i, p := range params {
		p = p.clone()
		s.params = append(s.params, p)
		list := p.check()
		if first, taken := s.places[p.Name]; !taken {
			s.places[p.Name] = i
		} else if p.Name != "" {
			list = append(list, wrong("name", "give it another name", "parameter %d already has this name", first+1))
		}
		for _, e := range list {
			perParam[i] = append(perParam[i], e.of(i, p.Name))
		}
		if list == nil {
			s.axes[i] = newAxis(&p)
		}
	}
	r := resolver{params: s.params, axes: s.axes, places: s.places}
	r.resolve()
	for _, e := range r.errs {
		perParam[e.Index] = append(perParam[e.Index], e)
	}
	var all Errors
	for _, list := range perParam {
		all = append(all, list...)
	}
	if all != nil {
		return nil, all
	}
	s.needs, s.order, s.sorted = r.needs, r.order, slices.Sorted(maps.Keys(s.places))
	for i, a := range s.axes {
		s.spans = append(s.spans, span{s.dim, s.dim + a.width()})
		s.dim += a.width()
		for _, n := range s.needs[i] {
			s.parent[n.parent] = true
		}
	}
	s.size = sync.OnceValues(s.countFeasible)
	if list := s.readWhere(where); list != nil {
		return nil, list
	}
	return s, nil
}

// Params returns the parameters as they were given to New.
func (s *Space) Params() []Param {
	list := make([]Param, len(s.params))
	for i, p := range s.params {
		list[i] = p.clone()
	}
	return list
}

// Dim returns the number of coordinates of the unit cube.
func (s *Space) Dim() int { return s.dim }

// Varying returns the number of parameters that can vary. A choice of many has many coordinates but is one parameter.
func (s *Space) Varying() (n int) {
	for _, span := range s.spans {
		if span.to > span.from {
			n++
		}
	}
	return n
}

// Coordinates says which coordinates of a point belong to a parameter: from ≤ i < to. There are none
// for a parameter with a single value, and ok is false for a name that is not in the space.
func (s *Space) Coordinates(name string) (from, to int, ok bool) {
	i, ok := s.places[name]
	if !ok {
		return 0, 0, false
	}
	return s.spans[i].from, s.spans[i].to, true
}

// exists says whether a parameter exists at a point.
func (s *Space) exists(i int, unit []float64) bool {
	for _, n := range s.needs[i] {
		if !n.levels.has(s.axes[n.parent].level(s.spans[n.parent].of(unit))) {
			return false
		}
	}
	return true
}

func (s *Space) checkPoint(unit []float64) {
	if len(unit) != s.dim {
		panic(fmt.Sprintf("space: the point has %d coordinates and the space %d", len(unit), s.dim))
	}
}

// Error is one thing that is wrong with a parameter or with its value.
type Error struct {
	// Index is the place of the parameter in the space, from 0. It is −1 if the parameter is not in the space. Of a
	// constraint it is the place among the constraints.
	Index int

	// Param is the name of the parameter.
	Param string

	// Field is what the error is about, as study files call it: name, type, min, max, step, log, values, value, when or where.
	Field string

	// Problem says what is wrong.
	Problem string

	// Hint says what to do about it.
	Hint string
}

// Error names the parameter and says what is wrong with it. The hint is left out.
func (e *Error) Error() string {
	if e.Field == "where" {
		return "where: " + e.Problem
	}
	if e.Param == "" {
		return fmt.Sprintf("parameter %d: %s", e.Index+1, e.Problem)
	}
	return fmt.Sprintf("parameter %s: %s", e.Param, e.Problem)
}

// FaultCode says that what was given cannot be used.
func (e *Error) FaultCode() fault.Code { return fault.BadRequest }

// Details returns the error in the form in which all errors are shown.
func (e *Error) Details() []fault.Detail {
	return []fault.Detail{{Message: e.Error(), Problem: e.Problem, Hint: e.Hint, Field: e.Param}}
}

// Errors is everything that is wrong, in the order of the parameters. New and Encode return all errors as this type, so that a
// caller can show where each of them is.
type Errors = fault.Errors[*Error]

// wrong returns an error about a parameter that is named later, by of.
func wrong(field, hint, problem string, args ...any) *Error {
	return &Error{Field: field, Hint: hint, Problem: fmt.Sprintf(problem, args...)}
}

// of names the parameter that the error is about.
func (e *Error) of(index int, name string) *Error {
	e.Index, e.Param = index, name
	return e
}

func quotedAll(values []Value) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = v.quoted()
	}
	return list
}

// Key returns a text that is the same for equal settings and different for different ones. It does not
// depend on the order of the parameters, or on whether a whole number is written as an int or a float.
func (s *Space) Key(setting Setting) string {
	var b strings.Builder
	names := s.sorted // mostly those are all
	if len(setting) != len(names) || slices.ContainsFunc(names, func(name string) bool { _, has := setting[name]; return !has }) {
		names = slices.Sorted(maps.Keys(setting))
	}
	for _, name := range names {
		v := setting[name]
		if i, known := s.places[name]; !known {
			name = strconv.Quote(name) // it may have any character
		} else if admitted, err := s.axes[i].admit(v); err == nil {
			v = admitted
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(name)
		b.WriteByte('=')
		b.WriteString(v.quoted())
	}
	return b.String()
}

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
