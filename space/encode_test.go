package space

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The laws of the package, on spaces and points of all sorts.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := someSpace(t)
		for range 5 {
			checkLaws(t, s, somePoint(t, s.Dim()))
		}
	})
}

// checkLaws is for fuzzers as well.
func checkLaws(t interface{ Fatalf(string, ...any) }, s *Space, unit []float64) {
	given := slices.Clone(unit)
	setting := s.Decode(unit)
	canonical, err := s.Encode(setting)
	if err != nil {
		t.Fatalf("%v decodes to %v, which does not encode: %v", unit, setting, err)
	}
	for _, u := range canonical {
		if !(u >= 0 && u <= 1) {
			t.Fatalf("%v encodes to %v, outside the cube", setting, canonical)
		}
	}
	if diff := cmp.Diff(setting, s.Decode(canonical)); diff != "" {
		t.Fatalf("%v encodes to %v, which decodes to another setting:\n%s", setting, canonical, diff)
	}
	snapped := s.Snap(nil, unit)
	if !slices.Equal(bits(snapped), bits(canonical)) {
		t.Fatalf("%v snaps to %v, but its setting encodes to %v", unit, snapped, canonical)
	}
	if again := s.Snap(nil, snapped); !slices.Equal(bits(again), bits(snapped)) {
		t.Fatalf("%v snaps to %v, and that to %v", unit, snapped, again)
	}
	if !slices.Equal(bits(unit), bits(given)) {
		t.Fatalf("the point %v was changed to %v", given, unit)
	}
	if s.Snap(unit, unit); !slices.Equal(bits(unit), bits(canonical)) {
		t.Fatalf("%v snaps to %v in place, but to %v elsewhere", given, unit, canonical)
	}
}

func bits(u []float64) []uint64 {
	list := make([]uint64, len(u))
	for i, x := range u {
		list[i] = math.Float64bits(x)
	}
	return list
}

func TestEncodeStudy(t *testing.T) {
	s := study()
	for _, c := range []struct {
		setting Setting
		want    []float64
	}{
		{Setting{"lr": Float(1e-5), "n": Int(1), "opt": String("sgd"), "epochs": Int(10)},
			[]float64{0, 0.5 / 64, 1, 0, 0, 0.5, 0.5}},
		{Setting{"lr": Float(1e-1), "n": Float(64), "opt": String("adam"), "beta": Int(1), "amsgrad": Bool(true), "epochs": Float(10)},
			[]float64{1, 63.5 / 64, 0, 1, 0, 1, 1}},
		{Setting{"lr": Float(1e-1), "n": Int(33), "opt": String("lion"), "beta": Float(0.25), "epochs": Int(10)},
			[]float64{1, 32.5 / 64, 0, 0, 1, 0.25, 0.5}},
	} {
		got, err := s.Encode(c.setting)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v: %s", c.setting, diff)
		}
	}
}

