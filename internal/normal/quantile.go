package normal

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Quantile is Φ⁻¹(p), by Wichura's algorithm AS 241 (1988): −Inf at p = 0,
// +Inf at p = 1 and NaN outside [0, 1].
func Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return mathext.NormalQuantile(p)
}
