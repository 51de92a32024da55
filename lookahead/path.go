package lookahead

// Waypoint is a node on the way down a tree: what its evaluation is predicted to
// return, and the money left before it.
type Waypoint struct {
	// Node is the node's number.
	Node int

	// Mean and SD are mean and standard deviation of the value.
	Mean, SD float64

	// LnCost and LnCostSD are those of the logarithm of the cost.
	LnCost, LnCostSD float64

	// Money is what is left before the evaluation.
	Money float64
}

// LikeliestPath returns the nodes from the root down, at the nodes' points x. At each node it takes
// the fantasy nearest to the mean. It ends when the money does.
func (w *Walk) LikeliestPath(x []float64) []Waypoint {
	w.forward(x, false)
	var path []Waypoint
	for j := 0; j >= 0 && !w.node[j].dead; j = w.likeliestChild(j) {
		path = append(path, Waypoint{
			Node: j, Mean: w.objective.mean[j], SD: w.objective.sd[j],
			LnCost: w.cost.mean[j], LnCostSD: w.cost.sd[j], Money: w.node[j].money,
		})
	}
	return path
}

func (w *Walk) likeliestChild(j int) int {
	level := w.shape.level[j]
	if level+1 == w.shape.Depth() {
		return -1
	}
	best := 0
	length := func(s Sample) float64 { return s.Value*s.Value + s.LnCost*s.LnCost }
	for b, s := range w.base[level] {
		if length(s) < length(w.base[level][best]) {
			best = b
		}
	}
	return w.shape.Child(j, best)
}
