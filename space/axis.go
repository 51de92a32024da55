package space

import (
	"fmt"
	"math"
	"strconv"

	"github.com/eke-bo/eke/internal/fault"
)

// axis is how one parameter goes to its coordinates and back. Coordinates may be any floats when they come
// in; in snap, dst may be u.
type axis interface {
	width() int                    // number of coordinates
	level(u []float64) int64       // which of its values a point means, counted from 0; those of a float are its cells
	find(v Value) (int64, *Error)  // the level of a value
	decode(u []float64) Value      // what a point means
	snap(dst, u []float64)         // the canonical point with the same meaning
	encode(dst []float64, v Value) // the canonical point of a value that was admitted
	admit(v Value) (Value, *Error) // the value as decode would give it, or why it is not one
}

// newAxis needs a parameter that passed check.
func newAxis(p *Param) axis {
	switch p.Kind {
	case KindFloat:
		if p.Step == 0 {
			return newContinuous(p)
		}
		s := newSteps(p)
		if p.Log {
			return discrete{s, newLogCells(s.min, s.step, s.n)}
		}
		return discrete{s, newCells(s.n)}
	case KindInt:
		w := newWholes(p)
		if p.Log && w.n > 1 {
			return discrete{w, newLogCells(float64(w.min), float64(w.step), w.n)}
		}
		return discrete{w, newCells(w.n)}
	case KindOrdered:
		return discrete{listed{p.Values}, newCells(int64(len(p.Values)))}
	case KindChoice:
		return discrete{listed{p.Values}, newChoice(len(p.Values))}
	case KindBool:
		return discrete{listed{[]Value{Bool(false), Bool(true)}}, ends{}}
	case KindFixed:
		return discrete{listed{[]Value{p.Value}}, single{}}
	}
	panic("space: no axis for type " + string(p.Kind))
}

// discrete is a parameter with levels 0, 1, …, n−1: which values these are, and where they lie.
type discrete struct {
	levels
	layout
}

// levels are the values of a discrete parameter.
type levels interface {
	count() int64
	at(level int64) Value
	find(v Value) (level int64, err *Error)
}

// layout places levels in the unit cube.
type layout interface {
	width() int
	level(u []float64) int64
	place(dst []float64, level int64)
	// near lists the levels one move away, n being the number of all. In order: next ones only.
	near(level, n int64) []int64
}

func (d discrete) decode(u []float64) Value { return d.at(d.level(u)) }

func (d discrete) snap(dst, u []float64) { d.place(dst, d.level(u)) }

func (d discrete) encode(dst []float64, v Value) {
	level, err := d.find(v)
	if err != nil {
		panic("space: encode of a value that was not admitted: " + err.Problem)
	}
	d.place(dst, level)
}

func (d discrete) admit(v Value) (Value, *Error) {
	level, err := d.find(v)
	if err != nil {
		return v, err
	}
	return d.at(level), nil
}

// inOrder is part of every layout that has its levels in order, along one coordinate.
type inOrder struct{}

func (inOrder) width() int { return 1 }

func (inOrder) near(level, n int64) (list []int64) {
	if level > 0 {
		list = append(list, level-1)
	}
	if level < n-1 {
		list = append(list, level+1)
	}
	return list
}

// cells divide the unit interval evenly among n levels in order.
type cells struct {
	inOrder
	n int64
}

// newCells lays out levels that have an order.
func newCells(n int64) layout {
	if n == 1 {
		return single{}
	}
	return cells{n: n}
}

func (c cells) level(u []float64) int64 {
	return min(int64(clip(u[0])*float64(c.n)), c.n-1)
}

// place goes to the centre of the cell. No rounding can carry that to another one, n being at
// most 2⁴⁰.
func (c cells) place(dst []float64, level int64) { dst[0] = (float64(level) + 0.5) / float64(c.n) }

// logCells divide the unit interval among numbers a, a+s, …, b by the logarithm: the cell of v
// goes from ln(v − s/2) to ln(v + s/2), so that the cells' borders are half-way between two numbers. Only
// the first cell begins elsewhere, as far below ln a as it ends above, since a − s/2 may be negative.
//
// All logarithms are relative to a, by which ln(v/a) = log1p((v−a)/a) keeps its digits
// however narrow the range is.
type logCells struct {
	inOrder
	min, step    float64 // a and s
	n            int64
	from, length float64 // where the first cell begins, and the length of all cells
}

