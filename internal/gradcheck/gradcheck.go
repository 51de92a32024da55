// Package gradcheck compares analytic gradients with finite differences.
//
// It is the only finite-difference checker in the project: every derivative is
// a func(grad, x []float64) float64, so one checker serves them all.
package gradcheck

import (
	"math"
	"testing"
)

// Func is the project's shape of a differentiable function: it returns f(x)
// and, when grad is not nil, overwrites grad with ∇f(x).
type Func func(grad, x []float64) float64

// Settings tune a check; the zero value suits a function that varies on a scale of
// about 0.1 to 1, as everything on the unit cube does.
type Settings struct {
	Step      float64 // first step of the extrapolation; default 1e-3
	Tolerance float64 // relative to the larger of the two gradients; default 1e-6
}

// Check fails t when the gradient of f at x differs from finite differences, or
// when f returns another value with a gradient asked for than without.
func Check(t testing.TB, f Func, x []float64, s Settings) {
	t.Helper()
	if s.Tolerance == 0 {
		s.Tolerance = 1e-6
	}
	grad := make([]float64, len(x))
	with, without := f(grad, x), f(nil, x)
	if with != without && !(math.IsNaN(with) && math.IsNaN(without)) {
		t.Errorf("gradcheck: value %v with gradient, %v without, at %v", with, without, x)
	}
	numeric, doubt := Numeric(f, x, s.Step)
	size := 0.0
	for i := range x {
		size = math.Max(size, math.Max(math.Abs(grad[i]), math.Abs(numeric[i])))
	}
	for i := range x {
		// The extrapolation's own doubt is granted, but only up to a tenth of a
		// per cent of the gradient: a check that cannot fail is none.
		allowed := s.Tolerance*size + math.Min(2*doubt[i], 1e-3*size)
		if diff := math.Abs(grad[i] - numeric[i]); !(diff <= allowed) {
			t.Errorf("gradcheck: ∂f/∂x[%d] = %.10g, finite differences %.10g (off by %.2g, allowed %.2g) at %v",
				i, grad[i], numeric[i], diff, allowed, x)
		}
	}
}

// Numeric returns ∇f by Ridders' extrapolation of central differences (Ridders
// 1982), with an estimate of its own error. Step 0 means 1e-3.
func Numeric(f Func, x []float64, step float64) (grad, doubt []float64) {
	if step == 0 {
		step = 1e-3
	}
	grad, doubt = make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		grad[i], doubt[i] = ridders(f, append([]float64(nil), x...), i, step)
	}
	return grad, doubt
}

// ridders fills the Neville tableau of central differences at steps h, h/c, h/c², …
// and keeps the entry that agrees best with its neighbours.
func ridders(f Func, x []float64, i int, h float64) (best, doubt float64) {
	const rows, shrink = 8, 1.6 // Ridders' √2 < c < 2
	var table [rows][rows]float64
	centre := x[i]
	central := func(h float64) float64 {
		// The step really taken is what the difference is divided by.
		x[i] = centre + h
		right, up := x[i], f(nil, x)
		x[i] = centre - h
		left, down := x[i], f(nil, x)
		x[i] = centre
		return (up - down) / (right - left)
	}
	doubt = math.Inf(1)
	for r := range rows {
		table[r][0] = central(h)
		h /= shrink
		factor := shrink * shrink
		for c := 1; c <= r; c++ {
			table[r][c] = (table[r][c-1]*factor - table[r-1][c-1]) / (factor - 1)
			factor *= shrink * shrink
			e := math.Max(math.Abs(table[r][c]-table[r][c-1]), math.Abs(table[r][c]-table[r-1][c-1]))
			if e <= doubt {
				best, doubt = table[r][c], e
			}
		}
	}
	return best, doubt
}
