package acq

import (
	"math"

	"github.com/eke-bo/eke/internal/normal"
)

// Values that are known to be at most b, such as an accuracy of 1, improve by no more than b − best. A model knows nothing of the bound: what it sees beyond
// counts as b, MATH.md (74).

// closed is the difference of ln h(t) from best to bound above which an improvement is a difference of two. Below it, too many digits would cancel.
const closed = 0.5

// legendre has nodes and weights on (0, 1) of the quadrature by Gauss and Legendre.
var legendre = [][2]float64{
	{0.019855071751231856, 0.05061426814518813}, {0.10166676129318664, 0.11119051722668724}, {0.2372337950418355, 0.15685332293894363}, {0.40828267875217511, 0.18134189168918102},
	{0.59171732124782483, 0.18134189168918102}, {0.7627662049581645, 0.15685332293894363}, {0.8983332387068134, 0.11119051722668724}, {0.98014492824876814, 0.05061426814518813},
}

// LogEIUpTo returns ln E[max(min(Y, most) − best, 0)] of a normal variable Y, MATH.md (74), and its partial derivatives:
// EI = ∫ Φ((μ − y)/σ) dy from best to most = σ·(h(t) − h(s)), s = (μ − most)/σ. Nothing is better than the bound: at a best of that, it is −∞. A bound of nil
// is none.
func LogEIUpTo(mean, sd, best float64, most *float64) (v, dMean, dSD, dBest float64) {
	if most == nil {
		v, dMean, dSD = LogEI(mean, sd, best)
		return v, dMean, dSD, -dMean
	}
	t, s, room := (mean-best)/sd, (mean-*most)/sd, (*most-best)/sd
	if !(room > 0) {
		return math.Inf(-1), 0, 0, 0
	}
	logT, _ := normal.LogH(t)
	logS, _ := normal.LogH(s)
	lnT, ratioT := normal.LogCDF(t) // ratio: φ/Φ
	if far := logT - logS; far > closed {
		v = logT + math.Log1p(-math.Exp(-far))
		lnS, ratioS := normal.LogCDF(s)
		beyond := math.Exp(lnS - lnT)
		dMean, dSD = 1-beyond, ratioT-ratioS*beyond
	} else {
		sum := 0.0
		for _, node := range legendre {
			at := t - room*node[0]
			ln, ratio := normal.LogCDF(at)
			weight := node[1] * math.Exp(ln-lnT)
			sum += weight
			dMean, dSD = dMean+weight*ratio, dSD-weight*ratio*at
		}
		v = lnT + math.Log(room) + math.Log(sum)
		dMean, dSD = dMean*room, dSD*room
	}
	scale := math.Exp(lnT-v) / sd
	return v + math.Log(sd), dMean * scale, dSD * scale, -scale
}

// nearMost is the price, as a fraction of σ·h(s), below which an index is next to the bound. There, digits would cancel.
const nearMost = 1e-6

// GittinsIndexUpTo is GittinsIndex where the value is at most so high: E[max(min(Y, most) − g, 0)] = e^lnPrice. Hence h(t) = e^lnPrice/σ + h(s), s = (μ − most)/σ.
func GittinsIndexUpTo(mean, sd, most, lnPrice float64) (g, dMean, dSD, dLnPrice float64) {
	s, lnPaid := (mean-most)/sd, lnPrice-math.Log(sd)
	logS, _ := normal.LogH(s)
	lnS, ratioS := normal.LogCDF(s)
	var t float64
	if lnPaid-logS < math.Log(nearMost) {
		step := math.Exp(lnPaid - lnS) // the first term of t − s in powers of the price
		t = s + step*(1-step*ratioS/2)
		g = most - sd*(step*(1-step*ratioS/2))
	} else {
		high, low := math.Max(lnPaid, logS), math.Min(lnPaid, logS)
		t = normal.InverseLogH(high + math.Log1p(math.Exp(low-high)))
		g = mean - sd*t
	}
	lnT, ratioT := normal.LogCDF(t)
	beyond := math.Exp(lnS - lnT)
	return math.Min(g, most), 1 - beyond, ratioT - ratioS*beyond, -math.Exp(lnPrice - lnT)
}

// index returns the Gittins index of a value that is counted from the best one, in units of scale, and its partial derivatives.
func (b *Belief) index(mean, sd, lnPrice, scale float64) (g, dMean, dSD, dLnPrice float64) {
	if b.Most != nil {
		return GittinsIndexUpTo(mean, sd, (*b.Most-b.Best)/scale, lnPrice)
	}
	return GittinsIndex(mean, sd, lnPrice)
}
