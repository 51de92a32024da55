package normal

import "math"

// InverseLogH returns the t with ln h(t) = v. That is how far the mean must lie above a threshold, in standard
// deviations, for an expected improvement of eᵛ standard deviations over it.
//
// ln h increases and is concave, so Newton's method from the left of the root comes closer with every step and never
// passes it. A start on the left is known: for t ≥ 0, h(t) = t + h(−t) ≤ t + φ(0); for t ≤ 0, h(t) ≤ φ(t).
func InverseLogH(v float64) float64 {
	if v > largestLog {
		v = largestLog
	}
	t := math.Exp(v) - 1/math.Sqrt(2*math.Pi)
	if v < -halfLog2Pi {
		t = -math.Sqrt(-2 * (v + halfLog2Pi))
	}
	for range 60 {
		f, slope := LogH(t)
		next := t + (v-f)/slope
		if !(next > t) || next-t <= 1e-15*math.Abs(next) {
			break
		}
		t = next
	}
	return t
}

// largestLog keeps the exponential finite, with room for products.
const largestLog = 690
