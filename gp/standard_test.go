package gp

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// For any finite targets, the change of units is finite in both directions, and the targets get
// mean 0 and standard deviation 1 if they have any real spread.
func TestStandardise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.SliceOf(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64)).Draw(t, "y")
		if rapid.Bool().Draw(t, "of one size") {
			y = rapid.SliceOf(rapid.Float64Range(-1, 1)).Draw(t, "t")
			size, shift := math.Pow(10, rapid.Float64Range(-280, 300).Draw(t, "exponent")), rapid.Float64Range(-3, 3).Draw(t, "shift")
			for i := range y {
				y[i] = size * (y[i] + shift)
			}
		}
		s := Standardise(y)
		if !isFinite(s.Shift) || !isFinite(s.Scale) || !(s.Scale > 0) {
			t.Fatalf("%v of %v", s, y)
		}
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range y {
			low, high = math.Min(low, v), math.Max(high, v)
		}
		largest := math.Max(math.Abs(low), math.Abs(high))
		mean, squares := 0.0, 0.0
		for _, v := range y {
			// No target of n is further than (n−1)/√n deviations from the mean.
			if !(math.Abs(s.To(v)) <= math.Sqrt(float64(len(y)))+1e-9) {
				t.Fatalf("%v becomes %v by %v", v, s.To(v), s)
			}
			if back := s.From(s.To(v)); largest < 1e307 && math.Abs(back-v) > 1e-13*largest {
				t.Fatalf("%v becomes %v and then %v by %v", v, s.To(v), back, s)
			}
			mean += s.To(v) / float64(len(y))
		}
		if high/2-low/2 <= 1e-3*largest || largest < 1e-280 || largest > 1e307 {
			return
		}
		for _, v := range y {
			squares += (s.To(v) - mean) * (s.To(v) - mean)
		}
		if sd := math.Sqrt(squares / float64(len(y)-1)); math.Abs(mean) > 1e-9 || math.Abs(sd-1) > 1e-9 {
			t.Fatalf("standardised mean %v and deviation %v of %v", mean, sd, y)
		}
	})
}

func TestStandardiseWithoutSpread(t *testing.T) {
	for _, c := range []struct {
		y    []float64
		want Standard
	}{
		{nil, Standard{0, 1}},
		{[]float64{0, 0}, Standard{0, 1}},
		{[]float64{7}, Standard{7, 1}},
		{[]float64{-3, -3, -3, -3}, Standard{-3, 1}},
		{[]float64{1, 2, 3}, Standard{2, 1}},
		{[]float64{10, 30}, Standard{20, math.Sqrt(200)}},
	} {
		got := Standardise(c.y)
		if math.Abs(got.Shift-c.want.Shift) > 1e-14*math.Abs(c.want.Shift) || math.Abs(got.Scale-c.want.Scale) > 1e-14*c.want.Scale {
			t.Errorf("Standardise(%v) = %v, want %v", c.y, got, c.want)
		}
	}
	// A tenth is not a binary fraction. The mean of ten of them is rounded, but there is no spread.
	tenths := make([]float64, 10)
	for i := range tenths {
		tenths[i] = 0.1
	}
	if s := Standardise(tenths); s.Scale != 1 {
		t.Errorf("equal targets got the scale %v", s.Scale)
	}
}

func TestStandardiseAtTheEndsOfFloat64(t *testing.T) {
	for _, y := range [][]float64{
		{math.MaxFloat64, -math.MaxFloat64},
		{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64},
		{math.SmallestNonzeroFloat64, 0},
		{math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 3e-320},
		{1e-310, 2e-310, 5e-310},
		{1e300, math.Nextafter(1e300, 2e300), 1e300}, // equal but for the last digit
		{-7e17, -7e17, math.Nextafter(-7e17, 0)},
	} {
		s := Standardise(y)
		if !isFinite(s.Shift) || !isFinite(s.Scale) || !(s.Scale > 0) {
			t.Errorf("Standardise(%v) = %v", y, s)
		}
		// Densities in the targets' units are of size 1/scale.
		if !isFinite(1 / s.Scale) {
			t.Errorf("Standardise(%v) = %v, whose inverse is infinite", y, s)
		}
		for _, v := range y {
			if !(math.Abs(s.To(v)) < 2) || !isFinite(s.From(s.To(v))) {
				t.Errorf("%v becomes %v and then %v by %v", v, s.To(v), s.From(s.To(v)), s)
			}
		}
	}
}
