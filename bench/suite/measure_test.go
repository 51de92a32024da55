package suite

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/student"
)

// The score of a normal forecast that came true is σ(√2−1)/√π; its density is 1/(σ√2π).
func TestBandsScores(t *testing.T) {
	var b Bands
	b.add(3, 2, 3, false)
	if want := 2 * (math.Sqrt2 - 1) / math.Sqrt(math.Pi); math.Abs(b.CRPS-want) > 1e-12 {
		t.Errorf("CRPS %v, want %v", b.CRPS, want)
	}
	if want := -math.Log(2 * math.Sqrt(2*math.Pi)); math.Abs(b.Log-want) > 1e-12 {
		t.Errorf("log score %v, want %v", b.Log, want)
	}
	// The score is ∫ (F(t) − 1{t ≥ came})² dt.
	var c Bands
	c.add(0, 1, 1.5, false)
	integral, step := 0.0, 1e-4
	for x := -10.0; x < 12; x += step {
		f := 0.5 * math.Erfc(-x/math.Sqrt2)
		if x >= 1.5 {
			f--
		}
		integral += f * f * step
	}
	if math.Abs(c.CRPS-integral) > 1e-4 {
		t.Errorf("CRPS %v, want %v", c.CRPS, integral)
	}
}

// If a forecast is right in every respect, its bands hold.
func TestBandsHold(t *testing.T) {
	var b Bands
	const n = 4000
	for i := range n {
		b.add(5, 3, 5+3*math.Sqrt2*math.Erfinv(2*(float64(i)+0.5)/n-1), false)
	}
	for i, want := range []float64{0.5, 0.8, 0.95} {
		if got := b.Held()[i]; math.Abs(got-want) > 1e-3 {
			t.Errorf("the band of %v held %v", want, got)
		}
	}
	if sum := b.plus(b); sum.N() != 2*n || sum.CRPS != 2*b.CRPS {
		t.Errorf("%+v", sum)
	}
	var sure Bands
	sure.add(1, 0, 2, false) // no forecast is that sure, and no score infinite
	if math.IsInf(sure.Log, 0) || math.IsNaN(sure.CRPS) || sure.Counts[6] != 1 {
		t.Errorf("%+v", sure)
	}
	var lost Bands
	for _, f := range [][2]float64{{math.MaxFloat64, 1}, {0, math.Inf(1)}, {math.NaN(), 1}, {math.Inf(-1), math.NaN()}} {
		lost.add(f[0], f[1], 2, false)
	}
	if !(lost.CRPS < 4*mostSD) || !(lost.Log > -4*10) || lost.N() != 4 {
		t.Errorf("forecasts beyond all bounds: %+v", lost)
	}
}

// The score of a forecast is the integral of the squared difference between its distribution and that of the result.
func TestStudentScoreIsTheIntegral(t *testing.T) {
	for _, z := range []float64{-3, 0, 0.7, 12} {
		const step, far = 1e-3, 400.0
		sum := 0.0
		for x := -far; x < far; x += step {
			p := student.CDF(x + step/2)
			if x+step/2 > z {
				p--
			}
			sum += step * p * p
		}
		if _, _, got := studentScore(z); math.Abs(got-sum) > 1e-3 {
			t.Errorf("the score of %v is %v, the integral %v", z, got, sum)
		}
	}
}
