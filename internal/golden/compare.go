package golden

import "math"

// Near reports whether got agrees with want to the relative tolerance, or, where
// values are tiny, to 1e-9 of scale.
func Near(got, want, relative, scale float64) bool {
	diff := math.Abs(got - want)
	return diff <= relative*math.Abs(want) || diff <= 1e-9*scale
}

// NearVector is Near for gradients: a component may be off by the relative tolerance of
// the whole vector's length, as a gradient is a direction before it is numbers.
func NearVector(got, want []float64, relative, scale float64) bool {
	length := 0.0
	for _, v := range want {
		length = math.Hypot(length, v)
	}
	for i := range want {
		if diff := math.Abs(got[i] - want[i]); !(diff <= relative*length || diff <= 1e-9*scale) {
			return false
		}
	}
	return len(got) == len(want)
}
