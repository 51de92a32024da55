package space

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func when(param string, values ...Value) Condition { return Condition{param, values} }

func TestConditionErrors(t *testing.T) {
	opt := Param{Name: "opt", Kind: KindChoice, Values: []Value{String("sgd"), String("adam")}}
	flag := func(name string, conditions ...Condition) Param {
		return Param{Name: name, Kind: KindBool, When: conditions}
	}
	for _, c := range []struct {
		params []Param
		want   string
	}{
		{[]Param{flag("a", when("b", Int(1)))},
			`parameter a: when names "b", which is not a parameter; remove the condition`},
		{[]Param{opt, flag("a", when("optt", Int(1)))},
			`parameter a: when names "optt", which is not a parameter; give opt`},
		{[]Param{opt, flag("a", when("opt", String("Adam")))},
			`parameter a: when has the condition that opt is "Adam", which it never is; give one of "sgd", "adam"`},
		{[]Param{opt, flag("a", when("opt"))},
			`parameter a: when names "opt" without a value; give at least one value`},
		{[]Param{opt, flag("a", when("opt", String("sgd")), when("opt", String("adam")))},
			`parameter a: when names "opt" twice; give one condition with a list of values`},
		{[]Param{{Name: "x", Kind: KindFloat, Max: 1}, flag("a", when("x", Int(1)))},
			`parameter a: when names "x", a float, which hardly ever has an exact value; compare it, as in "> 0.5"; or make the condition on an int, a choice, a bool or a fixed value`},
		{[]Param{{Name: "n", Kind: KindInt, Min: 1, Max: 9}, flag("a", when("n", String("> 9")))},
			`parameter a: when has the condition that n is "> 9", which it never is; give a bound within its values`},
		{[]Param{{Name: "n", Kind: KindInt, Min: 1, Max: 9}, flag("a", when("n", String(">= 2 and < 2")))},
			`parameter a: when has the condition that n is ">= 2 and < 2", which it never is; give a bound within its values`},
		{[]Param{{Name: "n", Kind: KindInt, Min: 1, Max: 9}, flag("a", when("n", String("about 2")))},
			`parameter a: when has the condition that n is "about 2", which it never is; give a whole number from 1 to 9`},
		{[]Param{{Name: "x", Kind: KindFloat, Max: 1}, flag("a", when("x", String("> 0.5"))), flag("b", when("a", Bool(true)), when("x", String("< 0.5")))},
			`parameter b: when can never hold: no value of "x" fits all conditions that must hold together; remove one of the conditions`},
		{[]Param{{Name: "n", Kind: KindInt, Min: 1, Max: 9, Step: 2}, flag("a", when("n", Int(4)))},
			`parameter a: when has the condition that n is 4, which it never is; give 3 or 5`},
		{[]Param{{Name: "f", Kind: KindFixed, Value: String("on")}, flag("a", when("f", String("off")))},
			`parameter a: when has the condition that f is "off", which it never is; give "on"`},
		{[]Param{flag("a", when("a", Bool(true)))},
			`parameter a: when goes in a circle: a → a; remove one of these conditions`},
		{[]Param{flag("a", when("b", Bool(true))), flag("b", when("c", Bool(true))), flag("c", when("b", Bool(true)))},
			`parameter c: when goes in a circle: b → c → b; remove one of these conditions`},
		{[]Param{opt, flag("a", when("opt", String("sgd"))), flag("b", when("a", Bool(true)), when("opt", String("adam")))},
			`parameter b: when can never hold: no value of "opt" fits all conditions that must hold together; remove one of the conditions`},
	} {
		_, err := New(c.params)
		if err == nil {
			t.Errorf("%v: no error, want %s", c.params, c.want)
			continue
		}
		if diff := cmp.Diff(c.want, told(err)); diff != "" {
			t.Error(diff)
		}
	}
}

// Conditions on parameters that have conditions themselves, given in no helpful order.
func TestConditionsOfConditions(t *testing.T) {
	s := mustNew(
		Param{Name: "momentum", Kind: KindBool, When: []Condition{when("nesterov", Bool(true)), when("n", Int(3), Float(2))}},
		Param{Name: "nesterov", Kind: KindBool, When: []Condition{when("opt", String("sgd"))}},
		Param{Name: "n", Kind: KindInt, Min: 1, Max: 3},
		Param{Name: "opt", Kind: KindOrdered, Values: []Value{String("sgd"), String("adam"), String("lion")}},
	)
	for _, c := range []struct {
		unit []float64 // momentum, nesterov, n, opt
		want Setting
	}{
		{[]float64{1, 1, 0.9, 0}, Setting{"momentum": Bool(true), "nesterov": Bool(true), "n": Int(3), "opt": String("sgd")}},
		{[]float64{1, 1, 0.5, 0}, Setting{"momentum": Bool(true), "nesterov": Bool(true), "n": Int(2), "opt": String("sgd")}},
		{[]float64{1, 1, 0.1, 0}, Setting{"nesterov": Bool(true), "n": Int(1), "opt": String("sgd")}},
		{[]float64{1, 0, 0.9, 0}, Setting{"nesterov": Bool(false), "n": Int(3), "opt": String("sgd")}},
		{[]float64{1, 1, 0.9, 0.5}, Setting{"n": Int(3), "opt": String("adam")}},
	} {
		if diff := cmp.Diff(c.want, s.Decode(c.unit)); diff != "" {
			t.Errorf("%v: %s", c.unit, diff)
		}
	}
}

// The dumb twin of needs: ask each condition of each parameter, and the parents first.
func TestExistsAsConditionsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := someSpace(t)
		setting := s.Decode(somePoint(t, s.Dim()))
		var exists func(p Param) bool
		exists = func(p Param) bool {
			for _, c := range p.When {
				parent := s.params[s.places[c.Param]]
				value, given := setting[c.Param]
				if !exists(parent) || !given || !slices.ContainsFunc(c.Values, func(v Value) bool { return value.Equal(v) || compares(v, value) }) {
					return false
				}
			}
			return true
		}
		for _, p := range s.Params() {
			if _, given := setting[p.Name]; given != exists(p) {
				t.Fatalf("%v: %s is given: %v, but exists: %v", setting, p.Name, given, exists(p))
			}
		}
	})
}

// compares says whether a value meets a comparison, if it is one.
func compares(condition, value Value) bool {
	list, ok := comparisonsIn(condition)
	x, isNumber := value.Number()
	return ok && isNumber && !slices.ContainsFunc(list, func(c comparison) bool { return !c.holds(x) })
}
