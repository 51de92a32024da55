package normal

import (
	"math"
	"testing"
)

func TestQuantileInvertsCDF(t *testing.T) {
	var w worst
	for at := -37.5; at <= 5; at += 0.0371 {
		// Φ⁻¹ near p = 1 inherits the rounding of p, φ(t)⁻¹ times as large.
		conditioning := max(1, CDF(at)*0x1p-53/PDF(at)/1e-15)
		w.see(math.Abs(Quantile(CDF(at))-at)/max(1, math.Abs(at))/conditioning, at)
	}
	w.check(t, "Φ⁻¹(Φ(t))", 2e-15)
}

func TestQuantileAtTheEnds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ p, want float64 }{
		{0, -inf}, {1, inf}, {0.5, 0}, {-0.1, nan}, {1.1, nan}, {nan, nan},
	} {
		if got := Quantile(c.p); !alike(got, c.want) {
			t.Errorf("Quantile(%v) = %v, want %v", c.p, got, c.want)
		}
	}
}
