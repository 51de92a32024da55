package lbfgsb

// A subspace minimises the model q over the variables that are free at the
// Cauchy point, and brings the result back into the box.
type subspace struct {
	x    []float64 // the minimiser x̄, in the box
	free []int     // F
	r    []float64 // the reduced gradient, then the step d; one entry per free variable

	gram freeGram
	k    quasidefinite // K = M⁻¹ − WᵀZZᵀW/θ
	v    []float64     // of the 2m-space
	mc   []float64     // M c, of the 2m-space
}

func (s *subspace) resize(n, capacity int) {
	s.x, s.r = resized(s.x, n), resized(s.r, n)
	if cap(s.free) < n {
		s.free = make([]int, 0, n)
	}
	s.gram.resize(n, capacity)
	s.k.resize(2 * capacity)
	s.v, s.mc = resized(s.v, 2*capacity), resized(s.mc, 2*capacity)
}

// minimise sets s.x, given the Cauchy point and F⁻¹c for it. It reports false
// if K is singular.
func (s *subspace) minimise(m *memory, b *box, x, g, cauchy, c []float64) bool {
	copy(s.x, cauchy)
	s.free = s.free[:0]
	for i, v := range cauchy {
		if b.inside(i, v) {
			s.free = append(s.free, i)
		}
	}
	if len(s.free) == 0 || m.count == 0 {
		// Without pairs q is a sphere, and the Cauchy point is its minimiser.
		return true
	}
	s.gram.update(m, s.free)
	if !s.factor(m) {
		return false
	}
	s.solve(m, x, g, cauchy, c)
	s.project(b, x, g, cauchy)
	return true
}

// factor assembles K, in which all entries are sums over only the free or only
// the active variables, so nothing cancels:
//
//	⎡ −D − Y_FᵀY_F/θ    (L − S_FᵀY_F)ᵀ ⎤
//	⎢                                  ⎥ ,  L − S_FᵀY_F = ⎧ S_AᵀY_A  in L's triangle
//	⎣  L − S_FᵀY_F        θ S_AᵀS_A    ⎦                  ⎩ −S_FᵀY_F elsewhere
func (s *subspace) factor(m *memory) bool {
	k := m.count
	s.k.order = 2 * k
	for a := range k {
		at := a * m.capacity
		negative, positive := s.k.row(a), s.k.row(k+a)
		for b := range k {
			negative[b] = -s.gram.freeYY[at+b] / m.theta
			positive[b] = -s.gram.freeSY[at+b]
			if m.newer(a, b) {
				positive[b] = s.gram.activeSY[at+b]
			}
			positive[k+b] = m.theta * s.gram.activeSS[at+b]
		}
		negative[a] -= m.sy[at+a]
	}
	return s.k.factor()
}

// solve writes the step d = −(ZᵀBZ)⁻¹r to s.r.
func (s *subspace) solve(m *memory, x, g, cauchy, c []float64) {
	v, mc := s.v[:2*m.count], s.mc[:2*m.count]
	copy(mc, c)
	m.middle.backward(mc)
	m.scaleS(mc)
	clear(v)
	for j, i := range s.free {
		r := g[i] + m.theta*(cauchy[i]-x[i]) - m.dotRow(i, mc)
		s.r[j] = r
		m.addRow(v, i, r)
	}
	m.scaleS(v)
	s.k.forward(v)
	s.k.backward(v)
	m.scaleS(v)
	for j, i := range s.free {
		s.r[j] = -(s.r[j] + m.dotRow(i, v)/m.theta) / m.theta
	}
}

// project sets s.x to the Cauchy point plus d, clipped to the box [3]. If the
// way there from x does not lead downhill, d is cut at the boundary instead
// ([1], section 5).
func (s *subspace) project(b *box, x, g, cauchy []float64) {
	clipped := false
	for j, i := range s.free {
		v := cauchy[i] + s.r[j]
		s.x[i] = max(b.lower[i], min(b.upper[i], v))
		clipped = clipped || s.x[i] != v
	}
	if !clipped {
		return
	}
	slope := 0.0
	for i, v := range s.x {
		slope += (v - x[i]) * g[i]
	}
	if slope <= 0 {
		return
	}
	step := 1.0
	for j, i := range s.free {
		if room := b.lower[i] - cauchy[i]; s.r[j]*step < room {
			step = room / s.r[j]
		} else if room := b.upper[i] - cauchy[i]; s.r[j]*step > room {
			step = room / s.r[j]
		}
	}
	for j, i := range s.free {
		s.x[i] = max(b.lower[i], min(b.upper[i], cauchy[i]+step*s.r[j]))
	}
}
