package normal

import "math"

// CDF is the distribution function Φ(t) = ½ erfc(−t/√2), accurate in relative
// terms until it underflows near t = −38.
func CDF(t float64) float64 {
	tail := PDF(t) * millsRatio(math.Abs(t))
	if t <= 0 {
		return tail
	}
	return 1 - tail
}

// LogCDF returns v = ln Φ(t) and its derivative d = φ(t)/Φ(t).
//
// For t ≤ 0 both follow from 1/D alone, with x = −t:
//
//	d = x + 1/D      v = −x²/2 − ½ ln 2π − ln d
//
// and for t > 0 from the small tail Φ(−t): v = log1p(−Φ(−t)).
func LogCDF(t float64) (v, d float64) {
	if t <= 0 {
		x := -t
		d = x + 1/tailRatio(x)
		return -0.5*x*x - halfLog2Pi - math.Log(d), d
	}
	density := PDF(t)
	tail := density * millsRatio(t)
	return math.Log1p(-tail), density / (1 - tail)
}
