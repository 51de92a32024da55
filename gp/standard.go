package gp

import "math"

// Standard is an affine change of units: y = Shift + Scale·t, where the
// standardised targets t have mean 0 and sample standard deviation 1.
type Standard struct {
	Shift, Scale float64
}

// Standardise returns the change of units for y: its mean and its sample standard
// deviation (n−1). A single target, or equal ones, have no spread to divide by;
// their scale is 1. Finite targets of any size give a finite, non-zero scale.
func Standardise(y []float64) Standard {
	largest := 0.0
	for _, v := range y {
		largest = math.Max(largest, math.Abs(v))
	}
	if largest == 0 {
		return Standard{Scale: 1}
	}
	// Sums are taken of y/largest, which can neither overflow nor lose a target
	// of 1e-300 to underflow when it is squared.
	mean := 0.0
	for _, v := range y {
		mean += v / largest / float64(len(y))
	}
	squares := 0.0
	for _, v := range y {
		d := v/largest - mean
		squares += d * d
	}
	s := Standard{Shift: mean * largest, Scale: 1}
	if len(y) < 2 {
		return s
	}
	sd := math.Sqrt(squares / float64(len(y)-1))
	// Targets that agree to the last few bits are equal: what is left is rounding.
	if sd > 1e-13 && sd*largest > 0 {
		s.Scale = sd * largest
	}
	return s
}

// To returns the standardised target of y.
func (s Standard) To(y float64) float64 {
	// Divided before subtracting: y − Shift may overflow where the quotient does not.
	return y/s.Scale - s.Shift/s.Scale
}

// From returns y in its own units.
func (s Standard) From(t float64) float64 { return s.Shift + s.Scale*t }
