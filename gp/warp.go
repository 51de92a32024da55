package gp

import "math"

// Warp is an increasing transformation of values, after which they look more like draws from a normal distribution. A
// Gaussian process assumes that they are such draws. If there are a few high peaks over a wide plain, it sees only the
// plain, and it wastes its flexibility on a deep hole.
//
// It is the power transformation of Yeo and Johnson (Biometrika 87, 2000) of the standardised values, with the power
// that makes them most likely under a normal distribution. The zero value changes nothing.
type Warp struct {
	standard Standard
	power    float64
	warps    bool
}

// The powers tried, and the least number of values that a power can be fitted to.
const (
	lowestPower, highestPower, powerStep = -2.0, 4.0, 0.1
	leastToWarp                          = 4
)

// FitWarp returns the transformation for some values. It changes nothing if there are too few.
func FitWarp(y []float64) Warp {
	w := Warp{standard: Standardise(y), power: 1, warps: len(y) >= leastToWarp}
	if !w.warps {
		return Warp{}
	}
	best, chosen := w.logLikelihood(y), w.power
	if math.IsInf(best, 0) || math.IsNaN(best) {
		return Warp{} // all are equal
	}
	for i := range int(math.Round((highestPower-lowestPower)/powerStep)) + 1 {
		w.power = lowestPower + powerStep*float64(i)
		if l := w.logLikelihood(y); l > best {
			best, chosen = l, w.power
		}
	}
	w.power = chosen
	return w
}

// LogSlope returns the sum of the logarithms of the transformation's slopes at some values. The log density of the values
// exceeds that of the transformed values by this sum.
func (w Warp) LogSlope(y []float64) (sum float64) {
	if !w.warps {
		return 0
	}
	for _, v := range y {
		z := w.standard.To(v)
		sum += (w.power-1)*math.Copysign(math.Log1p(math.Abs(z)), z) - math.Log(w.standard.Scale)
	}
	return sum
}

// logLikelihood is the log likelihood, up to a constant, of values that are normal after the transformation,
// with the mean and variance that fit them best.
func (w Warp) logLikelihood(y []float64) float64 {
	n, mean := float64(len(y)), 0.0
	for _, v := range y {
		mean += w.To(v) / n
	}
	variance := 0.0
	for _, v := range y {
		d := w.To(v) - mean
		variance += d * d / n
	}
	return w.LogSlope(y) - n/2*math.Log(variance)
}

// To transforms a value.
func (w Warp) To(y float64) float64 {
	if !w.warps {
		return y
	}
	z, p := w.standard.To(y), w.power
	if z < 0 {
		return -boxCox(-z, 2-p)
	}
	return boxCox(z, p)
}

// From transforms a value back. It returns infinity for a number that no value is transformed to.
func (w Warp) From(t float64) float64 {
	if !w.warps {
		return t
	}
	if t < 0 {
		return w.standard.From(-boxCoxInverse(-t, 2-w.power))
	}
	return w.standard.From(boxCoxInverse(t, w.power))
}

// boxCox is ((z+1)^p − 1)/p for z ≥ 0, and its limit at p = 0.
func boxCox(z, p float64) float64 {
	if math.Abs(p) < 1e-9 {
		return math.Log1p(z)
	}
	return math.Expm1(p*math.Log1p(z)) / p
}

func boxCoxInverse(t, p float64) float64 {
	if math.Abs(p) < 1e-9 {
		return math.Expm1(t)
	}
	if p*t <= -1 { // out of reach of (z+1)^p if p is negative
		return math.Inf(1)
	}
	return math.Expm1(math.Log1p(p*t) / p)
}
