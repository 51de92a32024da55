package gp

import "math"

// Standard is an affine change of units: y = Shift + Scale·t, where the
// standardised targets t have mean 0 and sample standard deviation 1.
type Standard struct {
	// Shift is the mean of the targets.
	Shift float64 `json:"shift"`

	// Scale is their standard deviation.
	Scale float64 `json:"scale"`
}

// The range of scales in use. Their inverses are finite, with room for the slopes of logarithms,
// which are many times 1/scale.
const minScale, maxScale = 1e-300, math.MaxFloat64

// Standardise returns the change of units for y: its mean and its sample standard
// deviation (n−1). A single target, or equal targets, have no spread to divide by. Their scale is
// 1, or more if 1 is below their last digits. Finite targets of any size give a finite scale whose
// inverse is finite too.
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
	sd := math.Sqrt(squares / math.Max(float64(len(y)-1), 1))
	// Targets that agree up to the last few bits count as equal: the difference is rounding.
	const rounding = 1e-13
	if sd <= rounding {
		return Standard{Shift: y[0], Scale: math.Max(1, rounding*largest)}
	}
	return Standard{Shift: mean * largest, Scale: math.Min(math.Max(sd*largest, minScale), maxScale)}
}

// To returns the standardised target of y.
func (s Standard) To(y float64) float64 {
	// Divide before subtracting: y − Shift may overflow where the quotient does not.
	return y/s.Scale - s.Shift/s.Scale
}

// From returns y in its own units.
func (s Standard) From(t float64) float64 { return s.Shift + s.Scale*t }

// square returns a variance, or anything in the units of a variance, in the square of y's own
// units. It may overflow to ±Inf or underflow to 0, but 0 stays 0.
func (s Standard) square(v float64) float64 { return s.Scale * (s.Scale * v) }
