package space

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

func TestKey(t *testing.T) {
	s := study()
	a := Setting{"opt": String("adam"), "lr": Float(0.01), "n": Int(8), "beta": Int(1), "amsgrad": Bool(true), "epochs": Int(10)}
	const want = `amsgrad=true beta=1 epochs=10 lr=0.01 n=8 opt="adam"`
	if got := s.Key(a); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	b := maps.Clone(a)
	b["n"], b["beta"], b["epochs"] = Float(8), Float(1), Float(10)
	if got := s.Key(b); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if s.Key(Setting{"a=1 b": Int(1)}) == s.Key(Setting{"a": Int(1), "b": Int(1)}) {
		t.Error("names of no parameter are mixed up with values")
	}
}

// Equal keys if and only if equal points.
func TestKeysAreSettings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSpace(t)
		a, b := s.Decode(somePoint(t, s.Dim())), s.Decode(somePoint(t, s.Dim()))
		if (s.Key(a) == s.Key(b)) != maps.Equal(a, b) {
			t.Fatalf("%v has key %s, %v has key %s", a, s.Key(a), b, s.Key(b))
		}
	})
}
