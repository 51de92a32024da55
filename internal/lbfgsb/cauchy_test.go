package lbfgsb

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// slowCauchyPoint follows the projected path through all its breakpoints and
// minimises q on each piece with dense algebra.
func slowCauchyPoint(b *box, hessian [][]float64, x, g []float64) []float64 {
	n := len(x)
	at := func(t float64) []float64 {
		z := make([]float64, n)
		for i := range z {
			z[i] = x[i] - t*g[i]
		}
		b.clip(z)
		return z
	}
	times := []float64{0}
	for i, gi := range g {
		if gi < 0 && !math.IsInf(b.upper[i], 1) {
			times = append(times, (x[i]-b.upper[i])/gi)
		} else if gi > 0 && !math.IsInf(b.lower[i], -1) {
			times = append(times, (x[i]-b.lower[i])/gi)
		}
	}
	slices.Sort(times)
	times = append(slices.Compact(times), math.Inf(1))
	for k, t := range times[:len(times)-1] {
		end := times[k+1]
		middle := t + 1
		if !math.IsInf(end, 1) {
			middle = (t + end) / 2
		}
		z, toMiddle := at(t), at(middle)
		d, step, model := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range d {
			d[i] = (toMiddle[i] - z[i]) / (middle - t)
			step[i] = z[i] - x[i]
		}
		for i := range model {
			model[i] = g[i] + dot(hessian[i], step)
		}
		slope, curvature := dot(model, d), 0.0
		for i := range d {
			curvature += d[i] * dot(hessian[i], d)
		}
		if slope >= 0 {
			return z
		}
		if ahead := -slope / curvature; t+ahead < end {
			return at(t + ahead)
		}
	}
	panic("q falls for ever")
}

// randomBox returns a box around the origin with some bounds missing, some
// equal, and a point in it, at a bound now and then.
func randomBox(rng *rand.Rand, n int) (*box, []float64) {
	lower, upper, x := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range x {
		lower[i], upper[i] = -rng.ExpFloat64(), rng.ExpFloat64()
		x[i] = lower[i] + rng.Float64()*(upper[i]-lower[i])
		switch rng.IntN(8) {
		case 0:
			lower[i] = math.Inf(-1)
		case 1:
			upper[i] = math.Inf(1)
		case 2:
			x[i] = lower[i]
		case 3:
			x[i] = upper[i]
		case 4:
			lower[i] = x[i]
			upper[i] = x[i]
		}
	}
	b := new(box)
	b.set(lower, upper, n)
	return b, x
}

func TestCauchyPoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for trial := range 500 {
		n := 1 + rng.IntN(12)
		m, _, _ := randomMemory(rng, n, 5, rng.IntN(9))
		b, x := randomBox(rng, n)
		g := randomVector(rng, n)
		scale := m.theta * math.Pow(10, 4*rng.Float64()-2)
		for i := range g {
			g[i] *= scale
		}
		var s cauchySearch
		s.resize(n, m.capacity)
		s.find(m, b, x, g)

		want := slowCauchyPoint(b, denseB(m), x, g)
		if d := largestDifference(s.x, want); d > 1e-8 {
			t.Fatalf("trial %d: Cauchy point %v, want %v", trial, s.x, want)
		}
		checkC(t, m, &s, x)
	}
}

// checkC verifies c = Wᵀ(xᶜ − x), which the search keeps as F⁻¹c.
func checkC(t *testing.T, m *memory, s *cauchySearch, x []float64) {
	t.Helper()
	c := make([]float64, 2*m.count)
	for i := range x {
		m.addRow(c, i, s.x[i]-x[i])
	}
	m.scaleS(c)
	size := 1 + math.Sqrt(dot(c, c))
	m.middle.forward(c)
	if d := largestDifference(c, s.c[:len(c)]); d > 1e-7*size {
		t.Fatalf("c is off by %g", d)
	}
}

func TestBreakpointHeap(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for n := range 40 {
		var h breakpointHeap
		for i := range n {
			h = append(h, breakpoint{float64(rng.IntN(10)), i})
		}
		h.order()
		last := math.Inf(-1)
		for range n {
			b := h.pop()
			if b.t < last {
				t.Fatalf("%v after %v", b.t, last)
			}
			last = b.t
		}
		if len(h) != 0 {
			t.Fatalf("%d left", len(h))
		}
	}
}
