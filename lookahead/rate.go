package lookahead

import "math"

// LogRate returns ln(Q_N/Cᵛ), the tree's value for its price, and, when grad is not nil, its gradient. C is the sum over levels of the mean
// of its nodes' median costs, discounted as the value is, and ν the given power. So plans of different lengths can be
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
