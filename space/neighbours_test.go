package space

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNeighboursOfStudy(t *testing.T) {
	s := study()
	here, err := s.Encode(Setting{"lr": Float(0.1), "n": Int(64), "opt": String("sgd"), "epochs": Int(10)})
	if err != nil {
		t.Fatal(err)
	}
	want := []Setting{
		{"lr": Float(0.1), "n": Int(63), "opt": String("sgd"), "epochs": Int(10)},
		{"lr": Float(0.1), "n": Int(64), "opt": String("adam"), "beta": Float(0.5), "amsgrad": Bool(true), "epochs": Int(10)},
		{"lr": Float(0.1), "n": Int(64), "opt": String("lion"), "beta": Float(0.5), "epochs": Int(10)},
	}
	var got []Setting
	for _, u := range s.Neighbours(here) {
		got = append(got, s.Decode(u))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFloatsHaveNoNeighbours(t *testing.T) {
	s := mustNew(Param{Name: "x", Kind: KindFloat, Max: 1}, Param{Name: "f", Kind: KindFixed, Value: Int(1)})
	if got := s.Neighbours([]float64{0.3}); len(got) != 0 {
		t.Error(got)
	}
}

func TestNeighboursProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := someSpace(t)
		unit := somePoint(t, s.Dim())
		here := s.Decode(unit)
		keys := map[string]bool{s.Key(here): true}
		for _, u := range s.Neighbours(unit) {
			if !slices.Equal(u, s.Snap(nil, u)) {
				t.Fatalf("%v is not canonical", u)
			}
			there := s.Decode(u)
			if keys[s.Key(there)] {
				t.Fatalf("%v is a neighbour of %v twice, or is the point itself", there, here)
			}
			keys[s.Key(there)] = true
			// What exists both here and there differs in one parameter; the rest comes and goes with it.
			differ := 0
			for name, v := range here {
				if w, both := there[name]; both && v != w {
					differ++
				}
			}
			if differ != 1 {
				t.Fatalf("%v and %v differ in %d parameters", here, there, differ)
			}
		}
	})
}

// From any setting, every other can be reached: the neighbourhoods connect a finite space.
func TestNeighboursConnect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSpace(t)
		n, finite := s.Size()
		if !finite || n > 500 {
			return
		}
		seen := map[string]bool{}
		open := [][]float64{somePoint(t, s.Dim())}
		for len(open) > 0 {
			u := open[0]
			open = open[1:]
			if key := s.Key(s.Decode(u)); !seen[key] {
				seen[key] = true
				open = append(open, s.Neighbours(u)...)
			}
		}
		if len(seen) != n {
			t.Fatalf("%d of %d settings reached", len(seen), n)
		}
	})
}
