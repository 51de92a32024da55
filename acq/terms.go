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

// LogPerCost returns ln E[c^−ν] of a log-normal cost, MATH.md (6), and its partial
// derivatives: −νμ + ν²σ²/2.
func LogPerCost(mean, sd, nu float64) (v, dMean, dSD float64) {
	return -nu*mean + nu*nu*sd*sd/2, -nu, nu * nu * sd
}
