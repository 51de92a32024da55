package space

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSize(t *testing.T) {
	bools := func(n int, conditions ...Condition) []Param {
		var list []Param
		for i := range n {
			list = append(list, Param{Name: fmt.Sprintf("b%d", i), Kind: KindBool, When: conditions})
		}
		return list
	}
	abc := Param{Name: "c", Kind: KindChoice, Values: []Value{String("a"), String("b"), String("c")}}
	// All bools are spoken of by one more, so none can be multiplied out.
	star := bools(60)
	var all []Condition
	for _, p := range star {
		all = append(all, when(p.Name, Bool(true)))
	}
	star = append(star, Param{Name: "end", Kind: KindBool, When: all})
	for _, c := range []struct {
		name   string
		params []Param
		n      int
		finite bool
	}{
		{"none", nil, 1, true},
		{"fixed", []Param{{Name: "f", Kind: KindFixed, Value: Int(1)}}, 1, true},
		{"bools", bools(3), 8, true},
		{"choice", []Param{abc}, 3, true},
		{"condition", append(bools(2, when("c", String("a"))), abc), 4 + 2, true},
		{"float", append(bools(2), Param{Name: "x", Kind: KindFloat, Max: 1}), 0, false},
		{"float under a condition", []Param{abc, {Name: "x", Kind: KindFloat, Max: 1, When: []Condition{when("c", String("a"))}}}, 0, false},
		{"the most", bools(20), MaxSize, true},
		{"too many", bools(21), 0, false},
		{"far too many", bools(200), 0, false},
		{"too many under conditions", star, 0, false},
		{"large ints", []Param{{Name: "n", Kind: KindInt, Min: 1, Max: 1 << 40}, {Name: "m", Kind: KindInt, Min: 1, Max: 1 << 40}}, 0, false},
	} {
		s := mustNew(c.params...)
		if n, finite := s.Size(); n != c.n || finite != c.finite {
			t.Errorf("%s: %d, %v, want %d, %v", c.name, n, finite, c.n, c.finite)
		}
		if _, ok := s.Enumerate(c.n - 1); ok {
			t.Errorf("%s: enumerated beyond the limit", c.name)
		}
	}
}

// The points are canonical, all different, as many as counted, and no other can be found: the dumb twin goes
// through all levels of all parameters, whether these exist or not.
func TestEnumerate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSpace(t)
		keys := map[string]bool{}
		point := make([]float64, s.Dim())
		tries := 0
		var through func(i int)
		through = func(i int) {
			if tries > 20_000 {
				return
			}
			if i == len(s.axes) {
				tries++
				keys[s.Key(s.Decode(point))] = true
				return
			}
			d := s.axes[i].(discrete)
			for level := range d.count() {
				d.place(s.spans[i].of(point), level)
				through(i + 1)
			}
		}
		if through(0); tries > 20_000 {
			return
		}
		n, finite := s.Size()
		points, ok := s.Enumerate(n)
		if !finite || !ok || n != len(keys) || len(points) != n {
			t.Fatalf("size %d, %v; %d points, %v; want %d", n, finite, len(points), ok, len(keys))
		}
		for _, u := range points {
			if !slices.Equal(u, s.Snap(nil, u)) {
				t.Fatalf("%v is not canonical", u)
			}
			delete(keys, s.Key(s.Decode(u)))
		}
		if len(keys) > 0 {
			t.Fatalf("not enumerated: %v", keys)
		}
	})
}
