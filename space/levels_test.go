package space

import "testing"

func TestWholesFind(t *testing.T) {
	w := wholes{min: -2, step: 3, n: 4} // −2, 1, 4, 7
	for _, c := range []struct {
		v    Value
		want int64
		err  string
	}{
		{v: Int(-2), want: 0},
		{v: Float(4), want: 2},
		{v: Int(7), want: 3},
		{v: Int(-3), err: "value is -3, below min; give a whole number from -2 to 7"},
		{v: Int(8), err: "value is 8, above max; give a whole number from -2 to 7"},
		{v: Int(3), err: "value is 3, which steps of 3 from -2 do not reach; give 1 or 4"},
		{v: Float(1.5), err: "value is 1.5, which is not a whole number; give a whole number from -2 to 7"},
		{v: String("1"), err: `value is "1", which is not a whole number; give a whole number from -2 to 7`},
		{v: Bool(true), err: "value is true, which is not a whole number; give a whole number from -2 to 7"},
		{v: Int(-1 << 63), err: "value is -9223372036854775808, below min; give a whole number from -2 to 7"},
	} {
		got, err := w.find(c.v)
		text := ""
		if err != nil {
			text = err.Problem + "; " + err.Hint
		}
		if got != c.want || text != c.err {
			t.Errorf("%v: %d, %q, want %d, %q", c.v, got, text, c.want, c.err)
		}
	}
	if _, err := (wholes{min: 5, step: 1, n: 1}).find(Int(6)); err == nil || err.Hint != "give 5" {
		t.Errorf("%+v", err)
	}
}

func TestListedFind(t *testing.T) {
	l := listed{[]Value{String("a"), Int(2), Bool(true)}}
	for i, v := range []Value{String("a"), Float(2), Bool(true)} {
		if level, err := l.find(v); err != nil || level != int64(i) {
			t.Errorf("%v: %d, %v", v, level, err)
		}
	}
	if _, err := l.find(String("2")); err == nil || err.Problem != `value is "2", which is not one of its values` || err.Hint != `give one of "a", 2, true` {
		t.Errorf("%+v", err)
	}
}
