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
	s.x, s.r, s.free = resized(s.x, n), resized(s.r, n), resized(s.free, n)
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

// A freeGram holds the products of the stored pairs restricted to the free
// variables F and to the rest, A. They cost O(m²n) from scratch, more than the rest of an
// iteration, but only O(mn) when F stays the same and one pair is new. That is the usual case once
// the active bounds are found.
//
// When F changes, everything is summed again. Moving single variables between the sums by
// subtraction would leave only rounding errors when one of large scale leaves.
type freeGram struct {
	// At [a*capacity+b] stand the products of slots a and b.
	freeYY, freeSY     []float64 // Y_FᵀY_F, S_FᵀY_F
	activeSS, activeSY []float64 // S_AᵀS_A, S_AᵀY_A

	freeColumn, activeColumn []float64 // of freeSY and activeSY, while computed

	isFree []bool // F at the last update
	added  int    // memory.added at the last update
}

func (q *freeGram) resize(n, capacity int) {
	size := capacity * capacity
	q.freeYY, q.freeSY = resized(q.freeYY, size), resized(q.freeSY, size)
	q.activeSS, q.activeSY = resized(q.activeSS, size), resized(q.activeSY, size)
	q.freeColumn, q.activeColumn = resized(q.freeColumn, capacity), resized(q.activeColumn, capacity)
	q.isFree = resized(q.isFree, n)
	q.invalidate()
}

// invalidate must be called when the memory is reset.
func (q *freeGram) invalidate() { q.added = -1 }

// update brings the products up to date with the memory and with F, which is
// in ascending order.
func (q *freeGram) update(m *memory, free []int) {
	same := q.setFree(free)
	switch {
	case same && q.added == m.added:
	case same && q.added == m.added-1:
		q.addNewest(m)
	default:
		q.rebuild(m)
	}
	q.added = m.added
}

// setFree stores F and reports whether it is the one already stored.
func (q *freeGram) setFree(free []int) bool {
	same, next := true, 0
	for i, was := range q.isFree {
		is := next < len(free) && free[next] == i
		if is {
			next++
		}
		same = same && is == was
		q.isFree[i] = is
	}
	return same
}

func (q *freeGram) rebuild(m *memory) {
	clear(q.freeYY)
	clear(q.freeSY)
	clear(q.activeSS)
	clear(q.activeSY)
	for i, free := range q.isFree {
		y, s := m.row(i)
		squares, left, mixed := q.activeSS, s, q.activeSY
		if free {
			squares, left, mixed = q.freeYY, y, q.freeSY
		}
		for a, la := range left {
			sa, at := s[a], a*m.capacity
			for b, lb := range left[:a+1] {
				squares[at+b] += la * lb
			}
			row := mixed[at : at+len(y)]
			for b, yb := range y {
				row[b] += sa * yb
			}
		}
	}
	symmetrise(q.freeYY, m.count, m.capacity)
	symmetrise(q.activeSS, m.count, m.capacity)
}

func symmetrise(matrix []float64, order, stride int) {
	for a := range order {
		for b := range a {
			matrix[b*stride+a] = matrix[a*stride+b]
		}
	}
}

// addNewest computes the products with the newest pair, F being unchanged.
func (q *freeGram) addNewest(m *memory) {
	c, k, slot := m.capacity, m.count, m.newest
	at := slot * c
	for _, v := range [...][]float64{q.freeYY[at:], q.freeSY[at:], q.activeSS[at:], q.activeSY[at:],
		q.freeColumn, q.activeColumn} {
		clear(v[:k])
	}
	for i, free := range q.isFree {
		y, s := m.row(i)
		squares, left, mixed, column := q.activeSS, s, q.activeSY, q.activeColumn
		if free {
			squares, left, mixed, column = q.freeYY, y, q.freeSY, q.freeColumn
		}
		newLeft, newY, newS := left[slot], y[slot], s[slot]
		squares, mixed, column = squares[at:at+len(y)], mixed[at:at+len(y)], column[:len(y)]
		for b, yb := range y {
			squares[b] += newLeft * left[b]
			mixed[b] += newS * yb
			column[b] += newY * s[b]
		}
	}
	for b := range k {
		q.freeYY[b*c+slot], q.activeSS[b*c+slot] = q.freeYY[at+b], q.activeSS[at+b]
		q.freeSY[b*c+slot], q.activeSY[b*c+slot] = q.freeColumn[b], q.activeColumn[b]
	}
}
