package lbfgsb

import (
	"math"
	"math/rand/v2"
	"testing"
)

// randomMemory returns a memory of the given capacity after adding pairs of a
// random convex quadratic, and the pairs.
func randomMemory(rng *rand.Rand, n, capacity, pairs int) (m *memory, s, y [][]float64) {
	m = new(memory)
	m.resize(n, capacity)
	hessian := randomConvex(rng, n, 100)
	for range pairs {
		si, yi := randomVector(rng, n), make([]float64, n)
		for i, row := range hessian {
			yi[i] = dot(row, si)
		}
		s, y = append(s, si), append(y, yi)
		if !m.add(si, yi, dot(si, yi), dot(yi, yi)) {
			panic("singular")
		}
	}
	return m, s, y
}

func randomVector(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// randomConvex returns a positive definite matrix of about the given condition.
func randomConvex(rng *rand.Rand, n int, condition float64) [][]float64 {
	h := make([][]float64, n)
	for i := range h {
		h[i] = make([]float64, n)
		h[i][i] = 1
	}
	for range n {
		v := randomVector(rng, n)
		weight := math.Pow(condition, rng.Float64()) / dot(v, v)
		for i := range h {
			addScaled(h[i], weight*v[i], v)
		}
	}
	return h
}

// denseB returns B = θI − W M Wᵀ, written out.
func denseB(m *memory) [][]float64 {
	b := make([][]float64, m.n)
	wi, wj := make([]float64, 2*m.count), make([]float64, 2*m.count)
	for i := range b {
		b[i] = make([]float64, m.n)
		m.rowOfW(wi, i)
		m.middle.forward(wi)
		for j := range b[i] {
			m.rowOfW(wj, j)
			m.middle.forward(wj)
			b[i][j] = -m.middle.product(wi, wj)
		}
		b[i][i] += m.theta
	}
	return b
}

// denseBFGS applies BFGS updates to θI:
// B ← B − (Bs)(Bs)ᵀ/sᵀBs + yyᵀ/sᵀy.
func denseBFGS(theta float64, s, y [][]float64) [][]float64 {
	n := len(s[0])
	b := make([][]float64, n)
	for i := range b {
		b[i] = make([]float64, n)
		b[i][i] = theta
	}
	bs := make([]float64, n)
	for k := range s {
		for i := range b {
			bs[i] = dot(b[i], s[k])
		}
		sBs, sy := dot(s[k], bs), dot(s[k], y[k])
		for i := range b {
			addScaled(b[i], -bs[i]/sBs, bs)
			addScaled(b[i], y[k][i]/sy, y[k])
		}
	}
	return b
}

// The compact form must equal the updates it stands for, before and after the
// oldest pairs are dropped, and also when there are more pairs than variables.
func TestCompactFormIsBFGS(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 5, 20} {
		for _, pairs := range []int{1, 2, 4, 5, 9, 23} {
			const capacity = 4
			m, s, y := randomMemory(rng, n, capacity, pairs)
			kept := max(0, pairs-capacity)
			want := denseBFGS(m.theta, s[kept:], y[kept:])
			for i, row := range denseB(m) {
				for j, got := range row {
					if math.Abs(got-want[i][j]) > 1e-8*m.theta {
						t.Fatalf("n %d, %d pairs: B[%d][%d] = %v, BFGS gives %v", n, pairs, i, j, got, want[i][j])
					}
				}
			}
		}
	}
}

func TestResetForgets(t *testing.T) {
	m, _, _ := randomMemory(rand.New(rand.NewPCG(2, 2)), 3, 4, 6)
	m.reset()
	for i, row := range denseB(m) {
		for j, got := range row {
			want := 0.0
			if i == j {
				want = initialTheta
			}
			if got != want {
				t.Fatalf("B[%d][%d] = %v after reset", i, j, got)
			}
		}
	}
}

// Rows of [Y S] and of W must agree.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	m, _, _ := randomMemory(rng, 6, 3, 5)
	w, v, sum := make([]float64, 6), randomVector(rng, 6), make([]float64, 6)
	for i := range m.n {
		m.rowOfW(w, i)
		clear(sum)
		m.addRow(sum, i, 1)
		m.scaleS(sum)
		scaled := append([]float64(nil), v...)
		m.scaleS(scaled)
		if d := largestDifference(sum, w); d > 1e-14*m.theta {
			t.Errorf("addRow and scaleS differ from rowOfW by %g", d)
		}
		if got, want := m.dotRow(i, scaled), dot(w, v); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("dotRow gives %v, want %v", got, want)
		}
	}
}
