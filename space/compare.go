package space

import (
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// stretch is the levels from one to another, with both ends.
type stretch struct{ from, to int64 }

// levelSet is a set of levels: stretches in ascending order, with gaps between them.
type levelSet []stretch

// newLevelSet sorts stretches and joins those that meet.
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
