package normal

import "math"

const (
	sqrt2OverPi    = 0.797884560802865355879892119868763737 // √(2/π), OEIS A076668
	invSqrtPi      = 0.564189583547756286948079451560772586 // 1/√π, OEIS A087197
	erfcxOverflows = -26.63                                 // 2·exp(26.63²) > 2¹⁰²⁴
	erfcxIsInverse = 1e10                                   // erfcx(x) = 1/(x√π)·(1 − 1/(2x²) + …)
)

// Erfcx is the scaled complementary error function exp(x²)·erfc(x). It
// overflows to +Inf below x ≈ −26.6.
//
// For x ≥ 0 it is the Mills ratio at √2·x times √(2/π). For x < 0 it uses the reflection erfcx(x) =
// 2·exp(x²) − erfcx(−x), with the rounding error of x² recovered as in [PDF].
func Erfcx(x float64) float64 {
	switch {
	case x > erfcxIsInverse:
		return invSqrtPi / x
	case x >= 0:
		return sqrt2OverPi * millsRatio(math.Sqrt2*x)
	case x < erfcxOverflows:
		return math.Inf(1)
	}
	square := x * x
	squareError := math.FMA(x, x, -square)
	grown := math.Exp(square)
	return 2*(grown+grown*squareError) - sqrt2OverPi*millsRatio(-math.Sqrt2*x)
}
