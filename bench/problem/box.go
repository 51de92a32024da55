package problem

import "fmt"

// interval is the range of one parameter in the problem's own units.
type interval struct{ low, high float64 }

// at returns the parameter at u in [0,1].
func (i interval) at(u float64) float64 { return i.low + u*(i.high-i.low) }

// unit returns the place in [0,1] of a parameter.
func (i interval) unit(v float64) float64 { return (v - i.low) / (i.high - i.low) }

// box is the range of all parameters.
type box []interval

// cube is the box with the same range in each of dim parameters.
func cube(dim int, low, high float64) box {
	b := make(box, dim)
	for i := range b {
		b[i] = interval{low, high}
	}
	return b
}

// at returns the point of the box at a point of the unit cube.
func (b box) at(unit []float64) []float64 {
	b.check(unit)
	x := make([]float64, len(b))
	for i, u := range unit {
		x[i] = b[i].at(u)
	}
	return x
}

// check panics unless the point has as many coordinates as the box.
func (b box) check(unit []float64) {
	if len(unit) != len(b) {
		panic(fmt.Sprintf("problem: %d coordinates for %d parameters", len(unit), len(b)))
	}
}

// unit returns the point of the unit cube that at takes to x.
func (b box) unit(x []float64) []float64 {
	u := make([]float64, len(b))
	for i, v := range x {
		u[i] = b[i].unit(v)
	}
	return u
}
