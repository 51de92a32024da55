// Package student has Student's t distribution with three degrees of freedom, in closed form, up to far tails.
//
// It is the distribution of forecasts by models that are not quite right: nearly normal in the middle, with tails that fall like
// a power. Three is the smallest number of degrees of freedom with a finite variance.
package student

import "math"

var root3 = math.Sqrt(3)

// PDF returns the density: 6√3/(π(3+z²)²).
func PDF(z float64) float64 {
	q := 3 + z*z
	return 6 * root3 / math.Pi / q / q
}

// CDF returns the chance of a value below z.
func CDF(z float64) float64 {
	if z > 0 {
		return 1 - tail(z)
	}
	return tail(-z)
}

// tail returns the chance of a value above z ≥ 0: (atan v − v/(1+v²))/π with v = √3/z.
func tail(z float64) float64 {
	v := root3 / z
	if z == 0 {
		return 0.5
	}
	if v < 1e-2 { // the difference would lose its digits
		return v * v * v * (2./3 - v*v*(4./5-v*v*6./7)) / math.Pi
	}
	return (math.Atan(v) - v/(1+v*v)) / math.Pi
}

// Quantile returns the z with CDF(z) = p, for 0 < p < 1.
func Quantile(p float64) float64 {
	if p > 0.5 {
		return -Quantile(1 - p)
	}
	low, high := math.Log(1e-8), math.Log(1e8) // of −z, which is a logarithm at either end
	if p >= 0.5 {
		return 0
	}
	for range 100 {
		if mid := (low + high) / 2; tail(math.Exp(mid)) > p {
			low = mid
		} else {
			high = mid
		}
	}
	return -math.Exp((low + high) / 2)
}

// steps is how many points an expectation is computed from.
const steps = 1024

// Above returns the expectation of a function where z is above least, and of 0 elsewhere. With z = √3 tan θ, the density of θ is 2 cos² θ/π.
func Above(least float64, f func(z float64) float64) (sum float64) {
	from := math.Atan(least / root3)
	step := (math.Pi/2 - from) / steps
	for i := range steps {
		theta := from + (float64(i)+0.5)*step
		c := math.Cos(theta)
		sum += 2 / math.Pi * step * c * c * f(root3*math.Tan(theta))
	}
	return sum
}
