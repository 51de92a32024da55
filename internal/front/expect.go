package front

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/normal"
)

// Expectation computes the expected gain in hypervolume, of which Gainer has the logarithm and its derivatives. Many boxes share their ends, and the part of an
// objective is computed once for each end, so it is much faster. It has scratch memory for one goroutine.
type Expectation struct {
	ends  [][]end     // by objective
	boxes [][]sides   // by box and objective
	above [][]float64 // by objective and end, what the objective is expected to be above it
}

// end is an end of boxes, and first the first whole number above it if it is the lower end of an objective that takes whole numbers only.
type end struct{ at, first float64 }

// sides are the places of a box's ends; −1: there is no upper end.
type sides struct{ low, high int }

// NewExpectation returns the expected gain beyond a front with these boxes; see NewGainer.
func NewExpectation(boxes []Box, whole []bool) *Expectation {
	e := &Expectation{}
	for _, b := range boxes {
		row, some := make([]sides, len(b.Low)), true
		for len(e.ends) < len(b.Low) {
			e.ends = append(e.ends, nil)
		}
		for j := range row {
			low, high := end{at: b.Low[j], first: math.NaN()}, end{at: b.High[j], first: math.NaN()}
			if len(whole) > j && whole[j] {
				low.first, high.at = math.Floor(low.at)+1, math.Floor(high.at)
				some = some && low.first <= high.at
			}
			if row[j] = (sides{e.place(j, low), -1}); !math.IsInf(high.at, 1) {
				row[j].high = e.place(j, high)
			}
		}
		if some {
			e.boxes = append(e.boxes, row)
		}
	}
	for _, list := range e.ends {
		e.above = append(e.above, make([]float64, len(list)))
	}
	return e
}

// place returns the place of an end, which it adds if it is new.
func (e *Expectation) place(objective int, x end) int {
	same := func(y end) bool { return x.at == y.at && math.IsNaN(x.first) == math.IsNaN(y.first) }
	i := slices.IndexFunc(e.ends[objective], same)
	if i < 0 {
		i, e.ends[objective] = len(e.ends[objective]), append(e.ends[objective], x)
	}
	return i
}

// Gain returns the expected gain by a point whose objectives are independent and normal, MATH.md (60).
func (e *Expectation) Gain(mean, sd []float64) (sum float64) {
	for j, list := range e.ends {
		for i, x := range list {
			if math.IsNaN(x.first) {
				e.above[j][i] = beyond(mean[j], sd[j], x.at)
			} else { // MATH.md (63)
				e.above[j][i] = (x.first-x.at)*normal.CDF((mean[j]-x.first+0.5)/sd[j]) + beyond(mean[j], sd[j], x.first)
			}
		}
	}
	for _, row := range e.boxes {
		v := 1.0
		for j, s := range row {
			part := e.above[j][s.low]
			if s.high >= 0 {
				part -= e.above[j][s.high]
			}
			v *= math.Max(part, 0)
		}
		sum += v
	}
	return sum
}

// farEnd is how far from an end, in standard deviations, an outcome is on one side of it for certain. The error is below 1e-20 standard deviations.
const farEnd = 9

// beyond is E[(Y − at)⁺] of a normal variable.
func beyond(mean, sd, at float64) float64 {
	switch t := (mean - at) / sd; {
	case t > farEnd:
		return mean - at
	case t < -farEnd:
		return 0
	default:
		return sd * math.Max(t*normal.CDF(t)+normal.PDF(t), 0)
	}
}

// Without returns boxes without what a point dominates: the boxes of the front with the point on it.
func Without(boxes []Box, point []float64) (list []Box) {
	for _, b := range boxes {
		if !Above(point, b.Low) {
			list = append(list, b)
			continue
		}
		rest := b // what is left of the box below the point in the objectives so far
		for j, v := range point {
			if v >= b.High[j] {
				continue
			}
			part := Box{slices.Clone(rest.Low), slices.Clone(rest.High)}
			part.Low[j] = v
			list = append(list, part)
			rest.High = slices.Clone(rest.High)
			rest.High[j] = v
		}
	}
	return list
}
