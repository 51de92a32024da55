package lbfgsb

import (
	"math/rand/v2"
	"testing"
)

// However the products came about, they must be those of the free and the
// active rows.
func TestFreeGram(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const n, capacity = 7, 4
	m, _, _ := randomMemory(rng, n, capacity, 1)
	var q freeGram
	q.resize(n, capacity)
	var free []int
	for range 60 {
		if rng.IntN(3) == 0 { // else F stays
			free = free[:0]
			for i := range n {
				if rng.IntN(3) > 0 {
					free = append(free, i)
				}
			}
		}
		q.update(m, free)
		checkGram(t, &q, m)
		for range rng.IntN(3) {
			s := randomVector(rng, n)
			y := randomVector(rng, n)
			addScaled(y, 9, s)
			m.add(s, y, dot(s, y), dot(y, y))
		}
	}
}

func checkGram(t *testing.T, q *freeGram, m *memory) {
	t.Helper()
	for a := range m.count {
		for b := range m.count {
			var yy, ss, freeSY, activeSY float64
			for i, free := range q.isFree {
				y, s := m.row(i)
				if free {
					yy += y[a] * y[b]
					freeSY += s[a] * y[b]
				} else {
					ss += s[a] * s[b]
					activeSY += s[a] * y[b]
				}
			}
			at := a*m.capacity + b
			got := []float64{q.freeYY[at], q.freeSY[at], q.activeSS[at], q.activeSY[at]}
			if d := largestDifference(got, []float64{yy, freeSY, ss, activeSY}); d > 1e-11 {
				t.Fatalf("products of slots %d and %d are off by %g", a, b, d)
			}
		}
	}
}
