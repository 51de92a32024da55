package normal

import (
	"math"
	"math/big"
	"sync"
	"testing"
)

// This is the twin of this package in 320-bit arithmetic. It uses other formulas than the package:
// power series near zero, and Laplace's continued fraction further out.
const (
	referenceBits = 320
	// seriesEnds is the x up to which the power series is used. Its
	// cancellation, about exp(x²/2)·x², costs 16 bits there.
	seriesEnds = 4
	// fractionTerms suffices for 1e-60 at x = 4, where the truncated fraction
	// errs like exp(−2x√(2n)).
	fractionTerms = 400
)

func bigNum(v float64) *big.Float { return newBig().SetFloat64(v) }
func newBig() *big.Float          { return new(big.Float).SetPrec(referenceBits) }

func add(a, b *big.Float) *big.Float { return newBig().Add(a, b) }
func sub(a, b *big.Float) *big.Float { return newBig().Sub(a, b) }
func mul(a, b *big.Float) *big.Float { return newBig().Mul(a, b) }
func quo(a, b *big.Float) *big.Float { return newBig().Quo(a, b) }

func negligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || sum.Sign() != 0 && term.MantExp(nil) < sum.MantExp(nil)-referenceBits
}

// bigExp sums the Taylor series of exp(v/2ᵏ) with |v/2ᵏ| < 2⁻⁸ and squares k times.
func bigExp(v *big.Float) *big.Float {
	halvings := max(0, v.MantExp(nil)+8)
	reduced := newBig().SetMantExp(v, -halvings)
	sum, term := bigNum(1), bigNum(1)
	for k := 1; !negligible(term, sum); k++ {
		term = quo(mul(term, reduced), bigNum(float64(k)))
		sum = add(sum, term)
	}
	for range halvings {
		sum = mul(sum, sum)
	}
	return sum
}

// bigAtanh sums z + z³/3 + z⁵/5 + …
func bigAtanh(z *big.Float) *big.Float {
	sum, power, square := newBig(), z, mul(z, z)
	for k := 1; !negligible(power, sum); k += 2 {
		sum = add(sum, quo(power, bigNum(float64(k))))
		power = mul(power, square)
	}
	return sum
}

// bigLog is ln(m·2ᵉ) = 2 atanh((m−1)/(m+1)) + 2e·atanh(1/3).
func bigLog(v *big.Float) *big.Float {
	mantissa := newBig()
	exponent := v.MantExp(mantissa)
	one, two := bigNum(1), bigNum(2)
	logMantissa := mul(two, bigAtanh(quo(sub(mantissa, one), add(mantissa, one))))
	logTwo := mul(two, bigAtanh(quo(one, bigNum(3))))
	return add(logMantissa, mul(logTwo, bigNum(float64(exponent))))
}

// logOneMinus is ln(1 − q) = −2 atanh(q/(2−q)), exact in relative terms for tiny q.
func logOneMinus(q *big.Float) *big.Float {
	return mul(bigNum(-2), bigAtanh(quo(q, sub(bigNum(2), q))))
}

// bigPi is Machin's 16 arctan(1/5) − 4 arctan(1/239).
var bigPi = func() *big.Float {
	arctanInverse := func(n float64) *big.Float {
		sum, power, square := newBig(), quo(bigNum(1), bigNum(n)), bigNum(-n*n)
		for k := 1; !negligible(power, sum); k += 2 {
			sum = add(sum, quo(power, bigNum(float64(k))))
			power = quo(power, square)
		}
		return sum
	}
	return sub(mul(bigNum(16), arctanInverse(5)), mul(bigNum(4), arctanInverse(239)))
}()

var bigSqrt2Pi = newBig().Sqrt(mul(bigNum(2), bigPi))

// millsSeries is Φ(−x)/φ(x) = √(π/2) exp(x²/2) − Σ x²ᵏ⁺¹/(2k+1)!!
// (Abramowitz and Stegun 26.2.11).
func millsSeries(x *big.Float) *big.Float {
	square := mul(x, x)
	sum, term := newBig(), x
	for k := 1; !negligible(term, sum); k += 2 {
		sum = add(sum, term)
		term = quo(mul(term, square), bigNum(float64(k+2)))
	}
	grown := bigExp(quo(square, bigNum(2)))
	return sub(mul(quo(bigSqrt2Pi, bigNum(2)), grown), sum)
}

