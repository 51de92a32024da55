package normal

import (
	"math"
	"math/big"
	"testing"
)

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
