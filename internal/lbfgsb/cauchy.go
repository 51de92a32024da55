package lbfgsb

import (
	"fmt"
	"math"
)

// A cauchySearch finds the generalised Cauchy point: the first local minimiser
// of the model q along the projected steepest-descent path ([1], section 4;
// the names follow algorithm CP there).
type cauchySearch struct {
	x []float64 // the Cauchy point xᶜ
	d []float64 // direction of the present piece of the path

	breaks breakpointHeap

	// The vectors of the 2m-space are kept as F⁻¹p, F⁻¹c and F⁻¹w, where
	// M⁻¹ = F E Fᵀ, because they are needed only in products with M.
	p []float64 // Wᵀd
	c []float64 // Wᵀ(xᶜ − x)
	w []float64 // the row of W of the variable at its breakpoint

	slope, curvature float64 // f′ and f″: derivatives of q along the piece
	moving           int     // number of nonzero dᵢ
}

func (s *cauchySearch) resize(n, capacity int) {
	s.x, s.d, s.breaks = resized(s.x, n), resized(s.d, n), resized(s.breaks, n)
	s.p, s.c, s.w = resized(s.p, 2*capacity), resized(s.c, 2*capacity), resized(s.w, 2*capacity)
}

// find sets s.x and s.c, from the point x with gradient g.
func (s *cauchySearch) find(m *memory, b *box, x, g []float64) {
	s.start(m, b, x, g)
	if s.moving == 0 {
		return
	}
	// Rounding errors must not make the parabola flat, let alone concave.
	flattest := epsilon * m.theta * -s.slope
	s.curvature = max(s.curvature, flattest)
	passed := 0.0 // the t of the last breakpoint
	ahead := -s.slope / s.curvature
	for len(s.breaks) > 0 && s.breaks[0].t-passed <= ahead {
		at := s.breaks.pop()
		s.passBreakpoint(m, b, x, g, at.variable, at.t-passed)
		passed = at.t
		if s.moving == 0 {
			return
		}
		s.curvature = max(s.curvature, flattest)
		ahead = -s.slope / s.curvature
	}
	ahead = max(ahead, 0)
	for i, di := range s.d {
		if di != 0 {
			s.x[i] = x[i] + (passed+ahead)*di
		}
	}
	b.clip(s.x)
	addScaled(s.c[:2*m.count], ahead, s.p)
}

// start sets up the first piece of the path.
func (s *cauchySearch) start(m *memory, b *box, x, g []float64) {
	copy(s.x, x)
	s.breaks = s.breaks[:0]
	s.moving, s.slope = 0, 0
	p := s.p[:2*m.count]
	clear(p)
	clear(s.c)
	for i, gi := range g {
		t := math.Inf(1)
		if gi < 0 {
			t = (x[i] - b.upper[i]) / gi
		} else if gi > 0 {
			t = (x[i] - b.lower[i]) / gi
		}
		if gi == 0 || t <= 0 {
			s.d[i] = 0
			continue
		}
		s.d[i] = -gi
		s.moving++
		s.slope -= gi * gi
		m.addRow(p, i, -gi)
		if !math.IsInf(t, 1) {
			s.breaks = append(s.breaks, breakpoint{t, i})
		}
	}
	s.breaks.order()
	m.scaleS(p)
	m.middle.forward(p)
	s.curvature = -m.theta*s.slope - m.middle.product(p, p)
}

// passBreakpoint stops variable i at its bound, a time dt after the last
// breakpoint, and updates the derivatives to those of the next piece.
func (s *cauchySearch) passBreakpoint(m *memory, b *box, x, g []float64, i int, dt float64) {
	gi := g[i]
	s.x[i] = b.lower[i]
	if gi < 0 {
		s.x[i] = b.upper[i]
	}
	z := s.x[i] - x[i]
	s.d[i] = 0
	s.moving--

	p, c, w := s.p[:2*m.count], s.c[:2*m.count], s.w[:2*m.count]
	addScaled(c, dt, p)
	m.rowOfW(w, i)
	m.middle.forward(w)
	s.slope += dt*s.curvature + gi*gi + m.theta*gi*z - gi*m.middle.product(w, c)
	s.curvature -= m.theta*gi*gi + 2*gi*m.middle.product(w, p) + gi*gi*m.middle.product(w, w)
	addScaled(p, gi, w)
}

// A breakpoint is the time t at which a variable meets its bound.
type breakpoint struct {
	t        float64
	variable int
}

// A breakpointHeap is a binary heap with the earliest breakpoint first. Usually few of them are
// passed, so sorting them all would be wasteful ([1], section 4). container/heap would allocate.
type breakpointHeap []breakpoint

func (h breakpointHeap) order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.siftDown(i)
	}
}

func (h *breakpointHeap) pop() breakpoint {
	old := *h
	first, last := old[0], len(old)-1
	old[0] = old[last]
	*h = old[:last]
	h.siftDown(0)
	return first
}

func (h breakpointHeap) siftDown(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].t < h[child].t {
			child++
		}
		if h[i].t <= h[child].t {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

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
