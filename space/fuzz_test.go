package space

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floats reads as many floats as there are in data, of any bits.
func floats(data []byte, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		var word [8]byte
		copy(word[:], data[min(8*i, len(data)):])
		list[i] = math.Float64frombits(binary.LittleEndian.Uint64(word[:]))
	}
	return list
}

// Any point means a setting, and the laws hold there.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\xf8\x7f\x00\x00\x00\x00\x00\x00\xf0\x7f"))
	f.Add([]byte(strings.Repeat("\x9a\x99\x99\x99\x99\x99\xc9\x3f", 7)))
	s := study()
	f.Fuzz(func(t *testing.T, data []byte) {
		unit := floats(data, s.Dim())
		s.Neighbours(unit)
		checkLaws(t, s, unit)
	})
}

// Any parameters make a space or an error that says whose it is, and the laws hold in the space.
func FuzzNew(f *testing.F) {
	f.Add("lr", "float", 1e-5, 0.1, 0.0, true, "", "opt", "adam", 0.3)
	f.Add("n", "int", 1.0, 64.0, 3.0, true, "", "opt", "sgd", 0.7)
	f.Add("c", "ordered", 0.0, 0.0, 0.0, false, "a,b,1", "c", "a", 0.1)
	f.Add("opt", "fixed", 0.0, 0.0, 0.0, false, "x", "", "", math.NaN())
	f.Add("n", "int", -9007199254740992.0, 9007199254740992.0, 1048576.0, false, "", "", "", 0.9)
	f.Fuzz(func(t *testing.T, name, kind string, low, high, step float64, log bool, values, parent, value string, u float64) {
		p := Param{Name: name, Kind: Kind(kind), Min: low, Max: high, Step: step, Log: log}
		if values != "" {
			for _, text := range strings.Split(values, ",") {
				p.Values = append(p.Values, readings(text)[0])
			}
		}
		if p.Kind == KindFixed && len(p.Values) > 0 {
			p.Value, p.Values = p.Values[0], nil
		}
		if parent != "" {
			p.When = []Condition{when(parent, readings(value)...)}
		}
		s, err := New([]Param{
			{Name: "opt", Kind: KindChoice, Values: []Value{String("sgd"), String("adam"), String("lion")}},
			p,
			{Name: "after", Kind: KindBool, When: []Condition{when("opt", String("adam"))}},
		})
		if err != nil {
			var list Errors
			if !errors.As(err, &list) {
				t.Fatalf("%T: %v", err, err)
			}
			for _, e := range list {
				if e.Index < 0 || e.Index > 2 || e.Field == "" || e.Problem == "" || e.Hint == "" {
					t.Fatalf("%+v", e)
				}
			}
			return
		}
		for _, coordinates := range [][]float64{{u, u, u, u}, {0, 1, 0, u}, {0, 1, 0, 1}, {1, 0, 0, 0}} {
			unit := make([]float64, s.Dim())
			copy(unit, coordinates)
			checkLaws(t, s, unit)
		}
		s.Size()
		s.Enumerate(100)
	})
}

// Any float in any range comes back near where it was, and then stays.
func FuzzFloatRoundTrip(f *testing.F) {
	f.Add(-1.0, 1.0, 0.1, false)
	f.Add(1e-5, 1e-1, 0.001, true)
	f.Add(1e9, 1e9+1, 1e9+0.3, false)
	f.Add(-31.4999975, 6.016666666666667, -9.332208333333334, false) // at one end of a cell whose value is at the other
	f.Add(0x1p-1022, math.MaxFloat64, 1.0, true)
	f.Fuzz(func(t *testing.T, low, high, x float64, log bool) {
		s, err := New([]Param{{Name: "x", Kind: KindFloat, Min: low, Max: high, Log: log}})
		if err != nil {
			return
		}
		unit, err := s.Encode(Setting{"x": Float(x)})
		if err != nil {
			if x >= low && x <= high {
				t.Fatal(err)
			}
			return
		}
		back := s.Decode(unit)
		y, _ := back["x"].Number()
		if y < low || y > high {
			t.Fatalf("%v came back as %v", x, y)
		}
		off, cell := math.Abs(x-y)/(high-low), 1/s.axes[0].(*continuous).cells
		if log {
			off = math.Abs(lnRatio(math.Max(x, y), math.Min(x, y))) / lnRatio(high, low)
		}
		if off > 1.25*cell { // a cell, and the rounding
			t.Fatalf("%v came back as %v, off by %v of the range, with cells of %v", x, y, off, cell)
		}
		again, err := s.Encode(back)
		if err != nil || !slices.Equal(bits(again), bits(unit)) {
			t.Fatalf("%v is at %v, %v is at %v, %v", x, unit, y, again, err)
		}
		checkLaws(t, s, unit)
	})
}

// Any JSON is refused, or read as a value that is written and read back the same.
func FuzzValueJSON(f *testing.F) {
	for _, text := range []string{"1", "1.0", `"a"`, "true", "null", "-0", "1e400", "[1]", " 2"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v Value
		if json.Unmarshal(data, &v) != nil || v.IsZero() {
			return
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var back Value
		if err := json.Unmarshal(text, &back); err != nil || back != v {
			t.Fatalf("%s reads %#v, written %s, read %#v, %v", data, v, text, back, err)
		}
	})
}

// readings lists what a text can mean.
func readings(text string) []Value {
	var list []Value
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		list = append(list, Int(n))
	} else if x, err := strconv.ParseFloat(text, 64); err == nil {
		list = append(list, Float(x))
	}
	switch text {
	case "true", "false":
		list = append(list, Bool(text == "true"))
	}
	return append(list, String(text))
}
