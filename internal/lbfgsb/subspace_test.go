package lbfgsb

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// slowSubspaceStep returns −(ZᵀBZ)⁻¹r by dense algebra, for the free variables.
func slowSubspaceStep(t *testing.T, hessian [][]float64, free []int, x, g, cauchy []float64) []float64 {
	t.Helper()
	step := make([]float64, len(x))
	for i := range x {
		step[i] = cauchy[i] - x[i]
	}
	reduced, r := mat.NewDense(len(free), len(free), nil), mat.NewVecDense(len(free), nil)
	for a, i := range free {
		r.SetVec(a, -(g[i] + dot(hessian[i], step)))
		for c, j := range free {
			reduced.Set(a, c, hessian[i][j])
		}
	}
	var d mat.VecDense
	if err := d.SolveVec(reduced, r); err != nil {
		t.Fatal(err)
	}
	return d.RawVector().Data
}

func TestSubspaceMinimiser(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for trial := range 500 {
		n := 1 + rng.IntN(12)
		m, _, _ := randomMemory(rng, n, 5, 1+rng.IntN(9))
		b, x := randomBox(rng, n)
		g := randomVector(rng, n)
		for i := range g {
			g[i] *= m.theta
		}
		var c cauchySearch
		var s subspace
		c.resize(n, m.capacity)
		s.resize(n, m.capacity)
		c.find(m, b, x, g)
		if !s.minimise(m, b, x, g, c.x, c.c) {
			t.Fatalf("trial %d: K is singular", trial)
		}
		if len(s.free) == 0 {
			continue
		}
		want := slowSubspaceStep(t, denseB(m), s.free, x, g, c.x)
		size := 1 + math.Sqrt(dot(want, want))
		if d := largestDifference(s.r[:len(s.free)], want); d > 1e-6*size {
			t.Fatalf("trial %d: step %v, want %v", trial, s.r[:len(s.free)], want)
		}
		checkProjection(t, b, &s, x, g, c.x)
	}
}

// checkProjection verifies that the minimiser is in the box, downhill, and the
// clipped step whenever that is downhill.
func checkProjection(t *testing.T, b *box, s *subspace, x, g, cauchy []float64) {
	t.Helper()
	clipped := append([]float64(nil), cauchy...)
	for j, i := range s.free {
		clipped[i] += s.r[j]
	}
	b.clip(clipped)
	clippedSlope, slope := 0.0, 0.0
	for i, v := range s.x {
		if v < b.lower[i] || v > b.upper[i] {
			t.Fatalf("x̄[%d] = %v is outside [%v, %v]", i, v, b.lower[i], b.upper[i])
		}
		slope += (v - x[i]) * g[i]
		clippedSlope += (clipped[i] - x[i]) * g[i]
	}
	if slope > 1e-9 {
		t.Fatalf("slope %v towards the minimiser", slope)
	}
	if clippedSlope <= 0 && largestDifference(clipped, s.x) != 0 {
		t.Fatalf("minimiser %v, want %v", s.x, clipped)
	}
}

// The fall-back of project, which random problems hardly reach: clipping the
// step (−9, −1) at x₀ ≥ 0 leaves one that leads uphill.
func TestProjectCutsUphillSteps(t *testing.T) {
	b := new(box)
	b.set([]float64{0, -10}, []float64{10, 10}, 2)
	s := subspace{x: make([]float64, 2), free: []int{0, 1}, r: []float64{-9, -1}}
	x := []float64{1, 1}
	s.project(b, x, []float64{1, -2}, x)
	want := []float64{0, 1 - 1.0/9}
	if d := largestDifference(s.x, want); d > 1e-15 {
		t.Errorf("got %v, want %v", s.x, want)
	}
}
