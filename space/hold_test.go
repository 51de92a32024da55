package space_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/space"
)

func TestHold(t *testing.T) {
	sp, err := space.New([]space.Param{
		{Name: "x", Kind: space.KindFloat, Min: 0, Max: 4},
		{Name: "kind", Kind: space.KindChoice, Values: []space.Value{space.String("a"), space.String("b"), space.String("c")}},
		{Name: "z", Kind: space.KindFloat, Min: 0, Max: 1, When: []space.Condition{{Param: "kind", Values: []space.Value{space.String("c")}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	hold, err := sp.Hold(space.Setting{"x": space.Float(1), "kind": space.String("c")})
	if err != nil {
		t.Fatal(err)
	}
	for _, point := range [][]float64{{0, 0, 0, 0, 0}, {1, 1, 1, 1, 0.75}} {
		z := point[4]
		hold(point)
		if got := sp.Decode(point); got["x"].String() != "1" || got["kind"].String() != "c" || got["z"].String() != space.Float(z).String() {
			t.Errorf("%v is %v", point, got)
		}
	}
	short := []float64{0, 0, 0, 0} // the coordinate of z is not there
	if hold(short); !slices.Equal(short, []float64{0.25, 0, 0, 1}) {
		t.Errorf("%v", short)
	}
	for name, c := range map[string]struct {
		part space.Setting
		want string
	}{
		"no such value":      {space.Setting{"x": space.Float(9)}, "above max"},
		"no such parameter":  {space.Setting{"y": space.Float(9)}, "there is no such parameter"},
		"a missing parent":   {space.Setting{"z": space.Float(0.5)}, `it exists only when kind is "c"`},
		"another parent":     {space.Setting{"z": space.Float(0.5), "kind": space.String("a")}, `it exists only when kind is "c"`},
		"several at a time":  {space.Setting{"x": space.Float(-1), "y": space.Float(9)}, "below min"},
		"wrong parent value": {space.Setting{"z": space.Float(0.5), "kind": space.String("d")}, "kind"},
	} {
		if _, err := sp.Hold(c.part); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
