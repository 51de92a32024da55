package front

import (
	"math"

	"github.com/eke-bo/eke/internal/normal"
)

// Gainer computes the expected gain in hypervolume. It has scratch memory for one goroutine.
type Gainer struct {
	boxes []Box
	whole []bool      // by objective, whether it takes whole numbers only; nil: none does
	logs  []float64   // by box
	parts [][]partial // by box and objective
}

// partial is the part of one objective in a box's gain, as a logarithm, with its derivatives.
type partial struct{ v, dMean, dSD float64 }

// NewGainer returns the expected gain beyond a front with these boxes, of objectives that take whole numbers only where whole says so; nil: none does.
func NewGainer(boxes []Box, whole []bool) *Gainer {
	g := &Gainer{boxes: boxes, whole: whole, logs: make([]float64, len(boxes)), parts: make([][]partial, len(boxes))}
	for i, b := range boxes {
		g.parts[i] = make([]partial, len(b.Low))
	}
	return g
}

// Log returns the logarithm of the expected gain in hypervolume by a point whose objectives are independent and normal, and sets its
// derivatives with respect to their means and standard deviations. A box gains the product of what its objectives
// gain between its ends, MATH.md (61), and boxes are disjoint, so the expected gain is a sum of products. Far below the front, where it
// underflows, the logarithm does not.
func (g *Gainer) Log(mean, sd, dMean, dSD []float64) float64 {
	highest := math.Inf(-1)
	for i, b := range g.boxes {
		sum := 0.0
		for j, m := range mean {
			of := between
			if len(g.whole) > j && g.whole[j] {
				of = counted
			}
			p := of(m, sd[j], b.Low[j], b.High[j])
			g.parts[i][j], sum = p, sum+p.v
		}
		g.logs[i], highest = sum, math.Max(highest, sum)
	}
	for j := range mean {
		dMean[j], dSD[j] = 0, 0
	}
	if math.IsInf(highest, -1) {
		return highest
	}
	total := 0.0
	for _, v := range g.logs {
		total += math.Exp(v - highest)
	}
	for i, v := range g.logs {
		weight := math.Exp(v-highest) / total
		if weight == 0 {
			continue
		}
		for j, p := range g.parts[i] {
			dMean[j] += weight * p.dMean
			dSD[j] += weight * p.dSD
		}
	}
	return highest + math.Log(total)
}

// narrow is the width of a box, in the lengths over which the chance to be above it varies, below which the difference of two gains
// would cancel. The rule of Gauss and Legendre with three points is then exact to rounding.
const narrow = 0.05

// The nodes and weights of that rule on [−1, 1], the weights of a mean.
var nodes, weights = [3]float64{-0.7745966692414834, 0, 0.7745966692414834}, [3]float64{5.0 / 18, 8.0 / 18, 5.0 / 18}

// between returns the logarithm of E[(min(Y, high) − low)⁺] of a normal variable, MATH.md (61), and its derivatives. It is the difference
// of two expected improvements, and the integral of P(Y > a) over a from low to high.
func between(mean, sd, low, high float64) partial {
	tLow := (mean - low) / sd
	lnLow, slopeLow := normal.LogH(tLow)
	switch width := high - low; {
	case math.IsInf(lnLow, -1):
		return partial{v: lnLow}
	case math.IsInf(high, 1):
		return partial{math.Log(sd) + lnLow, slopeLow / sd, (1 - tLow*slopeLow) / sd}
	case width <= narrow*sd/math.Max(1, (high-mean)/sd):
		return thin(mean, sd, low, high)
	}
	tHigh := (mean - high) / sd
	lnHigh, slopeHigh := normal.LogH(tHigh)
	ratio := math.Exp(lnHigh - lnLow)
	p := partial{v: math.Log(sd) + lnLow + math.Log1p(-ratio), dMean: slopeLow / sd, dSD: (1 - tLow*slopeLow) / sd}
	if part := ratio / (1 - ratio); part > 0 {
		p.dMean += part * (slopeLow - slopeHigh) / sd
		p.dSD += part * (tHigh*slopeHigh - tLow*slopeLow) / sd
	}
	return p
}

// counted is between for a variable that is rounded to whole numbers, MATH.md (63). To gain anything it must reach the first whole number above low. What it gains beyond
// that is a sum over whole numbers, of which the integral is the midpoint rule.
func counted(mean, sd, low, high float64) partial {
	first := math.Floor(low) + 1
	if first > high {
		return partial{v: math.Inf(-1)}
	}
	t := (mean - (first - 0.5)) / sd
	v, slope := normal.LogCDF(t)
	p := partial{v + math.Log(first-low), slope / sd, -slope * t / sd}
	if high = math.Floor(high); !(high > first) {
		return p
	}
	more := between(mean, sd, first, high)
	highest := math.Max(p.v, more.v)
	if math.IsInf(highest, -1) {
		return p
	}
	a, b := math.Exp(p.v-highest), math.Exp(more.v-highest)
	return partial{highest + math.Log(a+b), (a*p.dMean + b*more.dMean) / (a + b), (a*p.dSD + b*more.dSD) / (a + b)}
}

// thin is between for a box that is narrow.
func thin(mean, sd, low, high float64) (p partial) {
	var logs, slopes, ts [3]float64
	highest, total := math.Inf(-1), 0.0
	for k, x := range nodes {
		ts[k] = (mean - (low + (high-low)*(1+x)/2)) / sd
		logs[k], slopes[k] = normal.LogCDF(ts[k])
		highest = math.Max(highest, logs[k])
	}
	for k, v := range logs {
		logs[k] = weights[k] * math.Exp(v-highest)
		total += logs[k]
	}
	for k, v := range logs {
		p.dMean += v / total * slopes[k] / sd
		p.dSD -= v / total * slopes[k] * ts[k] / sd
	}
	p.v = math.Log(high-low) + highest + math.Log(total)
	return p
}
