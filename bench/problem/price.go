package problem

import (
	"math"

	"github.com/eke-bo/eke/internal/sobol"
)

// pricing draws how the logarithm of a cost varies over the unit cube. Quality says how good a point is, from about −2 to 2; larger
// is better. A constant added to all logarithms does not matter, since the costs are scaled to a mean of 1.
type pricing func(d *dice, dim int, quality func(u []float64) float64) func(u []float64) float64

// smooth prices do not depend on the values. They are a smooth function, whose most expensive tenth costs about seven times as
// much as the cheapest.
func smooth(d *dice, dim int, _ func([]float64) float64) func([]float64) float64 {
	g := standardised(drawSample(d, squaredExponential, lengthsAround(d, dim, 0.5*math.Sqrt(float64(dim)))).at, dim, d.seed)
	return func(u []float64) float64 { return 0.8 * g(u) }
}

// expensive prices rise with the quality, but a part of them is independent of it.
func expensive(d *dice, dim int, quality func([]float64) float64) func([]float64) float64 {
	return correlated(d, dim, quality, 1)
}

// cheap prices fall with the quality.
func cheap(d *dice, dim int, quality func([]float64) float64) func([]float64) float64 {
	return correlated(d, dim, quality, -1)
}

// correlated prices have a correlation of about ±0.8 with the quality.
func correlated(d *dice, dim int, quality func([]float64) float64, sign float64) func([]float64) float64 {
	own := smooth(d, dim, nil)
	return func(u []float64) float64 { return sign*0.8*quality(u) + 0.75*own(u) }
}

// decades prices span three decades, whatever the values are.
func decades(d *dice, dim int, _ func([]float64) float64) func([]float64) float64 {
	g := drawSample(d, squaredExponential, lengthsAround(d, dim, 0.5*math.Sqrt(float64(dim)))).at
	low, high := math.Inf(1), math.Inf(-1)
	for _, u := range sobol.Points(survey, dim, d.seed) {
		low, high = math.Min(low, g(u)), math.Max(high, g(u))
	}
	return func(u []float64) float64 { return math.Log(1000) * (g(u) - low) / (high - low) }
}

// ramp prices rise along one parameter, such as epochs or sizes. They are five to fifty times as high at one end as at the other.
// The parameter and the end are drawn.
func ramp(d *dice, dim int, _ func([]float64) float64) func([]float64) float64 {
	along, factor, up := d.IntN(dim), d.ratio(5, 50), d.IntN(2) == 0
	return func(u []float64) float64 {
		v := u[along]
		if !up {
			v = 1 - v
		}
		return math.Log(1 + (factor-1)*v)
	}
}

// standardised shifts and scales a function on the cube to mean 0 and standard deviation 1.
func standardised(f func([]float64) float64, dim int, seed uint64) func([]float64) float64 {
	mean, square := 0.0, 0.0
	for _, u := range sobol.Points(survey, dim, seed) {
		v := f(u)
		mean += v / survey
		square += v * v / survey
	}
	sd := math.Sqrt(math.Max(square-mean*mean, 1e-12))
	return func(u []float64) float64 { return (f(u) - mean) / sd }
}
