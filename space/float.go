package space

import (
	"math"
	"strconv"
)

// How floats go to the unit interval and back without loss.
//
// Let f map [min, max] to [0, 1], linearly or by the logarithm, and f⁻¹ be its inverse. In floating point
// f⁻¹(f(x)) is x only nearly: in [−1, 1] the value 0.1 goes to 0.55 and comes back as
// 0.10000000000000009. There is no way to have all floats come back, since there are fewer floats in the
// upper half of the unit interval than in most ranges.
//
// So the unit interval is cut into cells of width w = 2⁻ᵏ around the multiples of w. The canonical point of
// a value x is the middle of its cell, u = w·round(f(x)/w); and the value of a cell is the shortest decimal
// x in it, where "in it" is tested by that same formula. So by construction, decode followed by encode is
// the identity on middles of cells. This holds whatever the rounding errors of f and f⁻¹ and whichever
// processor computes them, as long as every cell contains some float that f takes there.
//
// That is what the width is for. An x out of f⁻¹ has a rounding error that f carries back to u;
// it has to stay below w/2. With ulp(x) the distance between floats near x:
//
//	linear:       w = max(2⁻⁵⁰, 4 ulp(max |x|) / (max−min)): x is off by half an ulp, so by w/8, and the four
//	              other roundings of f⁻¹ and f are 2⁻⁵⁴ at most, each being of something below 1/2
//	logarithmic:  w = max(2⁻⁵⁰, 1.2·2·(2⁻⁵² + 2⁻⁵¹/L)), with L = ln(max/min): Exp, Log, a product and a quotient
//	              are off by 2⁻⁵¹ of x, so by 2⁻⁵¹/L, and arguments below L/2 add 2⁻⁵²; a fifth is to spare
//
// As a result, any value comes back as a value of its cell, at most w of the range (or of the logarithmic
// range) away, most often 2⁻⁵⁰. A value typed by a person, with up to 13 digits, comes back bit for bit. So
// does every value that was suggested, and suggested values are no longer than they need to be.

const (
	smallestNormal = 0x1p-1022
	narrowestCell  = 0x1p-50
	// fewestCells is when a range counts as too narrow: 2⁸ cells are some thousand floats.
	fewestCells = 1 << 8
)

// continuous is a float parameter.
type continuous struct {
	min, max float64
	log      bool
	length   float64 // max − min or ln(max/min)
	middle   float64 // below it f measures from min, above it from max, so that both ends are exact
	cells    float64 // 1/w
}

// newContinuous needs finite bounds, min < max, and with log a normal min.
func newContinuous(p *Param) *continuous {
	c := &continuous{min: p.Min, max: p.Max, log: p.Log}
	var w float64
	if p.Log {
		c.length = lnRatio(p.Max, p.Min)
		c.middle = math.Sqrt(p.Min) * math.Sqrt(p.Max)
		w = math.Max(narrowestCell, 1.2*2*(0x1p-52+0x1p-51/c.length))
	} else {
		c.length = p.Max - p.Min
		c.middle = p.Min + c.length/2
		largest := math.Max(math.Abs(p.Min), math.Abs(p.Max))
		ulp := largest - math.Nextafter(largest, 0)
		w = math.Max(narrowestCell, 4*ulp/c.length)
	}
	// A power of two, so that going to the middle of a cell is exact.
	fraction, exponent := math.Frexp(w)
	if fraction == 0.5 {
		exponent--
	}
	c.cells = math.Ldexp(1, -exponent)
	return c
}

// lnRatio is ln(b/a), accurate also if b is near a and if b/a overflows.
func lnRatio(b, a float64) float64 {
	if r := (b - a) / a; !math.IsInf(r, 0) {
		return math.Log1p(r)
	}
	return math.Log(b) - math.Log(a)
}

func (c *continuous) width() int { return 1 }

func (c *continuous) snap(dst, u []float64) { dst[0] = c.toMiddle(clip(u[0])) }

