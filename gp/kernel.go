package gp

import "math"

// The kernel, MATH.md (1), is s·M52(r) with
//
//	M52(r) = (1 + √5r + 5r²/3)·exp(−√5r),   r² = Σ_i (z_i − z'_i)²,   z_i = x_i/ℓ_i.
//
// Its derivative has no division by r: ∂M52/∂z_i = −g(r)·(z_i − z'_i) with
// g(r) = (5/3)(1 + √5r)·exp(−√5r). Whole rows are computed by simd.Matern52; this is the
// same for one pair.

// matern52 returns M52(r) and g(r) from r².
func matern52(r2 float64) (k, g float64) {
	q := math.Sqrt(5 * r2)
	e := math.Exp(-q)
	return (1 + q + q*q/3) * e, 5. / 3 * (1 + q) * e
}
