package acq

import (
	"math"

	"github.com/eke-bo/eke/internal/normal"
)

// LogEI returns ln EI of a normal variable over best, MATH.md (5), and its
// partial derivatives: EI = σ·h(t), t = (μ − best)/σ.
func LogEI(mean, sd, best float64) (v, dMean, dSD float64) {
	t := (mean - best) / sd
	logH, slope := normal.LogH(t)
	return math.Log(sd) + logH, slope / sd, (1 - t*slope) / sd
}

// LogFits returns ln P(c ≤ e^lnMoney) of a log-normal cost, MATH.md (7), and its
// partial derivatives: ln Φ(ζ), ζ = (lnMoney − μ)/σ.
func LogFits(mean, sd, lnMoney float64) (v, dMean, dSD, dLnMoney float64) {
	zeta := (lnMoney - mean) / sd
	v, slope := normal.LogCDF(zeta)
	if slope == 0 { // more money than any cost: with ζ = ∞ the products below would be 0·∞
		return v, 0, 0, 0
	}
	return v, -slope / sd, -slope * zeta / sd, slope / sd
}

// LogTold returns ln(1 − τ/√(σ² + τ²)), the logarithm of the fraction of an improvement that a noisy evaluation can tell (Huang, Allen,
// Notz, Zeng 2006), and its derivative with respect to σ. It is small where σ is small against the noise: another evaluation would say
// little there.
func LogTold(sd, noise float64) (v, dSD float64) {
	r := sd / noise
	q := math.Sqrt(1 + r*r)
	// 1 − 1/q = r²/(q(q+1))
	v = 2*math.Log(r) - math.Log(q) - math.Log1p(q)
	return v, (2/r - r/(q*q) - r/(q*(1+q))) / noise
}

// maxLnCostVar caps the variance of a log-cost in an expected cost. With almost no data it is the prior's variance, and the
// mean of such a wide log-normal says nothing.
const maxLnCostVar = 1

// LogExpectedCost returns ln E[c] of a log-normal cost, and its partial derivatives: μ + σ²/2, with the variance capped at 1.
func LogExpectedCost(mean, sd float64) (v, dMean, dSD float64) {
	if sd*sd >= maxLnCostVar {
		return mean + maxLnCostVar/2.0, 1, 0
	}
	return mean + sd*sd/2, 1, sd
}

// LogPrice returns the logarithm of the expected price of an evaluation, P·c + (1−P)·c_fail, MATH.md (46), and its partial derivatives. It has a value with the
// chance P = e^lnChance and then costs c = e^lnCost.
func (s *Fails) LogPrice(lnChance, lnCost float64) (v, dLnChance, dLnCost float64) {
	lnFail := s.Shift + s.Slope*lnCost
	value, fail := lnChance+lnCost, math.Log(-math.Expm1(lnChance))+lnFail
	highest := math.Max(value, fail)
	v = highest + math.Log(math.Exp(value-highest)+math.Exp(fail-highest))
	value, fail = math.Exp(value-v), math.Exp(fail-v)
	// ∂(1−P)/∂ln P = −P
	return v, value - math.Exp(lnChance+lnFail-v), value + s.Slope*fail
}

// LogPriceWith is LogPrice where getting ready costs an amount, whether or not the evaluation has a value. e^lnCost includes the amount.
// dSetup is the partial derivative with respect to the amount.
func (s *Fails) LogPriceWith(setup, lnChance, lnCost float64) (v, dLnChance, dLnCost, dSetup float64) {
	if setup == 0 {
		v, dLnChance, dLnCost = s.LogPrice(lnChance, lnCost)
		return v, dLnChance, dLnCost, 0
	}
	whole := math.Exp(lnCost)
	own := math.Max(whole-setup, leastOwn*whole)
	price, dChance, dOwn := s.LogPrice(lnChance, math.Log(own))
	paid := math.Exp(price) + setup
	part := math.Exp(price) / paid
	return math.Log(paid), part * dChance, part * dOwn * whole / own, (1 - math.Exp(price)*dOwn/own) / paid
}

// leastOwn is the least fraction of a price that is an evaluation's own. Rounding must not make it negative.
const leastOwn = 1e-9

// AddSetup returns the mean and the standard deviation of ln(c + s), MATH.md (71), to first order in both deviations. ln c has the given mean
// and standard deviation, and getting ready costs s.
func AddSetup(mean, sd, setup, setupSD float64) (float64, float64) {
	if setup == 0 && setupSD == 0 {
		return mean, sd
	}
	whole := math.Exp(mean) + setup
	return math.Log(whole), math.Hypot(math.Exp(mean)/whole*sd, setupSD/whole)
}

// GittinsIndex returns the index g of a box that holds a normal value and can be opened for the price e^lnPrice, MATH.md
// (16), and its partial derivatives. At an incumbent of g, opening it is just worth its price: E[max(Y − g, 0)] = e^lnPrice.
// Hence g = μ − σt with ln h(t) = lnPrice − ln σ (Weitzman 1979; Xie et al. 2024).
func GittinsIndex(mean, sd, lnPrice float64) (g, dMean, dSD, dLnPrice float64) {
	t := normal.InverseLogH(lnPrice - math.Log(sd))
	_, slope := normal.LogH(t)
	_, ratio := normal.LogCDF(t) // φ/Φ
	return mean - sd*t, 1, ratio, -sd / slope
}

// LogPerCost returns ln E[c^−ν] of a log-normal cost, MATH.md (6), and its partial
// derivatives: −νμ + ν²σ²/2.
func LogPerCost(mean, sd, nu float64) (v, dMean, dSD float64) {
	return -nu*mean + nu*nu*sd*sd/2, -nu, nu * nu * sd
}
