package lookahead

import (
	"math"

	"github.com/eke-bo/eke/internal/chol"
)

// The gradient of Q_N: the walk back to the root.
//
// This is reverse-mode differentiation by hand. A bar over a quantity is the sensitivity of the
// result to it. Children have higher numbers than their parents. The walk visits the nodes
// backwards, so everything that depends on a node is visited before the node. A node passes on
//
//   - to its parent, the sensitivities of its incumbent and its money to the parent's fantasy;
//   - to its ancestors' rows of the factor, the sensitivity of its posterior to them (chol.ExtendBack);
//   - to the two batches, its sensitivity to the posterior of the data. The batches
//     turn that into the gradient, all nodes at once.

// back adds the gradient of Σ_j exp(logTerm_j − logScale), with the weights held fixed. With
// logScale = 0 that is the gradient of the value, and with logScale = ln Q the gradient of ln Q.
func (w *Walk) back(grad []float64, logScale float64) {
	w.objective.clearBars()
	w.cost.clearBars()
	for j := range w.node {
		w.node[j].bestBar, w.node[j].moneyBar = 0, 0
	}
	for j := len(w.node) - 1; j >= 0; j-- {
		n := &w.node[j]
		if n.dead {
			continue
		}
		share := math.Exp(n.logTerm - logScale)
		w.objective.addTerm(j, share*n.dMean, share*n.dSD)
		w.cost.addTerm(j, share*n.dCostMean+n.rateBar, share*n.dCostSD)
		n.bestBar += share * n.dBest
		n.moneyBar += share * n.dLnMoney / n.money
		if j > 0 {
			w.bequeath(j, w.shape.parent[j])
		}
		w.decondition(&w.objective, j)
		w.decondition(&w.cost, j)
	}
	w.objective.batch.Pull(grad)
	w.cost.batch.Pull(grad)
	w.pullChances(grad, logScale)
}

// pullChances adds what the nodes' shares of the value owe to the chances that they count.
func (w *Walk) pullChances(grad []float64, logScale float64) {
	if w.chances == nil {
		return
	}
	dim := w.belief.Objective.Dim()
	for j := range w.node {
		if share := math.Exp(w.node[j].logTerm - logScale); share > 0 {
			for k, g := range w.chanceGrad[j*dim : (j+1)*dim] {
				grad[j*dim+k] += share * g
			}
		}
	}
}

func (s *side) clearBars() {
	s.batch.ClearBars()
	clear(s.meanBar)
	clear(s.varBar)
	clear(s.bar.Row)
	clear(s.bar.Pivot)
}

// addTerm adds the sensitivities of the node's own term to its mean and standard deviation.
func (s *side) addTerm(j int, dMean, dSD float64) {
	s.meanBar[j] += dMean * s.standard.Scale
	if s.free[j] && s.sd[j] > s.minSD {
		// sd = scale·√var
		s.varBar[j] += dSD * s.standard.Scale * s.standard.Scale / (2 * s.sd[j])
	}
}

// bequeath is the reverse of inherit.
func (w *Walk) bequeath(j, parent int) {
	n, p := &w.node[j], &w.node[parent]
	w.objective.addFantasy(j, parent, n.bestBar*n.ownShare)
	p.bestBar += n.bestBar * n.bestShare
	p.moneyBar += n.moneyBar
	lnCostBar := -n.moneyBar * n.price
	w.cost.addFantasy(j, parent, lnCostBar)
	if w.plansMean(w.cost.eps[j]) {
		scale, pivot := w.cost.standard.Scale, w.cost.rows.Pivot[parent]
		if scale*scale*pivot*pivot < maxLnCostVar {
			w.cost.bar.Pivot[parent] += lnCostBar * scale * scale * pivot
		}
	}
}

// addFantasy is the reverse of fantasy.
func (s *side) addFantasy(j, parent int, bar float64) {
	s.meanBar[parent] += bar * s.standard.Scale
	s.bar.Pivot[parent] += bar * s.standard.Scale * s.eps[j]
}

// decondition is the reverse of condition.
func (w *Walk) decondition(s *side, j int) {
	varBar := s.varBar[j]
	if s.free[j] {
		varBar += s.bar.Pivot[j] / (2 * s.rows.Pivot[j])
	}
	chain := w.shape.chains[j]
	bar := s.bar.Of(j, len(chain))
	for i, b := range s.rows.Of(j, len(chain)) {
		bar[i] += s.meanBar[j]*s.eps[w.shape.onWay(j, i)] - 2*varBar*b
	}
	first := w.firstPair[j]
	chol.ExtendBack(s.rows, s.bar, j, chain, s.batch.CovBar[first:first+len(chain)])
	s.batch.MeanBar[j], s.batch.VarBar[j] = s.meanBar[j], varBar
}
