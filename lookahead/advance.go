package lookahead

import (
	"math"

	"github.com/eke-bo/eke/acq"
)

// Outcome is what an evaluation returned, or might return.
type Outcome = acq.Outcome

// Fantasies returns the outcomes that the root's children stand on, at the nodes' points x.
func (w *Walk) Fantasies(x []float64) []Outcome {
	w.forward(x, false)
	if w.shape.Depth() == 1 {
		return nil
	}
	if w.node[0].dead { // without money the walk ends before the root's posterior
		w.condition(&w.objective, 0)
		w.condition(&w.cost, 0)
	}
	out := make([]Outcome, w.shape.fantasies[0])
	for b := range out {
		child := w.shape.Child(0, b)
		out[b] = Outcome{Value: w.objective.fantasy(child, 0), LnCost: w.cost.fantasy(child, 0)}
	}
	return out
}

// Nearest returns the branch whose fantasy is nearest to the observed outcome, with each output
// measured in its own scale.
func Nearest(fantasies []Outcome, observed Outcome, valueScale, lnCostScale float64) int {
	best, least := 0, math.Inf(1)
	for b, f := range fantasies {
		dv, dc := (f.Value-observed.Value)/valueScale, (f.LnCost-observed.LnCost)/lnCostScale
		if d := dv*dv + dc*dc; d < least {
			best, least = b, d
		}
	}
	return best
}

// Advance returns points for the next tree, given the points of the last tree. The root was evaluated and its
// outcome was nearest to the given branch, so everything on that branch moves up one level. Nothing
// moves into the deepest level: its nodes get their parents' points, and a maximiser may move them
// from there. If a level has more fantasies than the one below it, the branches are used again in
// turn.
func Advance(s *Shape, x []float64, branch int) []float64 {
	next := make([]float64, len(x))
	dim := len(x) / s.Nodes()
	if s.Depth() == 1 {
		return append(next[:0], x...)
	}
	from := make([]int, s.Nodes()) // the old node whose point a new node gets
	for j := range from {
		if j == 0 {
			from[0] = s.Child(0, branch%s.fantasies[0])
		} else {
			old, level := from[s.parent[j]], s.level[j]
			from[j] = old
			if level+1 < s.Depth() {
				from[j] = s.Child(old, s.branch[j]%s.fantasies[level])
			}
		}
		copy(next[j*dim:(j+1)*dim], x[from[j]*dim:])
	}
	return next
}

// Waypoint is a node on the way down a tree: what its evaluation is predicted to
// return, and the money left before it.
type Waypoint struct {
	// Node is the node's number.
	Node int

	// Mean and SD are mean and standard deviation of the value.
	Mean, SD float64

	// LnCost and LnCostSD are mean and standard deviation of the logarithm of the cost.
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
