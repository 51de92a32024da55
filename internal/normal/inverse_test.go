package normal

import (
	"math"
	"testing"
)

// There and back, from deep tails to where h is the identity.
func TestInverseLogHIsTheWayBack(t *testing.T) {
	for _, want := range []float64{-1e150, -1e5, -300, -38, -5, -2, -1, -0.5, -1e-3, 0, 1e-3, 0.3, 1, 4, 8.9, 9.1, 50, 1e6, 1e200} {
		v, slope := LogH(want)
		got := InverseLogH(v)
		// v is rounded, which moves t by as much as v's last digits are worth there.
		if tolerance := 1e-13*math.Max(math.Abs(want), 1e-3) + 4e-16*math.Abs(v)/slope; math.Abs(got-want) > tolerance {
			t.Errorf("InverseLogH(%v) = %v, want %v", v, got, want)
		}
	}
}

func TestInverseLogHIsFiniteAndRises(t *testing.T) {
	last := math.Inf(-1)
	for v := -1e4; v < 2e3; v += 0.37 {
		got := InverseLogH(v)
		if math.IsNaN(got) || math.IsInf(got, 0) || got < last {
			t.Fatalf("InverseLogH(%v) = %v after %v", v, got, last)
		}
		last = got
	}
}

func TestInverseLogHAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(20, func() { InverseLogH(-3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
