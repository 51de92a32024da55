package normal

import "math"

// improvementIsLinear is the t from which h(t) = t + h(−t) rounds to t and Φ(t)
// to 1: Φ(−9) ≈ 1.1e-19 and h(−9) ≈ 1.2e-20 are below 2⁻⁵⁴.
const improvementIsLinear = 9

// H returns v = h(t) = φ(t) + tΦ(t), the expected improvement of a standard
// normal over −t (Jones, Schonlau and Welch 1998), and its derivative
// d = Φ(t).
//
// With x = |t| and D from [tailRatio], h(−x) = φ(x)/(1 + xD) and
// Φ(−x) = φ(x)/(x + 1/D); for t > 0, h(t) = t + h(−t).
func H(t float64) (v, d float64) {
	x := math.Abs(t)
	ratio := tailRatio(x)
	density := PDF(x)
	lower := density / (1 + x*ratio)
	tail := density / (x + 1/ratio)
	if t <= 0 {
		return lower, tail
	}
	return t + lower, 1 - tail
}

// LogH returns v = ln h(t) and its derivative d = Φ(t)/h(t).
//
// For t ≤ 0, with x = −t and D from [tailRatio],
//
//	d = D      v = −x²/2 − ½ ln 2π − ln(1 + xD),
//
// which is the log_h of Ament et al. (2023) with the cancelling
// log1mexp replaced by a sum of terms of one sign, and needs no exponential
// and no separate asymptotic branch. For t > 0, h and Φ are formed as in [H].
func LogH(t float64) (v, d float64) {
	if t <= 0 {
		x := -t
		d = tailRatio(x)
		return -0.5*x*x - halfLog2Pi - math.Log(1+x*d), d
	}
	if t > improvementIsLinear {
		return math.Log(t), 1 / t
	}
	ratio := tailRatio(t)
	lower := PDF(t) / (1 + t*ratio) // h(−t), and Φ(−t) = D·h(−t)
	h := t + lower
	return math.Log(h), (1 - ratio*lower) / h
}
