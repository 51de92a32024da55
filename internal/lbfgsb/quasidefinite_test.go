package lbfgsb

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// randomQuasidefinite returns a matrix of order 2·half and a dense copy.
func randomQuasidefinite(rng *rand.Rand, half int) (*quasidefinite, *mat.Dense) {
	k := new(quasidefinite)
	k.resize(2 * half)
	k.order = 2 * half
	p, q := randomConvex(rng, half, 10), randomConvex(rng, half, 10)
	dense := mat.NewDense(2*half, 2*half, nil)
	for i := range half {
		for j := range half {
			dense.Set(i, j, -p[i][j])
			dense.Set(half+i, half+j, q[i][j])
			c := rng.NormFloat64()
			dense.Set(half+i, j, c)
			dense.Set(j, half+i, c)
		}
	}
	for i := range 2 * half {
		copy(k.row(i), dense.RawRowView(i))
	}
	return k, dense
}

func TestQuasidefiniteSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for half := 1; half <= 12; half++ {
		k, dense := randomQuasidefinite(rng, half)
		if !k.factor() {
			t.Fatalf("order %d: no factor", 2*half)
		}
		u, v := randomVector(rng, 2*half), randomVector(rng, 2*half)
		var want mat.VecDense
		if err := want.SolveVec(dense, mat.NewVecDense(len(v), append([]float64(nil), v...))); err != nil {
			t.Fatal(err)
		}
		form := dot(u, want.RawVector().Data)

		k.forward(u)
		k.forward(v)
		if got := k.product(u, v); math.Abs(got-form) > 1e-9*(1+math.Abs(form)) {
			t.Errorf("order %d: uᵀK⁻¹v = %v, want %v", 2*half, got, form)
		}
		k.backward(v)
		if d := largestDifference(v, want.RawVector().Data); d > 1e-9 {
			t.Errorf("order %d: solution off by %g", 2*half, d)
		}
	}
}

func TestQuasidefiniteFactorNoticesWrongSigns(t *testing.T) {
	for _, spoil := range []float64{0, 1, math.NaN(), math.Inf(-1)} {
		k, _ := randomQuasidefinite(rand.New(rand.NewPCG(5, 5)), 3)
		k.row(1)[1] = spoil // should be clearly negative
		if k.factor() {
			t.Errorf("factor accepts %v among the negative pivots", spoil)
		}
	}
}
