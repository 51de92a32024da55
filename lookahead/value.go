package lookahead

import (
	"math"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/chol"
)

// The value Q_N of a tree: the walk out from the root.
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

// Value returns the tree's value Q_N at the nodes' points x and, when grad is not nil,
// its gradient.
func (w *Walk) Value(grad, x []float64) float64 {
	w.forward(x, grad != nil)
	return w.sum(grad, false)
}

// LogValue returns ln Q_N, which has a useful gradient even where Q_N vanishes.
func (w *Walk) LogValue(grad, x []float64) float64 {
	w.forward(x, grad != nil)
	return w.sum(grad, true)
}

// LogRate returns ln(Q_N/C^ν), the tree's value for its price, and, when grad is not nil, its gradient. C is the sum over levels of the mean
// of their nodes' median costs, discounted as the value is, and ν the given power. So plans of different lengths can be
// compared, and a look has to be worth what it costs. Nodes that the money does not reach cost nothing.
func (w *Walk) LogRate(grad, x []float64, power float64) float64 {
	w.forward(x, grad != nil)
	prices, weight := 0.0, 1.0
	for j := range w.node {
		n := &w.node[j]
		if level := w.shape.level[j]; j > 0 && j == w.shape.first[level] {
			weight *= w.discount / float64(w.shape.fantasies[level-1])
		}
		if n.rateBar = 0; !n.dead {
			n.rateBar = weight * math.Exp(w.cost.mean[j])
			prices += n.rateBar
		}
	}
	for j := range w.node {
		w.node[j].rateBar *= -power / prices
	}
	value := w.sum(grad, true)
	for j := range w.node { // LogValue knows of no prices
		w.node[j].rateBar = 0
	}
	return value - power*math.Log(prices)
}

// Walk is a tree with the scratch memory to evaluate it. It belongs to one goroutine. Evaluating
// allocates nothing.
type Walk struct {
	*Tree

	// Smoothing, in standard deviations of the objective, rounds the corner of best = max(best so
	// far, fantasy). The ridge of the value often lies on that corner, above all on paths. There a
	// search that follows gradients stalls; on a rounded corner it does not. Zero is exact.
	Smoothing float64

	objective, cost side
	node            []node
	chances         []func(grad, x []float64) float64 // the logarithms of the chances that an evaluation has a value and is within the limits
	chanceGrad      []float64                         // of their sum, by node
}

// side is one output over all nodes.
type side struct {
	batch     *gp.Batch
	standard  gp.Standard
	noise     float64 // τ²
	minSD     float64
	eps       []float64 // base sample of the fantasy that a node assumes
	mean, sd  []float64 // in the output's units; sd without noise
	rows, bar chol.Rows // the factor of the fantasies' covariance, and sensitivities to it
	meanBar   []float64
	varBar    []float64
	free      []bool // the variance is above its floor, so it has a gradient
}

// node is the state of a node besides its posterior, and the sensitivities to that state.
type node struct {
	dead               bool    // the money ran out on the way here
	best, money        float64 // incumbent and remaining budget
	ownShare           float64 // ∂best/∂(the parent's fantasy): 1 when it is the incumbent, 0 when not, between on a rounded corner
	bestShare          float64 // ∂best/∂(the parent's best)
	price              float64 // what the parent's fantasy cost
	logTerm            float64 // ln of the node's share of the value
	dMean, dSD, dBest  float64 // of logTerm, objective
	dCostMean, dCostSD float64 // of logTerm, log-cost
	dLnMoney           float64
	rateBar            float64 // sensitivity to the mean log-cost, where prices count; see LogRate
	bestBar, moneyBar  float64
}

// NewWalk returns scratch memory for the tree.
func (t *Tree) NewWalk() *Walk {
	w := &Walk{Tree: t, node: make([]node, t.shape.Nodes())}
	w.objective = t.newSide(t.belief.Objective, t.belief.MinSD[0])
	w.cost = t.newSide(t.belief.LnCost, t.belief.MinSD[1])
	for j, p := range t.shape.parent[1:] {
		e := t.base[t.shape.level[p]][t.shape.branch[1+j]]
		w.objective.eps[1+j], w.cost.eps[1+j] = e.Value, e.LnCost
	}
	if w.chances = t.belief.LogChances(); w.chances != nil {
		w.chanceGrad = make([]float64, t.Dim())
	}
	return w
}

// addChance multiplies a node's share of the value by the chance that its evaluation has a value that counts, MATH.md (46), (50). What the evaluations on the way would
// tell about that is left out.
func (w *Walk) addChance(j int, x []float64, withGrad bool) {
	dim := w.belief.Objective.Dim()
	var grad []float64
	if withGrad {
		grad = w.chanceGrad[j*dim : (j+1)*dim]
		clear(grad)
	}
	for _, chance := range w.chances {
		w.node[j].logTerm += chance(grad, x[j*dim:(j+1)*dim])
	}
}

func (t *Tree) newSide(m *gp.Model, minSD float64) side {
	n, chain := t.shape.Nodes(), t.shape.Depth()-1
	f := func() []float64 { return make([]float64, n) }
	return side{
		batch: m.NewBatchAt(n, t.pairs, t.fidelity), standard: m.Standard(), noise: m.Hyper().Noise, minSD: minSD,
		eps: f(), mean: f(), sd: f(), meanBar: f(), varBar: f(), free: make([]bool, n),
		rows: chol.NewRows(n, chain), bar: chol.NewRows(n, chain),
	}
}

