package gp

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
	"github.com/eke-bo/eke/internal/simd"
)

// matern52 returns M52(r) and g(r) from r², MATH.md (1): the twin of simd.Matern52.
func matern52(r2 float64) (k, g float64) {
	q := math.Sqrt(5 * r2)
	e := math.Exp(-q)
	return (1 + q + q*q/3) * e, 5. / 3 * (1 + q) * e
}

func TestKernelOfOnePairEqualsSimdRow(t *testing.T) {
	r2 := []float64{0, 1e-300, 1e-20, 1e-8, 1e-3, 0.1, 0.5, 1, 2, 7, 50, 1e3, 4e3, 1e5, 1e12}
	k, g := make([]float64, len(r2)), make([]float64, len(r2))
	simd.Matern52(k, g, r2, 1)
	var off worst
	for i, v := range r2 {
		wantK, wantG := matern52(v)
		off.see(k[i], wantK, math.Max(wantK, 1e-50))
		off.see(g[i], wantG, math.Max(wantG, 1e-50))
	}
	t.Logf("worst relative deviation %.2g", off)
	if off > 1e-13 {
		t.Errorf("simd.Matern52 is off by %.2g", off)
	}
}

// g is defined by ∂M52/∂z = −g·z; at z = 0 too.
func TestKernelDerivativeFactor(t *testing.T) {
	f := func(grad, z []float64) float64 {
		k, g := matern52(z[0]*z[0] + z[1]*z[1])
		if grad != nil {
			grad[0], grad[1] = -g*z[0], -g*z[1]
		}
		return k
	}
	for _, z := range [][]float64{{0.3, -0.2}, {1e-3, 0}, {2, 3}, {-7, 0.1}} {
		gradcheck.Check(t, f, z, gradcheck.Settings{})
	}
}

func TestKernelAtItsEnds(t *testing.T) {
	if k, g := matern52(0); k != 1 || g != 5./3 {
		t.Errorf("at r = 0: %v, %v", k, g)
	}
	if k, g := matern52(1e9); k != 0 || g != 0 {
		t.Errorf("far away: %v, %v", k, g)
	}
}
