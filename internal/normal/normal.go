// Package normal has the standard normal distribution and the functions of expected improvement
// that are built on it. Each is stable over the whole real line, and so is its logarithm.
//
// With φ the density and Φ the distribution function, h(t) = φ(t) + tΦ(t) is
// the expected improvement of a standard normal: E[max(Z+t, 0)]. In the left
// tail the definition of h cancels, and φ, Φ and h all underflow near t = −38
// while their logarithms are ordinary numbers (Ament et al. 2023, "Unexpected
// Improvements to Expected Improvement for Bayesian Optimization").
//
// Everything here rests on one smooth positive function of x ≥ 0,
//
//	D(x) = Φ(−x) / h(−x),
//
// the derivative of ln h at −x. Since h = φ − xΦ at −x, it gives the following ratios without any
// subtraction,
//
//	φ/Φ = x + 1/D      h/φ = 1/(1 + xD)      Φ/φ = 1/(x + 1/D)
//
// so values and derivatives in the tail have full relative accuracy and share one evaluation of D.
package normal

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// PDF is the density φ(t) = exp(−t²/2)/√(2π).
//
// Rounding t² alone would cost up to ½t² units in the last place, so the
// rounding error of the square is recovered with a fused multiply-add
// (Dekker 1971) and applied to first order: exp(−(s+e)/2) ≈ exp(−s/2)(1 − e/2).
func PDF(t float64) float64 {
	if t > densityZero || t < -densityZero {
		return 0
	}
	square := t * t
	squareError := math.FMA(t, t, -square)
	return math.Exp(-0.5*square) * (invSqrt2Pi - 0.5*invSqrt2Pi*squareError)
}

const (
	invSqrt2Pi  = 0.398942280401432677939946059934381868 // 1/√(2π), OEIS A231863
	halfLog2Pi  = 0.918938533204672741780329736405617640 // ½ ln 2π, OEIS A075700
	densityZero = 39.0                                   // exp(−39²/2) < 2⁻¹⁰⁷⁵, the underflow threshold
)

// CDF is the distribution function Φ(t) = ½ erfc(−t/√2), accurate in relative
// terms until it underflows near t = −38.
func CDF(t float64) float64 {
	tail := PDF(t) * millsRatio(math.Abs(t))
	if t <= 0 {
		return tail
	}
	return 1 - tail
}

// LogCDF returns v = ln Φ(t) and its derivative d = φ(t)/Φ(t).
//
// For t ≤ 0 both follow from 1/D alone, with x = −t:
//
//	d = x + 1/D      v = −x²/2 − ½ ln 2π − ln d
//
// and for t > 0 from the small tail Φ(−t): v = log1p(−Φ(−t)).
func LogCDF(t float64) (v, d float64) {
	if t <= 0 {
		x := -t
		d = x + 1/tailRatio(x)
		return -0.5*x*x - halfLog2Pi - math.Log(d), d
	}
	density := PDF(t)
	tail := density * millsRatio(t)
	return math.Log1p(-tail), density / (1 - tail)
}

// LogH returns v = ln h(t) and its derivative d = Φ(t)/h(t).
//
// For t ≤ 0, with x = −t and D from [tailRatio],
//
//	d = D      v = −x²/2 − ½ ln 2π − ln(1 + xD),
//
// which is the log_h of Ament et al. (2023) with the cancelling
// log1mexp replaced by a sum of terms of one sign, and needs no exponential
// and no separate asymptotic branch. For t > 0, h(t) = t + h(−t).
func LogH(t float64) (v, d float64) {
	if t <= 0 {
		x := -t
		d = tailRatio(x)
		return -0.5*x*x - halfLog2Pi - math.Log(1+x*d), d
	}
	if t > improvementIsLinear {
		return math.Log(t), 1 / t
	}
	ratio := tailRatio(t)
	lower := PDF(t) / (1 + t*ratio) // h(−t), and Φ(−t) = D·h(−t)
	h := t + lower
	return math.Log(h), (1 - ratio*lower) / h
}

