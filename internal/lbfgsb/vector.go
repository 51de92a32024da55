package lbfgsb

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
func resized(a []float64, n int) []float64 {
	if cap(a) < n {
		return make([]float64, n)
	}
	return a[:n]
}
