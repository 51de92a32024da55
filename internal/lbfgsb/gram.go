package lbfgsb

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
	if cap(q.isFree) < n {
		q.isFree = make([]bool, n)
	}
	q.isFree = q.isFree[:n]
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