// improvementIsLinear is the t from which h(t) = t + h(−t) rounds to t and Φ(t)
// to 1: Φ(−9) ≈ 1.1e-19 and h(−9) ≈ 1.2e-20 are below 2⁻⁵⁴.
const improvementIsLinear = 9

// InverseLogH returns the t with ln h(t) = v. That is how far the mean must lie above a threshold, in standard
// deviations, for an expected improvement of eᵛ standard deviations over it.
//
// ln h increases and is concave, so Newton's method from the left of the root comes closer with every step and never
// passes it. A start on the left is known: for t ≥ 0, h(t) = t + h(−t) ≤ t + φ(0); for t ≤ 0, h(t) ≤ φ(t).
func InverseLogH(v float64) float64 {
	v = min(v, largestLog)
	t := math.Exp(v) - 1/math.Sqrt(2*math.Pi)
	if v < -halfLog2Pi {
		t = -math.Sqrt(-2 * (v + halfLog2Pi))
	}
	for range 60 {
		f, slope := LogH(t)
		next := t + (v-f)/slope
		if !(next > t) || next-t <= 1e-15*math.Abs(next) {
			break
		}
		t = next
	}
	return t
}

// largestLog keeps the exponential finite, with room for products.
const largestLog = 690

// Quantile is Φ⁻¹(p), by Wichura's algorithm AS 241 (1988): −Inf at p = 0,
// +Inf at p = 1 and NaN outside [0, 1].
func Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return mathext.NormalQuantile(p)
}

// millsRatio is Φ(−x)/φ(x) for x ≥ 0 (Mills 1926).
func millsRatio(x float64) float64 {
	return 1 / (x + 1/tailRatio(x))
}

// tailRatio is D(x) = Φ(−x)/h(−x) for x ≥ 0. Laplace's continued fraction of
// the Mills ratio, Φ(−x)/φ(x) = 1/(x + 1/(x + 2/(x + 3/(x + …))))
// (Abramowitz and Stegun 26.2.14), gives
//
//	D(x) = x + 2/(x + 3/(x + 4/(x + …))),
//
// and the fraction after the first x is replaced by P(x)/Q(x), which is good
// down to x = 0. Even and odd powers run as separate Horner chains so that the
// processor works on four of them at once.
func tailRatio(x float64) float64 {
	if x > ratioIsLinear {
		return x
	}
	s := x * x
	pEven := (((p8*s+p6)*s+p4)*s+p2)*s + p0
	pOdd := (((p9*s+p7)*s+p5)*s+p3)*s + p1
	qEven := ((((s+q8)*s+q6)*s+q4)*s+q2)*s + q0
	qOdd := (((q9*s+q7)*s+q5)*s+q3)*s + q1
	return x + (pEven+x*pOdd)/(qEven+x*qOdd)
}

// ratioIsLinear is the x beyond which D(x) = x + 2/x − … rounds to x; any bound
// above 2²⁷ would do, and this one keeps the powers of x in [tailRatio] finite.
const ratioIsLinear = 1e20

// Coefficients of P and Q in [tailRatio]: a weighted minimax fit of degree
// 9 over 10 for x in [0, ∞), made for this package in 90-digit arithmetic. The
// error of x + P/Q relative to D is at most 3.5e-17, and all coefficients are
// positive, so that rounding does not grow. TestTailRatio measures both against
// the continued fraction and the power series.
const (
	p0 = 5251147.74553924353633458
	p1 = 5789014.290138565926686321
	p2 = 3304732.396729139553828537
	p3 = 1238418.523288807905226298
	p4 = 330704.143043228245763707
	p5 = 64762.5266673324502116221
	p6 = 9276.351342206295270268056
	p7 = 938.74669882792175266971
	p8 = 61.31747215705997714001165
	p9 = 1.999999999985205032963113

	q0 = 4189809.712660536038224507
	q1 = 6053786.343696914109284482
	q2 = 4413321.126537165196920317
	q3 = 2096048.579563005924869018
	q4 = 710829.9739303032579802597
	q5 = 178898.6382169797329477608
	q6 = 33777.38498132643746672142
	q7 = 4730.151847590641650176696
	q8 = 472.3733498123889874663797
	q9 = 30.65873607579642652348958
)
