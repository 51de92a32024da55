package space

import "math"

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
