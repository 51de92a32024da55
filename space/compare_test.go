package space

import (
	"testing"

	"pgregory.net/rapid"
)

// A parameter exists exactly where its comparison holds, whatever it is compared with.
func TestComparisons(t *testing.T) {
	parents := []Param{
		{Name: "n", Kind: KindInt, Min: 1, Max: 100, Step: 3},
		{Name: "big", Kind: KindInt, Min: 1, Max: 1 << 40, Log: true},
		{Name: "x", Kind: KindFloat, Min: 1e-5, Max: 0.1, Log: true},
		{Name: "y", Kind: KindFloat, Min: -1, Max: 1, Step: 0.05},
		{Name: "size", Kind: KindOrdered, Values: []Value{Int(1), Int(4), Int(2), String("huge"), Float(8.5)}},
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(parents).Draw(t, "parent")
		bound := rapid.SampledFrom([]float64{-0.5, 0, 0.001, 0.05, 0.3, 2, 4, 50, 64, 1e6}).Draw(t, "bound")
		c := comparison{rapid.SampledFrom([]string{"<", "<=", ">", ">=", "!=", "=="}).Draw(t, "sign"), bound}
		s, err := New([]Param{p, {Name: "child", Kind: KindBool, When: []Condition{when(p.Name, String(c.sign+formatFloat(bound)))}}})
		if err != nil {
			return // it never holds
		}
		unit := []float64{rapid.Float64Range(0, 1).Draw(t, "u"), 0}
		setting := s.Decode(unit)
		x, isNumber := setting[p.Name].Number()
		if _, exists := setting["child"]; exists != (isNumber && c.holds(x)) {
			t.Fatalf("%s: with %s %v the child exists: %v", p.Name, c.sign, setting, exists)
		}
		checkLaws(t, s, unit)
	})
}

// A list holds where any of its values does, and a choice may have a value that looks like a comparison.
func TestComparisonsInLists(t *testing.T) {
	layers := Param{Name: "layers", Kind: KindInt, Min: 1, Max: 8}
	s, err := New([]Param{layers, {Name: "skip", Kind: KindBool, When: []Condition{when("layers", Int(1), String("> 3 and <= 5"))}}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range int64(8) {
		_, err := s.Encode(Setting{"layers": Int(n + 1), "skip": Bool(true)})
		if want := n+1 == 1 || n+1 == 4 || n+1 == 5; (err == nil) != want {
			t.Errorf("%d layers: %v", n+1, err)
		}
	}
	if _, err := s.Encode(Setting{"layers": Int(2), "skip": Bool(true)}); told(err) != "parameter skip: value is true, but it exists only when layers is one of 1, 4, 5; leave it out" {
		t.Errorf("%s", told(err))
	}
	odd := Param{Name: "odd", Kind: KindChoice, Values: []Value{String(">= 2"), String("a")}}
	if s, err = New([]Param{odd, {Name: "b", Kind: KindBool, When: []Condition{when("odd", String(">= 2"))}}}); err != nil {
		t.Fatal(err)
	}
	if n, _ := s.Size(); n != 3 {
		t.Errorf("%d settings, want 3", n)
	}
}
