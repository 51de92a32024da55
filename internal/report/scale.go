package report

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
)

// scale takes numbers to places between from and to, in pixels. Its bounds are logarithms where log is set.
type scale struct {
	lo, hi   float64
	log      bool
	whole    bool // nothing but whole numbers
	clock    bool // seconds, with the ticks of a clock
	from, to float64
}

// tick is a place on an axis with its label.
type tick struct {
	at    float64
	label string
}

// huge keeps differences of bounds finite.
const huge = 1e300

// newScale covers the finite values of a list, and a little more if there is room to give.
func newScale(values []float64, log bool, margin float64) scale {
	s := scale{lo: math.Inf(1), hi: math.Inf(-1), log: log}
	for _, v := range values {
		if t := s.transformed(v); !math.IsNaN(t) && !math.IsInf(t, 0) {
			s.lo, s.hi = math.Min(s.lo, t), math.Max(s.hi, t)
		}
	}
	switch {
	case s.lo > s.hi:
		s.lo, s.hi = 0, 1
	case s.hi-s.lo <= 1e-12*math.Max(math.Abs(s.lo), math.Abs(s.hi)): // one value: put it in the middle
		around := math.Max(math.Abs(s.lo)/10, 1e-12)
		if log || s.lo == 0 {
			around = 1
		}
		s.lo, s.hi = s.lo-around, s.hi+around
	default:
		room := (s.hi - s.lo) * margin
		s.lo, s.hi = s.lo-room, s.hi+room
	}
	return s
}

// between sets the pixels.
func (s scale) between(from, to float64) scale {
	s.from, s.to = from, to
	return s
}

func (s scale) transformed(v float64) float64 {
	if s.log {
		if v <= 0 {
			return math.Inf(-1)
		}
		return math.Log10(v)
	}
	return math.Min(math.Max(v, -huge), huge)
}

// at returns the place of a number, at the edge if it is outside.
func (s scale) at(v float64) float64 {
	part := (s.transformed(v) - s.lo) / (s.hi - s.lo)
	if math.IsNaN(part) {
		part = 0
	}
	return s.from + math.Min(math.Max(part, 0), 1)*(s.to-s.from)
}

// holds says whether a number is inside, give or take rounding.
func (s scale) holds(v float64) bool {
	t, slack := s.transformed(v), 1e-9*(s.hi-s.lo)
	return t >= s.lo-slack && t <= s.hi+slack
}

// ticks returns about n round numbers with their places.
func (s scale) ticks(n int) (list []tick) {
	r := say.Range{Lo: s.lo, Hi: s.hi, Log: s.log, Whole: s.whole, Clock: s.clock}
	if s.log {
		r.Lo, r.Hi = math.Pow(10, math.Max(s.lo, -300)), math.Pow(10, math.Min(s.hi, 300))
	}
	for _, t := range r.Ticks(n) {
		list = append(list, tick{s.at(t.Value), t.Label})
	}
	return list
}

// wide says whether positive values range so far that a logarithmic axis is due.
func wide(values []float64) bool {
	lo, hi := math.Inf(1), 0.0
	for _, v := range values {
		if v <= 0 {
			return false
		}
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	return hi/lo > 20 && !math.IsInf(lo, 1)
}

// paramScale places a parameter's values: numbers along a scale, all others one after the other.
type paramScale struct {
	scale
	named []space.Value // nil: numbers
}

func newParamScale(p space.Param, from, to float64) paramScale {
	switch p.Kind {
	case space.KindFloat, space.KindInt:
		s := newScale([]float64{p.Min, p.Max}, p.Log, 0).between(from, to)
		s.whole = p.Kind == space.KindInt
		return paramScale{scale: s}
	case space.KindBool:
		p.Values = []space.Value{space.Bool(false), space.Bool(true)}
	case space.KindFixed:
		p.Values = []space.Value{p.Value}
	}
	return paramScale{scale{from: from, to: to}, p.Values}
}

// place returns where a value is; false: nowhere.
func (s paramScale) place(v space.Value) (float64, bool) {
	if s.named == nil {
		x, ok := v.Number()
		return s.at(x), ok
	}
	k := slices.IndexFunc(s.named, v.Equal)
	return s.from + (float64(k)+0.5)/float64(len(s.named))*(s.to-s.from), k >= 0
}

// marks are its ticks; of very many names, some.
func (s paramScale) marks(n int) (list []tick) {
	if s.named == nil {
		return s.ticks(n)
	}
	every := (len(s.named) + 11) / 12
	for k := 0; k < len(s.named); k += every {
		at, _ := s.place(s.named[k])
		list = append(list, tick{at, say.Value(s.named[k])})
	}
	return list
}

// frame is the inside of a chart, with a scale on each side.
type frame struct {
	left, top, right, bottom float64
	x, y                     scale
}

// newFrame moves the left side where the labels of the axis there need more room.
func newFrame(left, top, right, bottom float64, x, y scale) frame {
	left = max(left, y.room())
	return frame{left, top, right, bottom, x.between(left, right), y.between(bottom, top)}
}

// room is the width that the labels of an axis at the left need.
func (s scale) room() (width float64) {
	for _, t := range s.ticks(6) { // with fewer ticks, labels are no longer
		width = max(width, 6+letter*float64(min(utf8.RuneCountInString(t.label), longestLabel)))
	}
	return width
}

const longestLabel = 16

// yAxis draws horizontal lines with their labels, and the name above.
func (f frame) yAxis(c *canvas, name string, n int) {
	c.open("lines")
	for _, t := range f.y.ticks(n) {
		c.line("", f.left, t.at, f.right, t.at)
		c.text("end", f.left-6, t.at+3.5, t.label, longestLabel)
	}
	c.close()
	c.text("name", 2, f.top-9, name, 44)
}

// xAxis draws the bottom line, ticks with their labels, and the name below.
func (f frame) xAxis(c *canvas, name string, n int) { f.xMarks(c, name, f.x.ticks(n), 12) }

func (f frame) xMarks(c *canvas, name string, marks []tick, letters int) {
	c.open("lines")
	c.line("base", f.left, f.bottom, f.right, f.bottom)
	for i, t := range marks {
		class := "mid"
		if i == len(marks)-1 && f.right-t.at < 12 {
			class = "end" // a long label in the corner would be cut off
		}
		c.line("base", t.at, f.bottom, t.at, f.bottom+4)
		c.text(class, min(t.at, f.right+4), f.bottom+16, t.label, letters)
	}
	c.close()
	c.text("name mid", (f.left+f.right)/2, f.bottom+32, name, 60)
}
