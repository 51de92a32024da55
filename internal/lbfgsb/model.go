package lbfgsb

import "math"

// A memory holds the last few pairs (s, y) and stands for the matrix
// B = θI − W M Wᵀ that they define (see lbfgsb.go).
//
// A pair is stored in a slot, and a new pair takes the slot of the oldest, so slots are not in
// order of age. Permuting the columns of S and Y alike does not change B, so only the definition of
// L depends on the order. A vector of the 2m-space, v, has first a component for each y, then one
// for each s.
type memory struct {
	n, capacity int

	count  int // slots in use
	newest int // slot of the newest pair
	age    []int
	added  int // pairs added since the last reset, which gives the ages

	theta float64

	// y and s are stored by variable, because the Cauchy search and the subspace minimisation read
	// them that way: y[i*capacity+j] is component i of the gradient change in slot j.
	y, s []float64

	ss, sy []float64 // sₐᵀs_b and sₐᵀy_b at [a*capacity+b]
	column []float64 // of sy, while it is computed

	middle quasidefinite // M⁻¹
}

// initialTheta is the curvature assumed while there is no pair.
const initialTheta = 1

func (m *memory) resize(n, capacity int) {
	m.n, m.capacity = n, capacity
	m.y, m.s = resized(m.y, n*capacity), resized(m.s, n*capacity)
	m.ss, m.sy = resized(m.ss, capacity*capacity), resized(m.sy, capacity*capacity)
	m.column, m.age = resized(m.column, capacity), resized(m.age, capacity)
	m.middle.resize(2 * capacity)
	m.reset()
}

// reset forgets all pairs: B = I.
func (m *memory) reset() {
	m.count, m.added, m.newest = 0, 0, -1
	m.theta = initialTheta
	m.middle.order = 0
}

// add stores the pair and makes θ = yᵀy/sᵀy, which must be positive. It
// reports false if M is singular then.
func (m *memory) add(s, y []float64, sy, yy float64) bool {
	m.newest = (m.newest + 1) % m.capacity
	m.count = min(m.count+1, m.capacity)
	m.age[m.newest] = m.added
	m.added++
	m.theta = yy / sy
	for i, si := range s {
		m.s[i*m.capacity+m.newest] = si
		m.y[i*m.capacity+m.newest] = y[i]
	}
	m.multiplyNewest(s, y)
	return m.factorMiddle()
}

// multiplyNewest brings SᵀS and SᵀY up to date with the newest pair.
func (m *memory) multiplyNewest(s, y []float64) {
	c := m.capacity
	newSS := m.ss[m.newest*c:][:m.count]
	newSY := m.sy[m.newest*c:][:m.count] // the new s with all y
	column := m.column[:m.count]         // all s with the new y
	clear(newSS)
	clear(newSY)
	clear(column)
	for i, si := range s {
		yi := y[i]
		ys, ss := m.row(i)
		for b, sb := range ss {
			newSS[b] += si * sb
			newSY[b] += si * ys[b]
			column[b] += yi * sb
		}
	}
	for b := range m.count {
		m.ss[b*c+m.newest] = newSS[b]
		m.sy[b*c+m.newest] = column[b]
	}
}

func (m *memory) factorMiddle() bool {
	k := m.count
	m.middle.order = 2 * k
	for a := range k {
		negative, positive := m.middle.row(a), m.middle.row(k+a)
		clear(negative)
		negative[a] = -m.sy[a*m.capacity+a]
		for b := range k {
			positive[b] = 0
			if m.newer(a, b) {
				positive[b] = m.sy[a*m.capacity+b]
			}
			positive[k+b] = m.theta * m.ss[a*m.capacity+b]
		}
	}
	return m.middle.factor()
}

// newer reports whether slot a's pair is younger than slot b's: whether
// sₐᵀy_b is an entry of L.
func (m *memory) newer(a, b int) bool { return m.age[a] > m.age[b] }

// row returns variable i's components of the stored y and s.
func (m *memory) row(i int) (y, s []float64) {
	at := i * m.capacity
	return m.y[at : at+m.count], m.s[at : at+m.count]
}

// rowOfW writes row i of W to dst.
func (m *memory) rowOfW(dst []float64, i int) {
	y, s := m.row(i)
	copy(dst, y)
	for j, sj := range s {
		dst[m.count+j] = m.theta * sj
	}
}

// addRow adds scale times row i of [Y S] to dst. With [Y S] in place of W the
// factor θ is left to scaleS, to be applied once instead of at every row.
func (m *memory) addRow(dst []float64, i int, scale float64) {
	y, s := m.row(i)
	dstY, dstS := dst[:len(y)], dst[len(y):2*len(y)]
	for j, yj := range y {
		dstY[j] += scale * yj
		dstS[j] += scale * s[j]
	}
}

// dotRow returns the product of row i of [Y S] with v.
func (m *memory) dotRow(i int, v []float64) float64 {
	y, s := m.row(i)
	vY, vS := v[:len(y)], v[len(y):2*len(y)]
	sum := 0.0
	for j, yj := range y {
		sum += yj*vY[j] + s[j]*vS[j]
	}
	return sum
}

// scaleS multiplies the second half of v by θ: the step between [Y S] and W.
func (m *memory) scaleS(v []float64) {
	for j := m.count; j < 2*m.count; j++ {
		v[j] *= m.theta
	}
}

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

// Rounding: the distance from 1 to the next float64, and its root.
const (
	epsilon     = 0x1p-52
	rootEpsilon = 0x1p-26
)

func dot(a, b []float64) float64 {
	b = b[:len(a)]
	sum := 0.0
	for i, ai := range a {
		sum += ai * b[i]
	}
	return sum
}

// addScaled adds a·v to dst.
func addScaled(dst []float64, a float64, v []float64) {
	v = v[:len(dst)]
	for i := range dst {
		dst[i] += a * v[i]
	}
}

func allFinite(x []float64) bool {
	for _, v := range x {
		if v-v != 0 { // only NaN and ±Inf differ from themselves
			return false
		}
	}
	return true
}

// resized returns a slice of length n, reusing a's memory if it suffices. The
// contents are left undefined.
func resized[S ~[]E, E any](a S, n int) S {
	if cap(a) < n {
		return make(S, n)
	}
	return a[:n]
}
