package lbfgsb

import (
	"fmt"
	"math"
)

// A box is the feasible set l ≤ x ≤ u. Absent bounds are infinite.
type box struct {
	lower, upper []float64

	// bounded: there is some bound. boxed: there are all of them.
	bounded, boxed bool
}

// set copies the bounds, where nil means none, and panics if they are not bounds of n variables.
func (b *box) set(lower, upper []float64, n int) {
	if lower != nil && len(lower) != n {
		panic(fmt.Sprintf("lbfgsb: %d lower bounds for %d variables", len(lower), n))
	}
	if upper != nil && len(upper) != n {
		panic(fmt.Sprintf("lbfgsb: %d upper bounds for %d variables", len(upper), n))
	}
	b.lower, b.upper = resized(b.lower, n), resized(b.upper, n)
	b.bounded, b.boxed = false, true
	for i := range n {
		l, u := math.Inf(-1), math.Inf(1)
		if lower != nil {
			l = lower[i]
		}
		if upper != nil {
			u = upper[i]
		}
		// Written so that a NaN fails too.
		if !(l <= u) || math.IsInf(l, 1) || math.IsInf(u, -1) {
			panic(fmt.Sprintf("lbfgsb: no number lies in bounds [%v, %v] of variable %d", l, u, i))
		}
		b.lower[i], b.upper[i] = l, u
		below, above := !math.IsInf(l, -1), !math.IsInf(u, 1)
		b.bounded = b.bounded || below || above
		b.boxed = b.boxed && below && above
	}
}

// clip moves x to the nearest point of the box. NaNs stay.
func (b *box) clip(x []float64) {
	for i, v := range x {
		if v < b.lower[i] {
			x[i] = b.lower[i]
		} else if v > b.upper[i] {
			x[i] = b.upper[i]
		}
	}
}

// inside reports whether coordinate i may move both ways from v.
func (b *box) inside(i int, v float64) bool {
	return b.lower[i] < v && v < b.upper[i]
}

// projectedGradientNorm returns ‖P(x − g) − x‖∞, which is zero exactly at the
// points that satisfy the first-order conditions for a minimum in the box.
func (b *box) projectedGradientNorm(x, g []float64) float64 {
	norm := 0.0
	for i, gi := range g {
		if gi < 0 {
			norm = max(norm, min(-gi, b.upper[i]-x[i]))
		} else {
			norm = max(norm, min(gi, x[i]-b.lower[i]))
		}
	}
	return norm
}

// longestStep returns the largest t ≤ limit with x + t·d in the box.
func (b *box) longestStep(x, d []float64, limit float64) float64 {
	for i, di := range d {
		switch {
		case di < 0:
			if room := b.lower[i] - x[i]; di*limit < room {
				limit = room / di
			}
		case di > 0:
			if room := b.upper[i] - x[i]; di*limit > room {
				limit = room / di
			}
		}
	}
	return limit
}
