package space

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every message there is about a parameter taken by itself.
func TestParamErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ab := []Value{String("a"), String("b")}
	for _, c := range []struct {
		p     Param
		field string
		want  string
	}{
		{Param{Kind: KindBool}, "name",
			`parameter 1: name is empty; use letters a to z and A to Z, digits, _, - and .`},
		{Param{Name: "a b", Kind: KindBool}, "name",
			`parameter a b: name has the character ' '; use letters a to z and A to Z, digits, _, - and .`},
		{Param{Name: "größe", Kind: KindBool}, "name",
			`parameter größe: name has the character 'ö'; use letters a to z and A to Z, digits, _, - and .`},
		{Param{Name: "x"}, "type",
			`parameter x: type is ""; give one of float, int, choice, ordered, bool, fixed`},
		{Param{Name: "x", Kind: "real"}, "type",
			`parameter x: type is "real"; give one of float, int, choice, ordered, bool, fixed`},

		{Param{Name: "x", Kind: KindBool, Min: 1}, "min",
			`parameter x: min is given, but belongs to float and int and the type is bool; leave it out, or give another type`},
		{Param{Name: "x", Kind: KindBool, Max: nan}, "max",
			`parameter x: max is given, but belongs to float and int and the type is bool; leave it out, or give another type`},
		{Param{Name: "x", Kind: KindBool, Step: 0.1}, "step",
			`parameter x: step is given, but belongs to float and int and the type is bool; leave it out, or give another type`},
		{Param{Name: "x", Kind: KindFloat, Max: 1, Step: -0.1}, "step",
			`parameter x: step is -0.1; give a step above zero`},
		{Param{Name: "x", Kind: KindFloat, Max: 1, Step: 2}, "step",
			`parameter x: step is 2, more than from min to max; give a smaller step, or type fixed`},
		{Param{Name: "x", Kind: KindFloat, Max: 1, Step: 0.3}, "max",
			`parameter x: max is 1, which steps of 0.3 from min 0 do not reach; give max 0.9 or 1.2`},
		{Param{Name: "x", Kind: KindFloat, Min: 1e6, Max: 2e6, Step: 1e-6}, "step",
			`parameter x: step is 0.000001, too small against min and max to tell one value from the next; give a larger step, or leave it out`},
		{Param{Name: "x", Kind: KindChoice, Values: ab, Log: true}, "log",
			`parameter x: log is given, but belongs to float and int and the type is choice; leave it out, or give another type`},
		{Param{Name: "x", Kind: KindFloat, Max: 1, Values: ab}, "values",
			`parameter x: values is given, but belongs to choice and ordered and the type is float; leave it out, or give another type`},
		{Param{Name: "x", Kind: KindOrdered, Values: ab, Value: Int(1)}, "value",
			`parameter x: value is given, but belongs to fixed and the type is ordered; leave it out, or give another type`},

		{Param{Name: "x", Kind: KindFloat, Min: nan, Max: 1}, "min", `parameter x: min is NaN; give a finite number`},
		{Param{Name: "x", Kind: KindFloat, Max: inf}, "max", `parameter x: max is +Inf; give a finite number`},
		{Param{Name: "x", Kind: KindFloat, Min: 2, Max: 1}, "max",
			`parameter x: min is 2, above max 1; give the smaller one as min`},
		{Param{Name: "x", Kind: KindFloat, Min: 3, Max: 3}, "max",
			`parameter x: min and max are both 3; give a larger max, or type fixed`},
		{Param{Name: "x", Kind: KindFloat}, "max",
			`parameter x: min and max are both 0; give a larger max, or type fixed`},
		{Param{Name: "x", Kind: KindFloat, Min: -1e308, Max: 1e308}, "max",
			`parameter x: min is -1e+308 and max 1e+308, and the difference is more than a float64 can hold; give bounds closer together`},
		{Param{Name: "lr", Kind: KindFloat, Min: 0, Max: 1, Log: true}, "min",
			`parameter lr: min is 0, but log needs a bound above zero; give a positive min`},
		{Param{Name: "n", Kind: KindInt, Min: -3, Max: 1, Log: true}, "min",
			`parameter n: min is -3, but log needs a bound above zero; give a positive min`},
		{Param{Name: "lr", Kind: KindFloat, Min: 1e-310, Max: 1, Log: true}, "min",
			`parameter lr: min is 1e-310, where floats lose their precision; give at least 2.3e-308`},
		{Param{Name: "x", Kind: KindFloat, Min: 1, Max: 1 + 1e-14}, "max",
			`parameter x: min is 1 and max 1.00000000000001, too close to tell floats between them apart; give bounds further apart, or vary the difference from min`},
		{Param{Name: "x", Kind: KindFloat, Min: 1, Max: 1 + 1e-14, Log: true}, "max",
			`parameter x: min is 1 and max 1.00000000000001, too close to tell floats between them apart; give bounds further apart, or vary the difference from min`},

		{Param{Name: "n", Kind: KindInt, Min: 0.5, Max: 2}, "min",
			`parameter n: min is 0.5, but the type is int; give a whole number, or type float`},
		{Param{Name: "n", Kind: KindInt, Min: 1, Max: 2.5}, "max",
			`parameter n: max is 2.5, but the type is int; give a whole number, or type float`},
		{Param{Name: "n", Kind: KindInt, Min: 1, Max: 2, Step: nan}, "step",
			`parameter n: step is NaN, but the type is int; give a whole number, or type float`},
		{Param{Name: "n", Kind: KindInt, Min: 1, Max: 2, Step: inf}, "step",
			`parameter n: step is +Inf, but the type is int; give a whole number, or type float`},
		{Param{Name: "n", Kind: KindInt, Min: 1, Max: 1 << 54}, "max",
			`parameter n: max is 18014398509481984, where whole numbers have gaps; stay within ±2^53`},
		{Param{Name: "n", Kind: KindInt, Min: 1, Max: 2, Step: -1}, "step",
			`parameter n: step is -1; give a step above zero`},
		{Param{Name: "n", Kind: KindInt, Min: 3, Max: 2}, "max",
			`parameter n: min is 3, above max 2; give the smaller one as min`},
		{Param{Name: "n", Kind: KindInt, Min: 1, Max: 10, Step: 4}, "max",
			`parameter n: max is 10, which steps of 4 from min 1 do not reach; give max 9 or 13`},
		{Param{Name: "n", Kind: KindInt, Min: -1 << 53, Max: 1 << 53}, "step",
			`parameter n: there are 18014398509481985 values from min -9007199254740992 to max 9007199254740992, more than 2^40; give a larger step or bounds closer together, or type float`},

		{Param{Name: "c", Kind: KindChoice}, "values", `parameter c: values is empty; give at least one value`},
		{Param{Name: "c", Kind: KindChoice, Values: []Value{{}}}, "values",
			`parameter c: values has an empty entry; give a string, a number or a bool`},
		{Param{Name: "c", Kind: KindChoice, Values: []Value{String("a"), String("a")}}, "values",
			`parameter c: values has "a" twice; give it once`},
		{Param{Name: "c", Kind: KindOrdered, Values: []Value{Int(1), Float(1)}}, "values",
			`parameter c: values has 1 twice; give it once`},
		{Param{Name: "c", Kind: KindChoice, Values: []Value{Int(1), String("1")}}, "values",
			`parameter c: values has 1 and "1", which read the same on a command line; keep one of them`},
		{Param{Name: "c", Kind: KindChoice, Values: []Value{Float(nan)}}, "values",
			`parameter c: values has NaN; give a finite number, or quote it to make it a string`},
		{Param{Name: "c", Kind: KindChoice, Values: []Value{String("a\x00")}}, "values",
			`parameter c: values has "a\x00", which no command line can carry; give text in UTF-8 without NUL`},
		{Param{Name: "c", Kind: KindFixed}, "value",
			`parameter c: value is missing; give a string, a number or a bool`},
		{Param{Name: "c", Kind: KindFixed, Value: String("\xff")}, "value",
			`parameter c: value has "\xff", which no command line can carry; give text in UTF-8 without NUL`},
	} {
		_, err := New([]Param{c.p})
		var list Errors
		if !errors.As(err, &list) || len(list) != 1 {
			t.Errorf("%+v: %v, want one error", c.p, err)
			continue
		}
		if list[0].Field != c.field {
			t.Errorf("%+v: field %q, want %q", c.p, list[0].Field, c.field)
		}
		if diff := cmp.Diff(c.want, told(err)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestParamsThatAreFine(t *testing.T) {
	for _, p := range []Param{
		{Kind: KindFloat, Min: -1, Max: 1},
		{Kind: KindFloat, Min: math.SmallestNonzeroFloat64, Max: 1},
		{Kind: KindFloat, Min: 0, Max: math.MaxFloat64},
		{Kind: KindFloat, Min: smallestNormal, Max: math.MaxFloat64, Log: true},
		{Kind: KindFloat, Min: 1e9, Max: 1e9 + 1},
		{Kind: KindInt, Min: 5, Max: 5},
		{Kind: KindInt}, // from 0 to 0
		{Kind: KindInt, Min: -1 << 53, Max: 1 << 53, Step: 1 << 20},
		{Kind: KindInt, Min: 1<<53 - 2, Max: 1 << 53, Log: true},
		{Kind: KindChoice, Values: []Value{String("")}},
		{Kind: KindChoice, Values: []Value{Bool(true), Int(1), Float(0.5), String("größe")}},
		{Kind: KindBool},
		{Kind: KindFixed, Value: Float(0.5)},
	} {
		p.Name = "A-b_c.9"
		if _, err := New([]Param{p}); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if s, err := New(nil); err != nil || s.Dim() != 0 {
		t.Errorf("no parameters: %v", err)
	}
}

// All that is wrong is told at once, in the order of the parameters.
func TestAllErrorsAtOnce(t *testing.T) {
	_, err := New([]Param{
		{Name: "a", Kind: KindFloat, When: []Condition{{"b", []Value{Int(1)}}}},
		{Name: "b", Kind: "bol"},
		{Name: "a", Kind: KindBool, When: []Condition{{"z", nil}}},
	})
	want := []string{
		`parameter a: min and max are both 0; give a larger max, or type fixed`,
		`parameter b: type is "bol"; give one of float, int, choice, ordered, bool, fixed`,
		`parameter a: parameter 1 already has this name; give it another name`,
		`parameter a: when names "z", which is not a parameter; give b`,
	}
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, strings.Split(told(err), "\n")); diff != "" {
		t.Error(diff)
	}
	var first *Error
	if !errors.As(err, &first) || first.Index != 0 || first.Field != "max" {
		t.Errorf("the first error is %+v", first)
	}
}
