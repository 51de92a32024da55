package problem

import (
	"math"
	"math/rand/v2"
)

// A regression tree after L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984: every
// split is the one that leaves the least variance within its two sides.
//
// Growing is fast because nothing is sorted twice. The rows are sorted once by every feature (table.order). A node is
// the same range lo..hi of all those orders. Splitting it is a stable partition of the range in each of them, so both
// sides are sorted again.

// tree is a grown tree, the root first.
type tree []node

type node struct {
	feature     int // −1: a leaf
	threshold   float64
	left, right int32   // for values ≤ threshold, and above
	value       float64 // the mean of the node's targets
}

// predict follows x to its leaf.
func (t tree) predict(x []float64) float64 {
	i := int32(0)
	for t[i].feature >= 0 {
		if x[t[i].feature] <= t[i].threshold {
			i = t[i].left
		} else {
			i = t[i].right
		}
	}
	return t[i].value
}

// grower grows the trees of a forest one after the other in the same memory.
type grower struct {
	*table
	rng      *rand.Rand
	depth    int // most splits on the way to a leaf; 0: no limit
	features int // looked at before a split is chosen

	drawn    []draws
	order    [][]int32 // the rows drawn, sorted by each feature
	inverse  []float64 // 1/k
	spare    []int32   // for partitions
	goesLeft []int     // 1 or 0
	visit    []int     // features, in the order they are looked at
	tree     tree
	work     int // rows touched while growing
}

func newGrower(t *table, s forestSettings) *grower {
	n, width := len(t.targets), len(t.columns)
	g := &grower{
		table: t, depth: s.depth, features: s.features,
		drawn: make([]draws, n), inverse: make([]float64, n+1),
		spare: make([]int32, n), goesLeft: make([]int, n),
	}
	if g.features == 0 {
		g.features = width
	}
	for k := range g.inverse {
		g.inverse[k] = 1 / float64(k)
	}
	for f := range width {
		g.order = append(g.order, make([]int32, n+1)) // one more, to write over
		g.visit = append(g.visit, f)
	}
	return g
}

// draws is how often the bootstrap drew a row, and the sum of the targets drawn with it.
type draws struct {
	times int
	sum   float64
}

// grow grows one tree on a bootstrap sample: as many rows as there are, drawn with replacement.
func (g *grower) grow() tree {
	clear(g.drawn)
	for range g.targets {
		row := g.rng.IntN(len(g.targets))
		g.drawn[row].times++
		g.drawn[row].sum += g.targets[row]
	}
	return g.growDrawn()
}

// growDrawn grows one tree on the rows drawn.
func (g *grower) growDrawn() tree {
	rows := 0
	for f, order := range g.table.order {
		rows = 0
		for _, row := range order {
			g.order[f][rows] = row // overwritten unless drawn: no branch to mispredict
			rows += min(g.drawn[row].times, 1)
		}
		g.work += len(order)
	}
	g.tree = nil
	g.split(0, rows, 0)
	return g.tree
}

// split makes the node of the range lo..hi and the nodes below it, and returns its number.
func (g *grower) split(lo, hi, depth int) int32 {
	weight, sum, squares := 0, 0.0, 0.0
	for _, row := range g.order[0][lo:hi] {
		d := g.drawn[row]
		weight, sum, squares = weight+d.times, sum+d.sum, squares+d.sum*g.targets[row]
	}
	mean := sum / float64(weight)
	number := int32(len(g.tree))
	g.tree = append(g.tree, node{feature: -1, value: mean})
	const rounding = 1e-14
	pure := squares-sum*mean <= rounding*squares
	if hi-lo < 2 || pure || (g.depth > 0 && depth >= g.depth) {
		return number
	}
	feature, threshold := g.bestSplit(lo, hi, weight, mean)
	if feature < 0 {
		return number // rows with equal features and different targets
	}
	orders := g.order
	if hi-lo == 2 || depth+1 == g.depth {
		orders = orders[:1] // both sides are leaves, which need no more
	}
	middle := g.partition(orders, lo, hi, feature, threshold)
	left := g.split(lo, middle, depth+1)
	right := g.split(middle, hi, depth+1)
	n := &g.tree[number]
	n.feature, n.threshold, n.left, n.right = feature, threshold, left, right
	return number
}

// bestSplit looks for the split with the least variance left, among some features drawn at random. With n_L and n_R rows on the
// two sides and D = Σ_L (y − mean), that is the largest D²/(n_L n_R). As in scikit-learn, it continues as long as all features
// it has seen are constant in the node.
func (g *grower) bestSplit(lo, hi, weight int, mean float64) (feature int, threshold float64) {
	feature, best := -1, math.Inf(-1)
	drawn, inverse := g.drawn, g.inverse
	for seen := range g.visit {
		// Two rows can be separated in only one way, whatever the feature.
		if feature >= 0 && (seen >= g.features || hi-lo == 2) {
			break
		}
		pick := seen + g.rng.IntN(len(g.visit)-seen)
		g.visit[seen], g.visit[pick] = g.visit[pick], g.visit[seen]
		f := g.visit[seen]
		column, order := g.columns[f], g.order[f][lo:hi]
		g.work += len(order)
		last := len(order) - 1
		if column[order[0]] == column[order[last]] {
			continue
		}
		below, sum := 0, 0.0
		for i, row := range order[:last] {
			below, sum = below+drawn[row].times, sum+drawn[row].sum
			excess := sum - mean*float64(below)
			score := excess * excess * inverse[below] * inverse[weight-below]
			// Equal values cannot be separated. This is checked last, because a better score is rare and
			// a tie is not.
			if score > best && column[row] != column[order[i+1]] {
				best, feature, threshold = score, f, between(column[row], column[order[i+1]])
			}
		}
	}
	return feature, threshold
}

// between returns a threshold with a at or below it and b above, halfway where float64 has room for that.
func between(a, b float64) float64 {
	if middle := a/2 + b/2; a <= middle && middle < b { // halved first: the sum may overflow
		return middle
	}
	return a
}

// partition puts the rows at or below the threshold first, in each of the orders, and returns where the others begin.
func (g *grower) partition(orders [][]int32, lo, hi, feature int, threshold float64) int {
	column, middle := g.columns[feature], lo
	for _, row := range g.order[feature][lo:hi] {
		g.goesLeft[row] = 0
		if column[row] <= threshold {
			g.goesLeft[row] = 1
			middle++
		}
	}
	for _, order := range orders {
		stretch, kept, moved := order[lo:hi], 0, 0
		for _, row := range stretch {
			// Written to both sides, but only one advances: again no branch.
			stretch[kept], g.spare[moved] = row, row
			kept, moved = kept+g.goesLeft[row], moved+1-g.goesLeft[row]
		}
		copy(stretch[kept:], g.spare[:moved])
		g.work += len(stretch)
	}
	return middle
}
