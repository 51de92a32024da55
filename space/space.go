package space

import (
	"fmt"
	"sync"
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
	s.needs, s.order = r.needs, r.order
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
