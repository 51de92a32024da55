package space

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestValueString(t *testing.T) {
	for _, c := range []struct {
		v    Value
		want string
	}{
		{String("adam"), "adam"},
		{String(""), ""},
		{Int(0), "0"},
		{Int(-1234567890123456789), "-1234567890123456789"},
		{Float(0), "0"},
		{Float(math.Copysign(0, -1)), "0"},
		{Float(0.1), "0.1"},
		{Float(1e-5), "0.00001"},
		{Float(1e-7), "1e-7"},
		{Float(-2.5e-10), "-2.5e-10"},
		{Float(1e6), "1000000"},
		{Float(1e21), "1e+21"},
		{Float(1.5e300), "1.5e+300"},
		{Float(math.Nextafter(0.3, 1)), "0.30000000000000004"},
		{Bool(true), "true"},
		{Bool(false), "false"},
		{Value{}, ""},
	} {
		if got := c.v.String(); got != c.want {
			t.Errorf("%#v: %q, want %q", c.v, got, c.want)
		}
	}
}

func TestFloatTextReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		if back, err := strconv.ParseFloat(Float(x).String(), 64); err != nil || back != x {
			t.Fatalf("%v: %q reads %v, %v", x, Float(x), back, err)
		}
	})
}

func TestValueEqual(t *testing.T) {
	same := [][2]Value{
		{Int(1), Float(1)}, {Float(-3), Int(-3)}, {Float(math.NaN()), Float(-math.NaN())},
		{Float(0), Float(math.Copysign(0, -1))}, {String("a"), String("a")}, {Value{}, Value{}},
	}
	for _, p := range same {
		if !p[0].Equal(p[1]) || !p[1].Equal(p[0]) {
			t.Errorf("%#v and %#v differ", p[0], p[1])
		}
	}
	different := [][2]Value{
		{Int(1), String("1")}, {Bool(true), String("true")}, {Bool(true), Int(1)}, {Int(1), Float(1.5)},
		{Int(math.MaxInt64), Float(1 << 63)}, {Int(1<<53 + 1), Float(1 << 53)}, {String(""), Value{}}, {Int(0), Value{}},
		{Int(0), Float(math.NaN())}, {Int(math.MinInt64), Float(math.Inf(-1))},
	}
	for _, p := range different {
		if p[0].Equal(p[1]) || p[1].Equal(p[0]) {
			t.Errorf("%#v and %#v are equal", p[0], p[1])
		}
	}
}

func TestValueNumber(t *testing.T) {
	for _, c := range []struct {
		v    Value
		want float64
		ok   bool
	}{{Int(3), 3, true}, {Float(0.5), 0.5, true}, {String("3"), 0, false}, {Bool(true), 0, false}, {Value{}, 0, false}} {
		if x, ok := c.v.Number(); x != c.want || ok != c.ok {
			t.Errorf("%#v: %v, %v", c.v, x, ok)
		}
	}
	if (Value{}).Any() != nil || !(Value{}).IsZero() || String("").IsZero() {
		t.Error("the zero value is not told from an empty string")
	}
}

// someValue draws a value of any type.
func someValue(t *rapid.T) Value {
	return rapid.OneOf(
		rapid.Map(rapid.String(), String),
		rapid.Map(rapid.Int64(), Int),
		rapid.Map(rapid.Float64(), Float),
		rapid.Map(rapid.Bool(), Bool),
	).Filter(func(v Value) bool { return !strings.Contains(v.text, "\x00") }).Draw(t, "value")
}
