package lookahead

import (
	"math"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/chol"
)

// The walk out from the root.
//
// A node conditions the posterior of the data on the fantasies of its ancestors.
// Let C = TTᵀ be the posterior covariance of the ancestors, with noise on the diagonal. The
// fantasies are made one after the other by y = μ + √(σ²+τ²)ε, so together they are y = μ0 + Tε.
// With c the node's covariances with its ancestors and b = T⁻¹c it follows that (MATH.md (10))
//
//	μ = μ0 + b·ε,   σ² = σ0² − b·b.
//
// The fantasies themselves are not needed, and (b, √(σ²+τ²)) is the row of T that the node's own
// children need. Chains share their beginnings, so the tree costs one such row of at most N−1
// entries per node, and no factorisation.

// minVar is the least variance of a node, standardised. Rounding could carry it below.
const minVar = 1e-12

// eval runs the walk out, sums the nodes' terms and, if asked, walks back.
func (w *Walk) eval(grad, x []float64, log bool) float64 {
	w.forward(x, grad != nil)
	return w.sum(grad, log)
}

// sum is what eval does after the walk out.
func (w *Walk) sum(grad []float64, log bool) float64 {
	highest := math.Inf(-1)
	for j := range w.node {
		highest = max(highest, w.node[j].logTerm)
	}
	if math.IsInf(highest, -1) { // no money at the root
		clear(grad)
		if log {
			return highest
		}
		return 0
	}
	sum := 0.0
	for j := range w.node {
		sum += math.Exp(w.node[j].logTerm - highest)
	}
	logValue := highest + math.Log(sum)
	if grad != nil {
		clear(grad)
		// ∂result/∂logTerm is the node's share of the value: of the sum, or of one.
		if log {
			w.back(grad, logValue)
		} else {
			w.back(grad, 0)
		}
	}
	if log {
		return logValue
	}
	return math.Exp(logValue)
}

func (w *Walk) forward(x []float64, withGrad bool) {
	w.objective.batch.Forward(x, withGrad)
	w.cost.batch.Forward(x, withGrad)
	root := &w.node[0]
	root.best, root.money = w.belief.Best, w.belief.Remaining
	logWeight := 0.0
	for j := range w.node {
		n := &w.node[j]
		if j > 0 {
			w.inherit(n, w.shape.parent[j])
			if level := w.shape.level[j]; j == w.shape.first[level] {
				logWeight += math.Log(w.discount / float64(w.shape.fantasies[level-1]))
			}
		}
		if n.dead = !(n.money > 0); n.dead {
			n.logTerm = math.Inf(-1)
			continue
		}
		w.condition(&w.objective, j, (*node).valueSample)
		w.condition(&w.cost, j, (*node).costSample)
		w.term(j, logWeight)
	}
}

func (n *node) valueSample() float64 { return n.epsValue }
func (n *node) costSample() float64  { return n.epsLnCost }

// inherit gives a node the incumbent and the money that its parent's fantasy leaves.
func (w *Walk) inherit(n *node, parent int) {
	p := &w.node[parent]
	if p.dead {
		n.money = 0
		return
	}
	if n.best, n.ownShare = p.best, 0; !w.isLook(parent) {
		y := w.objective.fantasy(parent, n.epsValue)
		n.best, n.ownShare = smoothMax(p.best, y, w.Smoothing*w.objective.standard.Scale)
	}
	lnCost := w.cost.fantasy(parent, n.epsLnCost)
	if w.meanCost && n.epsLnCost == 0 {
		lnCost += meanCostExtra(w.cost.standard.Scale * w.cost.rows.Pivot[parent])
	}
	n.price = math.Exp(lnCost)
	n.money = p.money - n.price
}

// meanCostExtra is the log of the expected cost minus the log of the median: half the variance of the log-cost.
// The variance is capped at 1. With almost no data it is the prior's variance, the mean of such a wide log-normal
// says nothing, and every plan beyond the first step would seem too expensive.
func meanCostExtra(spread float64) float64 { return min(spread*spread, maxLnCostVar) / 2 }

const maxLnCostVar = 1

// smoothMax returns max(a, b) with its corner rounded by width, and its derivative in b:
// width·ln(e^(a/width) + e^(b/width)), which is above max(a, b) by at most width·ln 2.
func smoothMax(a, b, width float64) (v, dB float64) {
	switch {
	case width > 0:
		e := math.Exp(-math.Abs(b-a) / width)
		share := 1 / (1 + e) // of the larger
		v = max(a, b) + width*math.Log1p(e)
		if b > a {
			return v, share
		}
		return v, 1 - share
	case b > a:
		return b, 1
	default:
		return a, 0
	}
}

// fantasy returns y = μ + √(σ²+τ²)ε at a node, in the output's units.
func (s *side) fantasy(j int, eps float64) float64 {
	return s.mean[j] + s.standard.Scale*s.rows.Pivot[j]*eps
}

// condition computes a node's posterior from its ancestors' fantasies, MATH.md (10).
func (w *Walk) condition(s *side, j int, sample func(*node) float64) {
	chain := w.shape.chains[j]
	chol.Extend(s.rows, j, chain, s.batch.Cov[w.firstPair[j]:w.firstPair[j]+len(chain)])
	mean, variance := s.batch.Mean[j], s.batch.Var[j]
	for i, b := range s.rows.Of(j, len(chain)) {
		mean += b * sample(w.onWay(j, i))
		variance -= b * b
	}
	s.free[j] = variance > minVar
	variance = max(variance, minVar)
	s.rows.Pivot[j] = math.Sqrt(variance + s.noise)
	s.mean[j] = s.standard.From(mean)
	s.sd[j] = max(s.standard.Scale*math.Sqrt(variance), s.minSD)
}

// onWay returns the node after ancestor i on the way to node j: the one that assumes the fantasy
// drawn at ancestor i.
func (w *Walk) onWay(j, i int) *node {
	if chain := w.shape.chains[j]; i+1 < len(chain) {
		j = chain[i+1]
	}
	return &w.node[j]
}

// term computes ln of the node's share: weight · EI · P(fits), MATH.md (8), from (5) and (7).
func (w *Walk) term(j int, logWeight float64) {
	n := &w.node[j]
	if w.isLook(j) {
		n.logTerm, n.dMean, n.dSD, n.dCostMean, n.dCostSD, n.dLnMoney = math.Inf(-1), 0, 0, 0, 0, 0
		return
	}
	var ei, fits float64
	ei, n.dMean, n.dSD = acq.LogEI(w.objective.mean[j], w.objective.sd[j], n.best)
	fits, n.dCostMean, n.dCostSD, n.dLnMoney = acq.LogFits(w.cost.mean[j], w.cost.sd[j], math.Log(n.money))
	n.logTerm = logWeight + ei + fits
}
