package space

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDimAndCoordinates(t *testing.T) {
	s := study()
	if s.Dim() != 7 {
		t.Errorf("%d coordinates, want 7", s.Dim())
	}
	for _, c := range []struct {
		name     string
		from, to int
		ok       bool
	}{{"lr", 0, 1, true}, {"opt", 2, 5, true}, {"amsgrad", 6, 7, true}, {"epochs", 7, 7, true}, {"nope", 0, 0, false}} {
		if from, to, ok := s.Coordinates(c.name); from != c.from || to != c.to || ok != c.ok {
			t.Errorf("%s: %d, %d, %v", c.name, from, to, ok)
		}
	}
}

// A space cannot be changed from outside, before or after.
func TestSpaceDoesNotShare(t *testing.T) {
	values := []Value{String("a"), String("b"), String("c")}
	only := []Value{String("a")}
	conditions := []Condition{{"c", only}}
	params := []Param{{Name: "c", Kind: KindChoice, Values: values}, {Name: "b", Kind: KindBool, When: conditions}}
	s := mustNew(params...)
	before := s.Params()
	values[0], only[0], conditions[0].Param, params[0].Name = Int(1), String("b"), "x", "y"
	if diff := cmp.Diff(before, s.Params()); diff != "" {
		t.Error(diff)
	}
	got := s.Params()
	got[0].Values[0], got[1].When[0].Values[0] = Int(1), String("b")
	if diff := cmp.Diff(before, s.Params()); diff != "" {
		t.Error(diff)
	}
	want := Setting{"c": String("a"), "b": Bool(true)}
	if diff := cmp.Diff(want, s.Decode([]float64{1, 0, 0, 1})); diff != "" {
		t.Error(diff)
	}
}
