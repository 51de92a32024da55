package chol

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
	"gonum.org/v1/gonum/mat"
)

func randomSPD(rng *rand.Rand, n int) *mat.SymDense {
	g := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			g.Set(i, j, rng.NormFloat64())
		}
	}
	var c mat.SymDense
	c.SymOuterK(1, g)
	for i := range n {
		c.SetSym(i, i, c.At(i, i)+0.1)
	}
	return &c
}

// buildChain factors c row by row with Extend; node i's chain is 0..i−1.
func buildChain(c func(i, j int) float64, n int) Rows {
	r := NewRows(n, n)
	chain, cov := []int{}, make([]float64, n)
	for i := range n {
		for j := range i {
			cov[j] = c(i, j)
		}
		Extend(r, i, chain, cov[:i])
		v := c(i, i)
		for _, b := range r.Of(i, i) {
			v -= b * b
		}
		r.Pivot[i] = math.Sqrt(v)
		chain = append(chain, i)
	}
	return r
}

func TestExtendEqualsFactorisation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 12; n++ {
		c := randomSPD(rng, n)
		var want mat.Cholesky
		if !want.Factorize(c) {
			t.Fatal("not positive definite")
		}
		var l mat.TriDense
		want.LTo(&l)
		r := buildChain(c.At, n)
		for i := range n {
			for j, b := range r.Of(i, i) {
				if math.Abs(b-l.At(i, j)) > 1e-10 {
					t.Fatalf("n=%d L[%d,%d] = %v, want %v", n, i, j, b, l.At(i, j))
				}
			}
			if math.Abs(r.Pivot[i]-l.At(i, i)) > 1e-10 {
				t.Fatalf("n=%d pivot %d = %v, want %v", n, i, r.Pivot[i], l.At(i, i))
			}
		}
	}
}

// The derivative of Σ w·(entries of the factor) with respect to the covariances.
func TestExtendBack(t *testing.T) {
	const n = 5
	rng := rand.New(rand.NewPCG(3, 4))
	c := randomSPD(rng, n)
	weight := NewRows(n, n)
	for i := range weight.Row {
		weight.Row[i] = rng.NormFloat64()
	}
	for i := range weight.Pivot {
		weight.Pivot[i] = rng.NormFloat64()
	}
	at := func(x []float64) func(i, j int) float64 {
		return func(i, j int) float64 { return x[max(i, j)*n+min(i, j)] }
	}
	x := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			x[i*n+j] = c.At(i, j)
		}
	}
	f := func(grad, x []float64) float64 {
		r := buildChain(at(x), n)
		sum := 0.0
		for i := range n {
			for j, b := range r.Of(i, i) {
				sum += weight.Row[i*n+j] * b
			}
			sum += weight.Pivot[i] * r.Pivot[i]
		}
		if grad == nil {
			return sum
		}
		clear(grad)
		bar := NewRows(n, n)
		copy(bar.Row, weight.Row)
		copy(bar.Pivot, weight.Pivot)
		for i := n - 1; i >= 0; i-- {
			// t = √(C_ii − b·b)
			varBar := bar.Pivot[i] / (2 * r.Pivot[i])
			grad[i*n+i] = varBar
			chain := make([]int, i)
			for j, b := range r.Of(i, i) {
				chain[j] = j
				bar.Of(i, i)[j] -= 2 * varBar * b
			}
			ExtendBack(r, bar, i, chain, grad[i*n:i*n+i])
		}
		return sum
	}
	gradcheck.Check(t, f, x, gradcheck.Settings{Tolerance: 1e-8})
}
