package space

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
)

// need is a condition ready for use: the parameter at place parent has one of the levels.
//
// The needs of a parameter are its own conditions and the conditions of all parameters they mention, and of
// those they mention in turn, merged so that each parameter is named once. If all hold, then the parents
// exist, since their needs are among them; if a parent does not exist, one of its needs fails, and
// that is among them too. So whether a parameter exists can be read off the levels alone, in any
// order.
type need struct {
	parent int
	levels levelSet
}

// resolver turns conditions into needs.
type resolver struct {
	params []Param
	axes   []axis // nil where the parameter itself is wrong: nothing more is said about that one
	places map[string]int

	needs [][]need
	order []int // parents before children
	state []progress
	path  []int // the parameters being resolved, each a condition of the one before
	errs  Errors
}

type progress uint8

const (
	untouched progress = iota
	underWay
	done
)

func (r *resolver) resolve() {
	r.needs = make([][]need, len(r.params))
	r.state = make([]progress, len(r.params))
	for i := range r.params {
		r.visit(i)
	}
}

// visit resolves a parameter after all that its conditions mention, and says whether it can be relied on.
func (r *resolver) visit(i int) bool {
	if r.state[i] == done {
		return r.axes[i] != nil
	}
	r.state[i] = underWay
	r.path = append(r.path, i)
	var needs []need
	named := map[string]bool{}
	for _, c := range r.params[i].When {
		own, ok := r.condition(i, c, named)
		if !ok {
			r.axes[i] = nil
			continue
		}
		for _, n := range append(slices.Clone(r.needs[own.parent]), own) {
			merged, clash := merge(needs, n)
			if clash {
				r.fail(i, "remove one of the conditions", "when can never hold: no value of %q fits all conditions that must hold together", r.params[n.parent].Name)
				r.axes[i] = nil
				break
			}
			needs = merged
		}
	}
	r.needs[i] = needs
	r.path = r.path[:len(r.path)-1]
	r.state[i] = done
	r.order = append(r.order, i)
	return r.axes[i] != nil
}

// condition turns one condition of parameter i into a need. named collects the parameters that the conditions before it
// mention.
func (r *resolver) condition(i int, c Condition, named map[string]bool) (need, bool) {
	parent, known := r.places[c.Param]
	switch {
	case !known:
		names := slices.DeleteFunc(namesOf(r.params), func(name string) bool { return name == "" || name == r.params[i].Name })
		hint := "remove the condition"
		if len(names) > 0 {
			hint = "give " + fault.OneOf(names)
		}
		return need{}, r.fail(i, hint, "when names %q, which is not a parameter", c.Param)
	case named[c.Param]:
		return need{}, r.fail(i, "give one condition with a list of values", "when names %q twice", c.Param)
	}
	named[c.Param] = true
	if r.state[parent] == underWay {
		return need{}, r.fail(i, "remove one of these conditions", "when goes in a circle: %s", r.circle(parent))
	}
	if !r.visit(parent) {
		return need{}, false // its error is reported already
	}
	n := need{parent: parent}
	if len(c.Values) == 0 {
		return need{}, r.fail(i, "give at least one value", "when names %q without a value", c.Param)
	}
	var list []stretch
	for _, v := range c.Values {
		set, err := levelsOf(c.Param, r.axes[parent], v)
		if err != nil {
			return need{}, r.fail(i, err.Hint, "%s", err.Problem)
		}
		list = append(list, set...)
	}
	n.levels = newLevelSet(list)
	return n, true
}

// levelsOf returns the levels of a parameter that one value of a condition stands for.
func levelsOf(name string, a axis, v Value) (levelSet, *Error) {
	_, isFloat := a.(*continuous)
	comparisons, compares := comparisonsIn(v)
	if level, err := a.find(v); !compares || err == nil { // a choice may have the value ">= 2"
		switch {
		case isFloat:
			return nil, wrong("when", `compare it, as in "> 0.5"; or make the condition on an int, a choice, a bool or a fixed value`, "when names %q, a float, which hardly ever has an exact value", name)
		case err != nil:
			return nil, wrong("when", err.Hint, "when has the condition that %s is %s, which it never is", name, v.quoted())
		}
		return levelSet{{level, level}}, nil
	}
	n, _, _ := numbers(a)
	set := levelSet{{0, n - 1}}
	for _, c := range comparisons {
		set = set.and(c.levels(a))
	}
	if len(set) == 0 {
		return nil, wrong("when", "give a bound within its values", "when has the condition that %s is %s, which it never is", name, v.quoted())
	}
	return set, nil
}

// fail notes an error and returns false.
func (r *resolver) fail(i int, hint, problem string, args ...any) bool {
	r.errs = append(r.errs, wrong("when", hint, problem, args...).of(i, r.params[i].Name))
	return false
}

// circle spells out the way from a parameter back to itself.
func (r *resolver) circle(start int) string {
	var names []string
	for _, i := range slices.Concat(r.path[slices.Index(r.path, start):], []int{start}) {
		names = append(names, r.params[i].Name)
	}
	return strings.Join(names, " → ")
}

// merge adds a need to others. They clash if no level is left to a parent.
func merge(needs []need, n need) (merged []need, clash bool) {
	for i, m := range needs {
		if m.parent != n.parent {
			continue
		}
		both := m.levels.and(n.levels)
		needs[i].levels = both
		return needs, len(both) == 0
	}
	return append(needs, n), false
}