// sum adds up the nodes' terms after the walk out and, if asked, walks back.
func (w *Walk) sum(grad []float64, log bool) float64 {
	logValue := math.Inf(-1)
	for j := range w.node {
		logValue = max(logValue, w.node[j].logTerm)
	}
	clear(grad)
	if highest := logValue; !math.IsInf(highest, -1) { // else there is no money at the root
		sum := 0.0
		for j := range w.node {
			sum += math.Exp(w.node[j].logTerm - highest)
		}
		logValue = highest + math.Log(sum)
		// ∂result/∂logTerm is the node's share of the value: of one, or of the sum.
		scale := 0.0
		if log {
			scale = logValue
		}
		if grad != nil {
			w.back(grad, scale)
		}
	}
	if log {
		return logValue
	}
	return math.Exp(logValue)
}

// forward visits the nodes from the root down, parents before their children.
func (w *Walk) forward(x []float64, withGrad bool) {
	w.objective.batch.Forward(x, withGrad)
	w.cost.batch.Forward(x, withGrad)
	root := &w.node[0]
	root.best, root.money = w.belief.Best, w.belief.Remaining
	logWeight := 0.0
	for j := range w.node {
		n := &w.node[j]
		if j > 0 {
			w.inherit(j, w.shape.parent[j])
			if level := w.shape.level[j]; j == w.shape.first[level] {
				logWeight += math.Log(w.discount / float64(w.shape.fantasies[level-1]))
			}
		}
		if n.dead = !(n.money > 0); n.dead {
			n.logTerm = math.Inf(-1)
			continue
		}
		w.condition(&w.objective, j)
		w.condition(&w.cost, j)
		if w.term(j, logWeight); w.chances != nil {
			w.addChance(j, x, withGrad)
		}
	}
}

// inherit gives a node the incumbent and the money that its parent's fantasy leaves.
func (w *Walk) inherit(j, parent int) {
	n, p := &w.node[j], &w.node[parent]
	if p.dead {
		n.money = 0
		return
	}
	if n.best, n.ownShare, n.bestShare = p.best, 0, 1; !w.isLook(parent) {
		y, most := w.objective.fantasy(j, parent), w.belief.Most
		if most != nil && y > *most {
			y = *most
		}
		n.best, n.ownShare = smoothMax(p.best, y, w.Smoothing*w.objective.standard.Scale)
		if n.bestShare = 1 - n.ownShare; most != nil && y == *most {
			n.ownShare = 0 // a better fantasy is no better
		}
	}
	lnCost := w.cost.fantasy(j, parent)
	if w.plansMean(w.cost.eps[j]) {
		lnCost += meanCostExtra(w.cost.standard.Scale * w.cost.rows.Pivot[parent])
	}
	n.price = math.Exp(lnCost)
	n.money = p.money - n.price
}

// fantasy returns y = μ + √(σ²+τ²)ε at a node's parent, in the output's units: the observation that the node assumes.
func (s *side) fantasy(j, parent int) float64 {
	return s.mean[parent] + s.standard.Scale*s.rows.Pivot[parent]*s.eps[j]
}

// plansMean says whether a fantasy of the log-cost stands for the expected cost.
func (t *Tree) plansMean(eps float64) bool { return t.meanCost && eps == 0 }

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

// condition computes a node's posterior from its ancestors' fantasies, MATH.md (10).
func (w *Walk) condition(s *side, j int) {
	chain := w.shape.chains[j]
	chol.Extend(s.rows, j, chain, s.batch.Cov[w.firstPair[j]:w.firstPair[j]+len(chain)])
	mean, variance := s.batch.Mean[j], s.batch.Var[j]
	for i, b := range s.rows.Of(j, len(chain)) {
		mean += b * s.eps[w.shape.onWay(j, i)]
		variance -= b * b
	}
	s.free[j] = variance > minVar
	variance = max(variance, minVar)
	s.rows.Pivot[j] = math.Sqrt(variance + s.noise)
	s.mean[j] = s.standard.From(mean)
	s.sd[j] = max(s.standard.Scale*math.Sqrt(variance), s.minSD)
}

// minVar is the least variance of a node, standardised. Rounding could carry it below.
const minVar = 1e-12

// term computes ln of the node's share of the value: its weight times the one-step value Q1 = EI · P(fits), MATH.md (8), from
// (5) and (7).
func (w *Walk) term(j int, logWeight float64) {
	n := &w.node[j]
	if w.isLook(j) {
		n.logTerm, n.dMean, n.dSD, n.dBest, n.dCostMean, n.dCostSD, n.dLnMoney = math.Inf(-1), 0, 0, 0, 0, 0, 0
		return
	}
	var ei, fits float64
	ei, n.dMean, n.dSD, n.dBest = acq.LogEIUpTo(w.objective.mean[j], w.objective.sd[j], n.best, w.belief.Most)
	fits, n.dCostMean, n.dCostSD, n.dLnMoney = acq.LogFits(w.cost.mean[j], w.cost.sd[j], math.Log(n.money))
	n.logTerm = logWeight + ei + fits
}
