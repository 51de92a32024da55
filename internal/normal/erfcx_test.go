package normal

import (
	"math"
	"math/big"
	"testing"
)

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

// bigErfcx is exp(x²)·erfc(x) from the Mills ratio R: √(2/π)·R(√2·x).
func bigErfcx(x float64) *big.Float {
	scaled := mul(newBig().Sqrt(bigNum(2)), bigNum(math.Abs(x)))
	var mills *big.Float
	if x >= seriesEnds {
		mills = quo(bigNum(1), add(scaled, quo(bigNum(1), ratioFraction(scaled))))
	} else {
		mills = millsSeries(scaled)
	}
	positive := quo(mul(bigNum(2), mills), bigSqrt2Pi)
	if x >= 0 {
		return positive
	}
	return sub(mul(bigNum(2), bigExp(mul(bigNum(x), bigNum(x)))), positive)
}

func TestErfcx(t *testing.T) {
	var w worst
	for _, x := range gridToTails() {
		if x > -26.6 {
			w.see(relativeError(Erfcx(x), bigErfcx(x), 0), x)
		}
	}
	for _, x := range []float64{erfcxIsInverse, math.Nextafter(erfcxIsInverse, math.Inf(1)), -26.6, -26.62} {
		w.see(relativeError(Erfcx(x), bigErfcx(x), 0), x)
	}
	w.check(t, "erfcx", 1e-15)
}

func TestErfcxAtTheEnds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ at, want float64 }{
		{inf, 0}, {-inf, inf}, {-30, inf}, {-26.635, inf}, {nan, nan}, {0, 1}, {1e300, invSqrtPi / 1e300},
	} {
		if got := Erfcx(c.at); !alike(got, c.want) {
			t.Errorf("Erfcx(%v) = %v, want %v", c.at, got, c.want)
		}
	}
	for x := -26.7; x < -26.6; x += 1e-4 {
		if math.IsNaN(Erfcx(x)) {
			t.Fatalf("Erfcx(%v) is NaN", x)
		}
	}
}