func TestEncodeErrors(t *testing.T) {
	s := study()
	good := Setting{"lr": Float(0.01), "n": Int(8), "opt": String("adam"), "beta": Float(0.9), "amsgrad": Bool(false), "epochs": Int(10)}
	if _, err := s.Encode(good); err != nil {
		t.Fatal(err)
	}
	nothing := Value{}
	for _, c := range []struct {
		change Setting // no value: leave it out
		want   string
	}{
		{Setting{"lr": nothing}, `parameter lr: value is missing; give it a value`},
		{Setting{"epochs": nothing}, `parameter epochs: value is missing; give it a value`},
		{Setting{"beta": nothing}, `parameter beta: value is missing, and it exists because opt is one of "adam", "lion"; give it a value`},
		{Setting{"lr": Float(0.2)}, `parameter lr: value is 0.2, above max; give a number from 0.00001 to 0.1`},
		{Setting{"lr": Float(0)}, `parameter lr: value is 0, below min; give a number from 0.00001 to 0.1`},
		{Setting{"lr": Float(math.NaN())}, `parameter lr: value is NaN; give a number from 0.00001 to 0.1`},
		{Setting{"lr": Float(math.Inf(1))}, `parameter lr: value is +Inf, above max; give a number from 0.00001 to 0.1`},
		{Setting{"lr": String("0.01")}, `parameter lr: value is "0.01", which is not a number; give a number from 0.00001 to 0.1`},
		{Setting{"n": Float(1.5)}, `parameter n: value is 1.5, which is not a whole number; give a whole number from 1 to 64`},
		{Setting{"opt": String("rmsprop")}, `parameter opt: value is "rmsprop", which is not one of its values; give one of "sgd", "adam", "lion"`},
		{Setting{"amsgrad": Int(1)}, `parameter amsgrad: value is 1, which is not one of its values; give one of false, true`},
		{Setting{"epochs": Int(11)}, `parameter epochs: value is 11, which is not one of its values; give 10`},
		{Setting{"momentum": Int(1)}, `parameter momentum: there is no such parameter; give one of lr, n, opt, beta, amsgrad, epochs`},
		{Setting{"opt": String("lion")}, `parameter amsgrad: value is false, but it exists only when opt is "adam"; leave it out`},
		{Setting{"opt": nothing}, `parameter opt: value is missing; give it a value`}, // and not a word about what depends on it
		{Setting{"opt": String("sgd"), "lr": nothing, "z": Int(1), "y": Int(1)}, strings.Join([]string{
			`parameter lr: value is missing; give it a value`,
			`parameter beta: value is 0.9, but it exists only when opt is one of "adam", "lion"; leave it out`,
			`parameter amsgrad: value is false, but it exists only when opt is "adam"; leave it out`,
			`parameter y: there is no such parameter; give one of lr, n, opt, beta, amsgrad, epochs`,
			`parameter z: there is no such parameter; give one of lr, n, opt, beta, amsgrad, epochs`,
		}, "\n")},
	} {
		setting := Setting{}
		for name, v := range good {
			setting[name] = v
		}
		for name, v := range c.change {
			if setting[name] = v; v.IsZero() {
				delete(setting, name)
			}
		}
		unit, err := s.Encode(setting)
		if err == nil || unit != nil {
			t.Errorf("%v: no error, want %s", c.change, c.want)
			continue
		}
		if diff := cmp.Diff(c.want, told(err)); diff != "" {
			t.Errorf("%v: %s", c.change, diff)
		}
	}
	if _, err := mustNew().Encode(Setting{"x": Int(1)}); err == nil || told(err) != `parameter x: there is no such parameter; the space has no parameters` {
		t.Error(err)
	}
	// A value that is there but empty is as wrong as any other.
	if _, err := s.Encode(Setting{"lr": nothing, "n": Int(8), "opt": String("sgd"), "epochs": Int(10)}); err == nil ||
		told(err) != `parameter lr: value is nothing, which is not a number; give a number from 0.00001 to 0.1` {
		t.Error(err)
	}
}

// A setting that was changed in any one place is either refused or comes back as it is.
func TestEncodeNeverMistakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := someSpace(t)
		setting := s.Decode(somePoint(t, s.Dim()))
		name := rapid.SampledFrom(s.params).Draw(t, "param").Name
		if v := someValue(t); rapid.Bool().Draw(t, "remove") {
			delete(setting, name)
		} else {
			setting[name] = v
		}
		unit, err := s.Encode(setting)
		if err != nil {
			return
		}
		back := s.Decode(unit)
		if x, ok := setting[name].Number(); ok && s.params[s.places[name]].Kind == KindFloat {
			y, _ := back[name].Number()
			if p := s.params[s.places[name]]; !p.Log && math.Abs(x-y) > 0x1p-7*(p.Max-p.Min) {
				t.Fatalf("%s: %v came back as %v", name, x, y)
			}
			setting[name] = back[name]
		}
		if s.Key(setting) != s.Key(back) {
			t.Fatalf("%v came back as %v", setting, back)
		}
	})
}

func TestShapeMistakesPanic(t *testing.T) {
	s := study()
	right, short := make([]float64, 7), make([]float64, 6)
	for name, f := range map[string]func(){
		"Decode":     func() { s.Decode(short) },
		"Snap":       func() { s.Snap(nil, short) },
		"Snap dst":   func() { s.Snap(short, right) },
		"Neighbours": func() { s.Neighbours(nil) },
	} {
		func() {
			defer func() {
				text, _ := recover().(string)
				if !strings.HasPrefix(text, "space: the point has ") {
					t.Errorf("%s: panic %q", name, text)
				}
			}()
			f()
		}()
	}
}

func TestSnapDoesNotAllocate(t *testing.T) {
	s := study()
	unit, dst := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, make([]float64, 7)
	if n := testing.AllocsPerRun(100, func() { s.Snap(dst, unit) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSnap(b *testing.B) {
	s := study()
	unit, dst := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, make([]float64, 7)
	for b.Loop() {
		s.Snap(dst, unit)
	}
}

func BenchmarkDecode(b *testing.B) {
	s := study()
	unit := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}
	for b.Loop() {
		s.Decode(unit)
	}
}
