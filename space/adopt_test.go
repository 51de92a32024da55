package space_test

import (
	"slices"
	"testing"

	"github.com/eke-bo/eke/space"
)

func TestAdopt(t *testing.T) {
	sp, err := space.New([]space.Param{
		{Name: "heat", Kind: space.KindFloat, Min: 0, Max: 10},
		{Name: "kind", Kind: space.KindChoice, Values: []space.Value{space.String("a"), space.String("b")}},
		{Name: "depth", Kind: space.KindInt, Min: 1, Max: 5, When: []space.Condition{{Param: "kind", Values: []space.Value{space.String("b")}}}},
		{Name: "hours", Kind: space.KindFloat, Min: 0, Max: 4, Default: space.Float(1)},
		{Name: "oven", Kind: space.KindFixed, Value: space.String("big")},
	})
	if err != nil {
		t.Fatal(err)
	}
	point := func(s space.Setting) []float64 {
		t.Helper()
		x, err := sp.Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for name, c := range map[string]struct{ given, same space.Setting }{
		"the same": {
			space.Setting{"heat": space.Float(2), "kind": space.String("a"), "hours": space.Float(3), "oven": space.String("big")},
			space.Setting{"heat": space.Float(2), "kind": space.String("a"), "hours": space.Float(3), "oven": space.String("big")}},
		"a stranger, a default, another fixed value": {
			space.Setting{"heat": space.Float(2), "kind": space.String("a"), "glaze": space.Int(1), "oven": space.String("small")},
			space.Setting{"heat": space.Float(2), "kind": space.String("a"), "hours": space.Float(1), "oven": space.String("big")}},
		"no value and no default: the middle": {
			space.Setting{"kind": space.String("b"), "hours": space.Float(1)},
			space.Setting{"heat": space.Float(5), "kind": space.String("b"), "depth": space.Int(3), "hours": space.Float(1), "oven": space.String("big")}},
		"a value of what does not exist": {
			space.Setting{"heat": space.Float(2), "kind": space.String("a"), "depth": space.Int(99)},
			space.Setting{"heat": space.Float(2), "kind": space.String("a"), "hours": space.Float(1), "oven": space.String("big")}},
	} {
		if got, ok := sp.Adopt(c.given); !ok || !slices.Equal(got, point(c.same)) {
			t.Errorf("%s: %v, %v; want %v", name, got, ok, point(c.same))
		}
	}
	for name, s := range map[string]space.Setting{
		"out of range":   {"heat": space.Float(11), "kind": space.String("a")},
		"another choice": {"heat": space.Float(1), "kind": space.String("c")},
	} {
		if _, ok := sp.Adopt(s); ok {
			t.Errorf("%s was adopted", name)
		}
	}
}