func newLogCells(min, step float64, n int64) logCells {
	c := logCells{min: min, step: step, n: n}
	half := step / 2
	c.from = -math.Log1p(half / min)
	c.length = c.border(n) - c.from
	return c
}

// border returns the logarithm where the cell of a level begins.
func (c logCells) border(level int64) float64 {
	if level == 0 {
		return c.from
	}
	return math.Log1p((float64(level) - 0.5) * c.step / c.min)
}

func (c logCells) level(u []float64) int64 {
	t := c.from + float64(clip(u[0])*c.length)
	steps := math.Expm1(t) * c.min / c.step
	return int64(math.Min(math.Max(math.Round(steps), 0), float64(c.n-1)))
}

func (c logCells) place(dst []float64, level int64) {
	centre := (c.border(level) + c.border(level+1)) / 2
	dst[0] = (centre - c.from) / c.length
}

// ends lays two levels at the ends of the unit interval.
type ends struct{ inOrder }

func (ends) level(u []float64) int64 {
	if clip(u[0]) < 0.5 {
		return 0
	}
	return 1
}

func (ends) place(dst []float64, level int64) { dst[0] = float64(level) }

// oneHot gives each of n levels a coordinate of its own, so that all are equally far apart.
type oneHot struct{ n int }

// newChoice lays out levels that have no order.
func newChoice(n int) layout {
	switch n {
	case 1:
		return single{}
	case 2:
		return ends{}
	}
	return oneHot{n}
}

func (o oneHot) width() int { return o.n }

// level is the largest coordinate; of equal ones, the first.
func (o oneHot) level(u []float64) int64 {
	best := 0
	for i := range u {
		if clip(u[i]) > clip(u[best]) {
			best = i
		}
	}
	return int64(best)
}

func (o oneHot) place(dst []float64, level int64) {
	clear(dst)
	dst[level] = 1
}

func (o oneHot) near(level, n int64) (list []int64) {
	for i := range n {
		if i != level {
			list = append(list, i)
		}
	}
	return list
}

// single is where a parameter with one level lies: nowhere.
type single struct{}

func (single) width() int              { return 0 }
func (single) level([]float64) int64   { return 0 }
func (single) place([]float64, int64)  {}
func (single) near(_, _ int64) []int64 { return nil }

// wholes are the levels of an int: min, min + step, …
type wholes struct{ min, step, n int64 }

// newWholes needs whole bounds and a whole step of at least 0, all within ±2⁵³.
func newWholes(p *Param) wholes {
	w := wholes{min: int64(p.Min), step: max(int64(p.Step), 1)}
	w.n = (int64(p.Max)-w.min)/w.step + 1
	return w
}

func (w wholes) count() int64         { return w.n }
func (w wholes) at(level int64) Value { return Int(w.min + level*w.step) }

func (w wholes) find(v Value) (int64, *Error) {
	last := w.min + (w.n-1)*w.step
	hint := fmt.Sprintf("give a whole number from %d to %d", w.min, last)
	if w.n == 1 {
		hint = fmt.Sprintf("give %d", w.min)
	}
	n, ok := v.whole()
	switch {
	case !ok:
		return 0, wrong("value", hint, "value is %s, which is not a whole number", v.quoted())
	case n < w.min:
		return 0, wrong("value", hint, "value is %d, below min", n)
	case n > last:
		return 0, wrong("value", hint, "value is %d, above max", n)
	case (n-w.min)%w.step != 0:
		below := n - (n-w.min)%w.step
		return 0, wrong("value", fmt.Sprintf("give %d or %d", below, below+w.step),
			"value is %d, which steps of %d from %d do not reach", n, w.step, w.min)
	}
	return (n - w.min) / w.step, nil
}

// listed are the levels of a choice, a bool or a fixed value.
type listed struct{ values []Value }

func (l listed) count() int64         { return int64(len(l.values)) }
func (l listed) at(level int64) Value { return l.values[level] }

