package normal

import (
	"math"
	"testing"
)

// smallestNormal is 2⁻¹⁰²²; below it float64 loses relative precision.
const smallestNormal = 0x1p-1022

func TestPDF(t *testing.T) {
	var w worst
	for _, at := range gridToTails() {
		w.see(relativeError(PDF(at), bigDensity(at), smallestNormal), at)
	}
	w.check(t, "φ", 1e-15)
}

func TestPDFAtTheEnds(t *testing.T) {
	for _, at := range []float64{math.Inf(1), math.Inf(-1), 1e308, densityZero} {
		if got := PDF(at); got != 0 {
			t.Errorf("PDF(%v) = %v, want 0", at, got)
		}
	}
	if got := PDF(math.NaN()); !math.IsNaN(got) {
		t.Errorf("PDF(NaN) = %v", got)
	}
}
