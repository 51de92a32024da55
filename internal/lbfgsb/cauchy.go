package lbfgsb

import "math"

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
	s.x, s.d = resized(s.x, n), resized(s.d, n)
	s.breaks.resize(n)
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

func (h *breakpointHeap) resize(n int) {
	if cap(*h) < n {
		*h = make(breakpointHeap, 0, n)
	}
}

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