func (l listed) find(v Value) (int64, *Error) {
	for i, w := range l.values {
		if w.Equal(v) {
			return int64(i), nil
		}
	}
	return 0, wrong("value", "give "+fault.OneOf(quotedAll(l.values)), "value is %s, which is not one of its values", v.quoted())
}

// steps are the levels of a float with a step: min, min + step, …, max.
type steps struct {
	min, max, step float64
	n              int64
}

// mostSteps is how many steps a bound may be away from zero, so that 15 digits of a value tell which step it is.
const mostSteps = 1e8

// newSteps needs a parameter that passed checkStep.
func newSteps(p *Param) steps {
	return steps{p.Min, p.Max, p.Step, int64(math.Round((p.Max-p.Min)/p.Step)) + 1}
}

func (s steps) count() int64 { return s.n }

// at writes the value as a person would: three steps of 0.1 are 0.3, and not 0.30000000000000004.
func (s steps) at(level int64) Value {
	switch level {
	case 0:
		return Float(s.min)
	case s.n - 1:
		return Float(s.max)
	}
	const digits = 15 // any decimal of this many digits comes back
	x := s.min + float64(float64(level)*s.step)
	text := strconv.FormatFloat(x, 'g', digits, 64)
	largest := math.Max(math.Abs(s.min), math.Abs(x)) // near zero, x has the rounding error of min
	if decimals := digits - 1 - int(math.Floor(math.Log10(largest))); decimals >= 0 {
		text = strconv.FormatFloat(x, 'f', decimals, 64)
	}
	if short, err := strconv.ParseFloat(text, 64); err == nil {
		x = short
	}
	return Float(x)
}

// near is how far from a step a value may be, as a part of the step: whoever computes values rounds.
const near = 1e-6

func (s steps) find(v Value) (int64, *Error) {
	hint := fmt.Sprintf("give a number from %s to %s in steps of %s", formatFloat(s.min), formatFloat(s.max), formatFloat(s.step))
	x, ok := v.Number()
	switch {
	case !ok || math.IsNaN(x):
		return 0, wrong("value", hint, "value is %s, which is not a number", v.quoted())
	case x < s.min-near*s.step:
		return 0, wrong("value", hint, "value is %s, below min", v)
	case x > s.max+near*s.step:
		return 0, wrong("value", hint, "value is %s, above max", v)
	}
	level := math.Round((x - s.min) / s.step)
	if math.Abs((x-s.min)/s.step-level) > near {
		below := int64(math.Floor((x - s.min) / s.step))
		return 0, wrong("value", fmt.Sprintf("give %s or %s", s.at(below), s.at(below+1)), "value is %s, which steps of %s from %s do not reach", v, formatFloat(s.step), formatFloat(s.min))
	}
	return min(max(int64(level), 0), s.n-1), nil
}

// checkStep finds mistakes in the step of a float whose bounds are right.
func (p *Param) checkStep() Errors {
	switch {
	case p.Step == 0:
		return nil
	case !(p.Step > 0) || math.IsInf(p.Step, 0):
		return Errors{wrong("step", "give a step above zero", "step is %v", formatFloat(p.Step))}
	case (p.Max-p.Min)/p.Step < 1-near:
		return Errors{wrong("step", "give a smaller step, or type fixed", "step is %s, more than from min to max", formatFloat(p.Step))}
	}
	if math.Max(math.Abs(p.Min), math.Abs(p.Max))/p.Step > mostSteps {
		return Errors{wrong("step", "give a larger step, or leave it out", "step is %s, too small against min and max to tell one value from the next", formatFloat(p.Step))}
	}
	if count := (p.Max - p.Min) / p.Step; math.Abs(count-math.Round(count)) > near {
		below := steps{p.Min, math.Inf(1), p.Step, mostSteps}
		last := int64(math.Floor(count))
		return Errors{wrong("max", fmt.Sprintf("give max %s or %s", below.at(last), below.at(last+1)), "max is %s, which steps of %s from min %s do not reach", formatFloat(p.Max), formatFloat(p.Step), formatFloat(p.Min))}
	}
	return nil
}
