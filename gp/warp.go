package gp

import (
	"math"
	"slices"
)

// Warp is an increasing transformation of values, after which they look more like draws from a normal distribution. A
// Gaussian process assumes that they are such draws. If there are a few high peaks over a wide plain, it sees only the
// plain, and it wastes its flexibility on a deep hole.
//
// It is the power transformation of Yeo and Johnson (Biometrika 87, 2000) of the standardised values, with the power
// that makes them most likely under a normal distribution. The zero value changes nothing.
type Warp struct {
	// Standard standardises the values before the transformation.
	Standard Standard `json:"standard"`

	// Power is Yeo and Johnson's λ. 1 changes nothing.
	Power float64 `json:"power"`

	// On says that values are transformed at all.
	On bool `json:"on"`

	// Low is the standardised value below which the transformation goes on as a straight line. If Low and High are zero, it
	// never does.
	Low float64 `json:"low,omitempty"`

	// High is the standardised value above which it does.
	High float64 `json:"high,omitempty"`
}

// The powers tried, and the least number of values that a power can be fitted to.
const (
	lowestPower, highestPower, powerStep = -2.0, 4.0, 0.1
	leastToWarp                          = 4
)

// FitWarp returns the transformation for some values. It changes nothing if there are too few.
func FitWarp(y []float64) Warp {
	w := Warp{Standard: Standardise(y), Power: 1, On: len(y) >= leastToWarp}
	if !w.On {
		return Warp{}
	}
	best, chosen := w.logLikelihood(y), w.Power
	if math.IsInf(best, 0) || math.IsNaN(best) {
		return Warp{} // all are equal
	}
	for i := range int(math.Round((highestPower-lowestPower)/powerStep)) + 1 {
		w.Power = lowestPower + powerStep*float64(i)
		if l := w.logLikelihood(y); l > best {
			best, chosen = l, w.Power
		}
	}
	w.Power = chosen
	return w
}

// logScales are the s that Logarithm tries, in units of the median distance from the best: a single value that is far worse than all others must not decide.
var logScales = [...]float64{1, 0.3, 0.1, 0.03}

// Logarithm returns the transformation −ln(1 + (best − y)/s), for values of which many are close to the best and others are far worse. The scale of w comes
// from the worst values, and does not tell the good values apart. It is Yeo and Johnson's with power 2, of values that are standardised by the best and s. The s is one of logScales,
// chosen as a power is. The result changes nothing if w makes the values likelier.
func (w Warp) Logarithm(y []float64) (found Warp) {
	if !w.On {
		return Warp{}
	}
	sorted := slices.Sorted(slices.Values(y))
	best, top := w.logLikelihood(y), sorted[len(y)-1]
	for _, scale := range logScales {
		l := Warp{Standard: Standard{Shift: top, Scale: scale * (top - sorted[len(y)/2])}, Power: 2, On: true}
		if likely := l.logLikelihood(y); likely > best {
			best, found = likely, l
		}
	}
	return found
}

// LogSlope returns the sum of the logarithms of the transformation's slopes at some values. The log density of the values
// exceeds that of the transformed values by this sum.
func (w Warp) LogSlope(y []float64) (sum float64) {
	if !w.On {
		return 0
	}
	for _, v := range y {
		z := w.end(w.Standard.To(v))
		sum += (w.Power-1)*math.Copysign(math.Log1p(math.Abs(z)), z) - math.Log(w.Standard.Scale)
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

// Straight returns the transformation with a straight line beyond the range of some values. A power that draws in a long
// tail has a bounded range: a number a little above it would stand for an infinite value.
func (w Warp) Straight(y []float64) Warp {
	if w.On && len(y) > 0 {
		w.Low, w.High = math.Min(w.Standard.To(slices.Min(y)), 0), math.Max(w.Standard.To(slices.Max(y)), 0)
	}
	return w
}

// To transforms a value.
func (w Warp) To(y float64) float64 {
	if !w.On {
		return y
	}
	z := w.Standard.To(y)
	if end := w.end(z); z != end {
		return w.bend(end) + (z-end)*w.slope(end)
	}
	return w.bend(z)
}

// end returns the nearest number to z between the ends.
func (w Warp) end(z float64) float64 {
	if w.Low == 0 && w.High == 0 {
		return z
	}
	return math.Min(math.Max(z, w.Low), w.High)
}

// bend is Yeo and Johnson's transformation, and slope its derivative.
func (w Warp) bend(z float64) float64 {
	if z < 0 {
		return -boxCox(-z, 2-w.Power)
	}
	return boxCox(z, w.Power)
}

func (w Warp) slope(z float64) float64 {
	return math.Exp((w.Power - 1) * math.Copysign(math.Log1p(math.Abs(z)), z))
}

// From transforms a value back. It returns infinity for a number that no value is transformed to.
func (w Warp) From(t float64) float64 {
	if !w.On {
		return t
	}
	if w.Low != 0 || w.High != 0 {
		if end := math.Min(math.Max(t, w.bend(w.Low)), w.bend(w.High)); t != end {
			z := w.Low
			if t > end {
				z = w.High
			}
			return w.Standard.From(z + (t-end)/w.slope(z))
		}
	}
	if t < 0 {
		return w.Standard.From(-boxCoxInverse(-t, 2-w.Power))
	}
	return w.Standard.From(boxCoxInverse(t, w.Power))
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