// spell says in words what a parameter needs.
func (s *Space) spell(needs []need) string {
	var parts []string
	for _, n := range needs {
		parts = append(parts, fmt.Sprintf("%s is %s", s.params[n.parent].Name, spellLevels(s.axes[n.parent], n.levels)))
	}
	return strings.Join(parts, " and ")
}

// spellLevels lists a few values, and names the ends of many.
func spellLevels(a axis, set levelSet) string {
	const few = 15
	at := func(level int64) Value {
		if c, ok := a.(*continuous); ok {
			return Float(c.valueOf(float64(level) / c.cells))
		}
		return a.(discrete).at(level)
	}
	var words []string
	for _, s := range set {
		if set.count(few) == few {
			words = append(words, fmt.Sprintf("%s to %s", at(s.from).quoted(), at(s.to).quoted()))
			continue
		}
		for level := s.from; level <= s.to; level++ {
			words = append(words, at(level).quoted())
		}
	}
	return fault.OneOf(words)
}

// stretch is the levels from one to another, with both ends.
type stretch struct{ from, to int64 }

// levelSet is a set of levels: stretches in ascending order, with gaps between them.
type levelSet []stretch

// newLevelSet sorts stretches and joins stretches that meet.
func newLevelSet(list []stretch) (set levelSet) {
	slices.SortFunc(list, func(a, b stretch) int { return int(min(max(a.from-b.from, -1), 1)) })
	for _, s := range list {
		if n := len(set); n > 0 && s.from <= set[n-1].to+1 {
			set[n-1].to = max(set[n-1].to, s.to)
		} else if s.from <= s.to {
			set = append(set, s)
		}
	}
	return set
}

func (set levelSet) has(level int64) bool {
	i := sort.Search(len(set), func(i int) bool { return set[i].to >= level })
	return i < len(set) && set[i].from <= level
}

// and returns the levels that are in both sets.
func (set levelSet) and(other levelSet) levelSet {
	var both []stretch
	for _, a := range set {
		for _, b := range other {
			both = append(both, stretch{max(a.from, b.from), min(a.to, b.to)})
		}
	}
	return newLevelSet(slices.DeleteFunc(both, func(s stretch) bool { return s.from > s.to }))
}

// count is how many levels there are, or limit if there are more.
func (set levelSet) count(limit int64) (n int64) {
	for _, s := range set {
		if n = min(n+s.to-s.from+1, limit); n == limit {
			break
		}
	}
	return n
}

// comparison is a condition such as ">= 2".
type comparison struct {
	sign  string
	bound float64
}

var comparisonText = regexp.MustCompile(`^\s*(<=|>=|<|>|!=|==?)\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*$`)

// comparisonsIn reads ">= 2", or ">= 2 and < 5"; ok is false for any other text.
func comparisonsIn(v Value) (list []comparison, ok bool) {
	if v.holds != aString {
		return nil, false
	}
	for part := range strings.SplitSeq(v.text, " and ") {
		m := comparisonText.FindStringSubmatch(part)
		if m == nil {
			return nil, false
		}
		bound, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, false
		}
		list = append(list, comparison{m[1], bound})
	}
	return list, true
}

func (c comparison) holds(x float64) bool {
	switch c.sign {
	case "<":
		return x < c.bound
	case "<=":
		return x <= c.bound
	case ">":
		return x > c.bound
	case ">=":
		return x >= c.bound
	case "!=":
		return x != c.bound
	}
	return x == c.bound
}

// levels returns those levels of a parameter for which a comparison holds. Those of numbers that ascend with the level are found by
// halving, since there may be very many; a value of a list that is not a number fails.
func (c comparison) levels(a axis) levelSet {
	n, at, ascends := numbers(a)
	if !ascends {
		var set []stretch
		for level := range n {
			if x, ok := at(level); ok && c.holds(x) {
				set = append(set, stretch{level, level})
			}
		}
		return newLevelSet(set)
	}
	first := func(above func(x float64) bool) int64 {
		return int64(sort.Search(int(n), func(i int) bool { x, _ := at(int64(i)); return above(x) }))
	}
	from, to := first(func(x float64) bool { return x >= c.bound }), first(func(x float64) bool { return x > c.bound }) // equal ones
	switch c.sign {
	case "<":
		return newLevelSet([]stretch{{0, from - 1}})
	case "<=":
		return newLevelSet([]stretch{{0, to - 1}})
	case ">":
		return newLevelSet([]stretch{{to, n - 1}})
	case ">=":
		return newLevelSet([]stretch{{from, n - 1}})
	case "!=":
		return newLevelSet([]stretch{{0, from - 1}, {to, n - 1}})
	}
	return newLevelSet([]stretch{{from, to - 1}})
}

// numbers returns how many levels a parameter has, the number at each, and whether they ascend.
func numbers(a axis) (n int64, at func(int64) (float64, bool), ascends bool) {
	switch a := a.(type) {
	case *continuous:
		return int64(a.cells) + 1, func(level int64) (float64, bool) { return a.valueOf(float64(level) / a.cells), true }, true
	case discrete:
		_, isListed := a.levels.(listed)
		return a.count(), func(level int64) (float64, bool) { return a.at(level).Number() }, !isListed
	}
	return 0, nil, false
}