// ratioFraction is D(x) = x + 2/(x + 3/(x + …)).
func ratioFraction(x *big.Float) *big.Float {
	value := x
	for k := fractionTerms; k >= 2; k-- {
		value = add(x, quo(bigNum(float64(k)), value))
	}
	return value
}

// ratioFromMills is D = R/(1 − xR) with R the Mills ratio.
func ratioFromMills(x, mills *big.Float) *big.Float {
	return quo(mills, sub(bigNum(1), mul(x, mills)))
}

func bigRatio(x float64) *big.Float {
	if x >= seriesEnds {
		return ratioFraction(bigNum(x))
	}
	return ratioFromMills(bigNum(x), millsSeries(bigNum(x)))
}

func bigDensity(t float64) *big.Float {
	if math.Abs(t) > 1e4 { // far below the least float64, and soon below big.Float's
		return newBig()
	}
	square := mul(bigNum(t), bigNum(t))
	return quo(bigExp(quo(square, bigNum(-2))), bigSqrt2Pi)
}

// reference holds every function of the package at one t.
type reference struct {
	pdf, cdf, h      *big.Float
	logCDF, slopeCDF *big.Float
	logH, slopeH     *big.Float
}

// overGrid holds the reference at every point of the grid.
var overGrid = sync.OnceValue(func() map[float64]reference {
	all := make(map[float64]reference)
	for _, t := range gridToTails() {
		all[t] = referenceAt(t)
	}
	return all
})

func referenceAt(t float64) reference {
	x := bigNum(math.Abs(t))
	one := bigNum(1)
	ratio := bigRatio(math.Abs(t))
	hazard := add(x, quo(one, ratio)) // φ/Φ at −x
	growth := add(one, mul(x, ratio)) // φ/h at −x
	pdf := bigDensity(t)
	tail, lower := quo(pdf, hazard), quo(pdf, growth)
	if t <= 0 {
		logPDF := sub(quo(mul(x, x), bigNum(-2)), bigLog(bigSqrt2Pi))
		return reference{
			pdf: pdf, cdf: tail, h: lower,
			logCDF: sub(logPDF, bigLog(hazard)), slopeCDF: hazard,
			logH: sub(logPDF, bigLog(growth)), slopeH: ratio,
		}
	}
	cdf, h := sub(one, tail), add(x, lower)
	return reference{
		pdf: pdf, cdf: cdf, h: h,
		logCDF: logOneMinus(tail), slopeCDF: quo(pdf, cdf),
		logH: bigLog(h), slopeH: quo(cdf, h),
	}
}

// relativeError is |got − want| over |want|, where |want| counts as at least floor. Below the floor
// it is therefore an absolute error.
func relativeError(got float64, want *big.Float, floor float64) float64 {
	if math.IsNaN(got) || math.IsInf(got, 0) {
		return math.Inf(1)
	}
	difference, _ := sub(bigNum(got), want).Float64()
	size, _ := want.Float64()
	return math.Abs(difference) / max(math.Abs(size), floor)
}

// gridToTails is dense in [−12, 12], then geometric out to ±1e8, and crowds the
// sign change at 0.
func gridToTails() []float64 {
	grid := []float64{0}
	put := func(x float64) { grid = append(grid, x, -x) }
	for x := 1.0 / 64; x < 12; x += 1.0/32 + 1e-4 {
		put(x)
	}
	for x := 12.0; x < 45; x *= 1.013 {
		put(x)
	}
	for x := 45.0; x <= 1e8; x *= 1.31 {
		put(x)
	}
	put(1e8)
	for x := 1e-300; x < 0.01; x *= 1e12 {
		put(x)
	}
	for x := 1e-15; x < 0.01; x *= 7 {
		put(x)
	}
	return grid
}

func TestReferenceFormulasAgree(t *testing.T) {
	for _, x := range []float64{3.5, 4, 4.5, 6} {
		fraction := ratioFraction(bigNum(x))
		series := ratioFromMills(bigNum(x), millsSeries(bigNum(x)))
		gap, _ := quo(sub(fraction, series), series).Float64()
		if math.Abs(gap) > 1e-45 {
			t.Errorf("x = %v: continued fraction and series differ by %.3g", x, gap)
		}
	}
}
