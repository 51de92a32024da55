package space

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func drawContinuous(t *rapid.T) *continuous {
	p := someFloat(t)
	if rapid.Bool().Draw(t, "log") {
		p = someLogFloat(t)
	}
	return newContinuous(&p)
}

// The law of float.go: from the middle of a cell to its value and back, bit for bit.
func TestFloatCellsHoldTheirValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawContinuous(t)
		for range 20 {
			u := c.toMiddle(rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(0.499999, 0.500001),
				rapid.SampledFrom([]float64{0, 1 / c.cells, 0.5, 1 - 1/c.cells, 1})).Draw(t, "u"))
			x := c.valueOf(u)
			if x < c.min || x > c.max {
				t.Fatalf("%+v: %v decodes to %v, outside", *c, u, x)
			}
			if back := c.cellOf(x); back != u {
				t.Fatalf("%+v: %v decodes to %v, which encodes to %v", *c, u, x, back)
			}
			// The next cell has a larger value.
			if next := u + 1/c.cells; next <= 1 && !(c.valueOf(next) > x) {
				t.Fatalf("%+v: %v decodes to %v, but the next cell to %v", *c, u, x, c.valueOf(next))
			}
		}
	})
}

// Any float comes back within a cell, up to its own rounding.
func TestFloatsComeBackNearly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawContinuous(t)
		x := math.Min(math.Max(c.inverse(rapid.Float64Range(0, 1).Draw(t, "u")), c.min), c.max)
		back := c.valueOf(c.cellOf(x))
		wide, off := c.length/c.cells, math.Abs(back-x)
		if c.log {
			off = math.Abs(lnRatio(back, x))
		}
		if off > 1.25*wide {
			t.Fatalf("%+v: %v came back as %v: off by %v cells", *c, x, back, off/wide)
		}
	})
}

// In usual ranges a cell is a few units in the last place.
func TestFloatCellsAreNarrow(t *testing.T) {
	for _, c := range []struct {
		p    Param
		want float64
	}{
		{Param{Min: 0, Max: 1}, 0x1p50},
		{Param{Min: -1, Max: 1}, 0x1p50},
		{Param{Min: -1e300, Max: 1e300}, 0x1p50},
		{Param{Min: 1e-5, Max: 1e-1, Log: true}, 0x1p50},
		{Param{Min: 1, Max: 2, Log: true}, 0x1p48},
		{Param{Min: smallestNormal, Max: math.MaxFloat64, Log: true}, 0x1p50},
		{Param{Min: 1 << 30, Max: 1<<30 + 1}, 0x1p20}, // floats here are 2⁻²² apart
	} {
		if got := newContinuous(&c.p).cells; got != c.want {
			t.Errorf("%v to %v: %v cells, want %v", c.p.Min, c.p.Max, got, c.want)
		}
	}
}

// What a person types comes back as typed.
func TestTypedFloatsComeBack(t *testing.T) {
	for _, c := range []struct {
		p  Param
		xs []float64
	}{
		{Param{Min: -1, Max: 1}, []float64{0.1, -0.1, 0, 0.55, 1e-3, -0.123456789, 1, -1, 1e-14}},
		{Param{Min: -1, Max: 2}, []float64{0, 0.3, 1.1, 1.7, -0.7}},
		{Param{Min: 0, Max: 0.3}, []float64{0.1, 0.2, 0.15, 0.3}},
		{Param{Min: 1e-5, Max: 1e-1, Log: true}, []float64{1e-5, 2e-5, 1e-4, 0.001, 3e-4, 0.0123456789, 0.1}},
		{Param{Min: 1e-300, Max: 1e300, Log: true}, []float64{1e-300, 1e-200, 1, 2, 3.25, 7e250, 1e300}},
		{Param{Min: 1e9, Max: 1e9 + 1}, []float64{1e9, 1e9 + 0.1, 1e9 + 0.5, 1e9 + 0.999}},
	} {
		f := newContinuous(&c.p)
		for _, x := range c.xs {
			if got := f.valueOf(f.cellOf(x)); got != x {
				t.Errorf("%v to %v: %v came back as %v", c.p.Min, c.p.Max, x, got)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		bounds := rapid.SampledFrom([]Param{{Min: -1, Max: 1}, {Min: 0, Max: 10}, {Min: 1e-3, Max: 10, Log: true}, {Min: -5, Max: 3}}).Draw(t, "bounds")
		f := newContinuous(&bounds)
		u := rapid.Float64Range(0, 1).Draw(t, "u")
		text := strconv.FormatFloat(f.inverse(u), 'g', rapid.IntRange(1, 13).Draw(t, "digits"), 64)
		x, _ := strconv.ParseFloat(text, 64)
		if x < f.min || x > f.max || (!f.log && math.Abs(x) < 1e-13*f.length && x != 0) {
			return
		}
		// Below the size of a cell, digits are lost: on a linear scale they count from max − min.
		if !f.log {
			text = strconv.FormatFloat(x, 'f', 13, 64)
			x, _ = strconv.ParseFloat(text, 64)
		}
		if got := f.valueOf(f.cellOf(x)); got != x {
			t.Fatalf("%v came back as %v", x, got)
		}
	})
}

// The dumb twin: try all numbers of digits.
func TestValueIsTheShortestDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawContinuous(t)
		u := c.toMiddle(rapid.Float64Range(0, 1).Draw(t, "u"))
		if u == 0 || u == 1 {
			return // the bounds as they were given, however long
		}
		x := c.valueOf(u)
		for n := range digits(x) - 1 {
			short, _ := strconv.ParseFloat(strconv.FormatFloat(c.inverse(u), 'e', n, 64), 64)
			if short >= c.min && short <= c.max && c.cellOf(short) == u {
				t.Fatalf("%+v: %v decodes to %v, but %v is in the cell, too", *c, u, x, short)
			}
		}
	})
}

// digits counts the significant digits of a float.
func digits(x float64) int {
	n := 0
	for _, r := range strconv.FormatFloat(x, 'e', -1, 64) {
		if r == 'e' {
			break
		}
		if r >= '0' && r <= '9' {
			n++
		}
	}
	return n
}

func TestFloatScales(t *testing.T) {
	for _, c := range []struct {
		p    Param
		x, u float64
	}{
		{Param{Min: 2, Max: 6}, 3, 0.25},
		{Param{Min: 2, Max: 6}, 6, 1},
		{Param{Min: 1e-4, Max: 1, Log: true}, 1e-2, 0.5},
		{Param{Min: 1e-4, Max: 1, Log: true}, 1e-1, 0.75},
		{Param{Min: 1e-4, Max: 1, Log: true}, 1e-4, 0},
	} {
		if got := newContinuous(&c.p).cellOf(c.x); math.Abs(got-c.u) > 1e-15 {
			t.Errorf("%v in %v to %v is at %v, want %v", c.x, c.p.Min, c.p.Max, got, c.u)
		}
	}
}

func TestClip(t *testing.T) {
	for u, want := range map[float64]float64{-1: 0, 0: 0, 0.3: 0.3, 1: 1, 7: 1, math.Inf(1): 1, math.Inf(-1): 0} {
		if got := clip(u); got != want {
			t.Errorf("clip(%v) is %v, want %v", u, got, want)
		}
	}
	if got := clip(math.NaN()); got != 0.5 {
		t.Errorf("clip(NaN) is %v", got)
	}
	if got := clip(math.Copysign(0, -1)); math.Signbit(got) {
		t.Error("clip keeps the sign of zero")
	}
}
