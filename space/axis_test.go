package space

import "testing"

func TestWidths(t *testing.T) {
	abc := []Value{String("a"), String("b"), String("c")}
	for _, c := range []struct {
		p    Param
		want int
	}{
		{Param{Kind: KindFloat, Max: 1}, 1},
		{Param{Kind: KindInt, Max: 9}, 1},
		{Param{Kind: KindInt, Min: 1, Max: 9, Log: true}, 1},
		{Param{Kind: KindInt, Min: 3, Max: 3}, 0},
		{Param{Kind: KindInt, Min: 3, Max: 3, Log: true}, 0},
		{Param{Kind: KindOrdered, Values: abc}, 1},
		{Param{Kind: KindOrdered, Values: abc[:1]}, 0},
		{Param{Kind: KindChoice, Values: abc}, 3},
		{Param{Kind: KindChoice, Values: abc[:2]}, 1},
		{Param{Kind: KindChoice, Values: abc[:1]}, 0},
		{Param{Kind: KindBool}, 1},
		{Param{Kind: KindFixed, Value: abc[0]}, 0},
	} {
		if got := newAxis(&c.p).width(); got != c.want {
			t.Errorf("%+v has %d coordinates, want %d", c.p, got, c.want)
		}
	}
}