func (c *continuous) encode(dst []float64, v Value) {
	x, _ := v.Number()
	dst[0] = c.cellOf(x)
}

func (c *continuous) level(u []float64) int64 { return int64(math.Round(clip(u[0]) * c.cells)) }

func (c *continuous) find(v Value) (int64, *Error) {
	v, err := c.admit(v)
	if err != nil {
		return 0, err
	}
	x, _ := v.Number()
	return int64(c.cellOf(x) * c.cells), nil
}

func (c *continuous) decode(u []float64) Value { return Float(c.valueOf(c.toMiddle(clip(u[0])))) }

func (c *continuous) admit(v Value) (Value, *Error) {
	hint := "give a number from " + formatFloat(c.min) + " to " + formatFloat(c.max)
	x, ok := v.Number()
	switch {
	case !ok:
		return v, wrong("value", hint, "value is %s, which is not a number", v.quoted())
	case math.IsNaN(x):
		return v, wrong("value", hint, "value is NaN")
	case x < c.min:
		return v, wrong("value", hint, "value is %s, below min", v)
	case x > c.max:
		return v, wrong("value", hint, "value is %s, above max", v)
	}
	return Float(x), nil
}

// toMiddle returns the middle of the cell a coordinate is in.
func (c *continuous) toMiddle(u float64) float64 { return math.Round(u*c.cells) / c.cells }

// cellOf returns the middle of the cell a value is in.
func (c *continuous) cellOf(x float64) float64 { return c.toMiddle(clip(c.forward(x))) }

// valueOf returns the value of the cell with middle u.
func (c *continuous) valueOf(u float64) float64 {
	switch u {
	case 0:
		return c.min
	case 1:
		return c.max
	}
	in := func(x float64) bool { return x >= c.min && x <= c.max && c.cellOf(x) == u }
	if in(0) {
		return 0 // the shortest of all, and the one that is not found by counting digits
	}
	x := math.Min(math.Max(c.inverse(u), c.min), c.max)
	wide := c.length / c.cells
	if c.log {
		wide *= x
	}
	// The decimals with n digits nearest to x are 10^(e−n+1) apart, e being the exponent of x. As
	// long as that is more than the cell is wide, the nearest one is the only one that can be in the
	// cell: no use to try fewer digits than that.
	exponent := math.Floor(math.Log10(math.Abs(x)))
	fewest := exponent + 1 - math.Ceil(math.Log10(wide)) - 1 // and one less, for the rounding of Log10
	for n := int(math.Min(math.Max(fewest, 1), 17)); n <= 17; n++ {
		var digits [32]byte
		text := strconv.AppendFloat(digits[:0], x, 'e', n-1, 64)
		if short, err := strconv.ParseFloat(string(text), 64); err == nil && in(short) {
			return short
		}
	}
	return x
}

// forward is f.
func (c *continuous) forward(x float64) float64 {
	switch {
	case c.log && x <= c.middle:
		return math.Log(x/c.min) / c.length
	case c.log:
		return 1 - math.Log(c.max/x)/c.length
	case x <= c.middle:
		return (x - c.min) / c.length
	}
	return 1 - (c.max-x)/c.length
}

// inverse is f⁻¹. The conversions keep processors from fusing a product with a sum, so that all agree.
func (c *continuous) inverse(u float64) float64 {
	switch {
	case c.log && u <= 0.5:
		return c.min * math.Exp(u*c.length)
	case c.log:
		return c.max * math.Exp((u-1)*c.length)
	case u <= 0.5:
		return c.min + float64(u*c.length)
	}
	return c.max - float64((1-u)*c.length)
}

// clip takes any float to the unit interval. NaN says nothing, so it goes to the middle.
func clip(u float64) float64 {
	if math.IsNaN(u) {
		return 0.5
	}
	return math.Min(math.Max(u, 0), 1)
}
