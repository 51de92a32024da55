package lbfgsb

import "math"

// A quasidefinite is a small symmetric matrix
//
//	    ⎡ −P  Cᵀ ⎤
//	K = ⎢        ⎥ ,   P positive definite, Q + C P⁻¹ Cᵀ positive definite,
//	    ⎣  C  Q  ⎦
//
// with square blocks of equal order. Both 2m×2m matrices of the method, M⁻¹
// and K, are of this kind. Such a matrix has a Cholesky factorisation, except for the signs,
// without pivoting (Vanderbei, Symmetric quasidefinite matrices, SIAM J. Optim. 5 (1995) 100-113):
//
//	K = F E Fᵀ,   F lower triangular,   E = diag(−1, …, −1, 1, …, 1).
//
// So a quadratic form in K⁻¹ is a signed dot product of vectors F⁻¹v, which
// is how the Cauchy search uses M: each breakpoint costs it one forward
// substitution and no backward one.
type quasidefinite struct {
	order  int       // of K; even
	entry  []float64 // row-major; only the lower triangle is used; K, then F
	invert []float64 // 1/Fᵢᵢ
}

// resize makes room for an order of up to largest.
func (k *quasidefinite) resize(largest int) {
	k.entry = resized(k.entry, largest*largest)
	k.invert = resized(k.invert, largest)
}

func (k *quasidefinite) row(i int) []float64 {
	return k.entry[i*k.order : (i+1)*k.order]
}

// factor replaces K by F. It reports false if the pivots have the wrong signs: K is then singular
// up to rounding errors.
func (k *quasidefinite) factor() bool {
	half := k.order / 2
	for i := range k.order {
		ri := k.row(i)
		for j := range i {
			ri[j] = (ri[j] - signedDot(ri[:j], k.row(j)[:j], half)) * k.invert[j]
			if j < half {
				ri[j] = -ri[j] // division by Eⱼⱼ
			}
		}
		pivot := ri[i] - signedDot(ri[:i], ri[:i], half)
		if i < half {
			pivot = -pivot
		}
		if !(pivot > 0) || math.IsInf(pivot, 1) {
			return false
		}
		ri[i] = math.Sqrt(pivot)
		k.invert[i] = 1 / ri[i]
	}
	return true
}

// forward overwrites v with F⁻¹v.
func (k *quasidefinite) forward(v []float64) {
	for i := range k.order {
		sum := v[i]
		for j, fij := range k.row(i)[:i] {
			sum -= fij * v[j]
		}
		v[i] = sum * k.invert[i]
	}
}

// backward overwrites v with F⁻ᵀ E v, so that forward and then backward solve
// Kx = v.
func (k *quasidefinite) backward(v []float64) {
	for i := range k.order / 2 {
		v[i] = -v[i]
	}
	for i := k.order - 1; i >= 0; i-- {
		vi := v[i] * k.invert[i]
		v[i] = vi
		for j, fij := range k.row(i)[:i] {
			v[j] -= fij * vi
		}
	}
}

// product returns uᵀK⁻¹v, given F⁻¹u and F⁻¹v.
func (k *quasidefinite) product(u, v []float64) float64 {
	return signedDot(u[:k.order], v[:k.order], k.order/2)
}

// signedDot returns Σ ±aᵢbᵢ, with the minus for the first few terms.
func signedDot(a, b []float64, minus int) float64 {
	minus = min(minus, len(a))
	sum := 0.0
	for i, ai := range a[minus:] {
		sum += ai * b[minus+i]
	}
	for i, ai := range a[:minus] {
		sum -= ai * b[i]
	}
	return sum
}
