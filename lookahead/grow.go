package lookahead

import (
	"math"
	"math/rand/v2"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
)

// Pool is a set of candidate points from which whole trees can be grown cheaply: every node takes
// the pool's best point, given its ancestors' fantasies. Such trees are good starts for the
// maximiser. Points spread blindly over all nodes are not: nearly all such trees waste nearly all
// of their nodes.
//
// Only the posterior of the pool and its covariances touch the data, and they are computed once.
// Conditioning on an ancestor is then one step of a pivoted Cholesky factorisation of the pool's
// covariance.
type Pool struct {
	belief          acq.Belief
	dim, size       int
	points          []float64
	objective, cost pooled
}

// pooled is one output over the pool, standardised.
type pooled struct {
	mean, variance []float64
	cov            []float64 // size×size
	standard       gp.Standard
	noise, minSD   float64
}

// NewPool computes the joint posterior of the points, one per row.
func NewPool(b acq.Belief, points []float64) *Pool {
	dim := b.Objective.Dim()
	p := &Pool{belief: b, dim: dim, size: len(points) / dim, points: points}
	var pairs [][2]int
	for i := range p.size {
		for j := range i {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	p.objective = newPooled(b.Objective, p, pairs, b.MinSD[0])
	p.cost = newPooled(b.LnCost, p, pairs, b.MinSD[1])
	return p
}

func newPooled(m *gp.Model, p *Pool, pairs [][2]int, minSD float64) pooled {
	batch := m.NewBatch(p.size, pairs)
	batch.Forward(p.points, false)
	cov := make([]float64, p.size*p.size)
	for i, v := range batch.Var {
		cov[i*p.size+i] = v
	}
	for k, ij := range pairs {
		cov[ij[0]*p.size+ij[1]], cov[ij[1]*p.size+ij[0]] = batch.Cov[k], batch.Cov[k]
	}
	return pooled{batch.Mean, batch.Var, cov, m.Standard(), m.Hyper().Noise, minSD}
}

// Size returns the number of points.
func (p *Pool) Size() int { return p.size }

// Grower grows trees from a pool. It belongs to one goroutine.
type Grower struct {
	*Pool
	tree  *Tree
	level []grownLevel
	fixed []int
	rng   *rand.Rand
	x     []float64
	value float64 // ln Q of the nodes placed so far
}

// grownLevel is the posterior of the pool given one path of ancestors.
type grownLevel struct {
	objective, cost struct{ mean, variance, row []float64 }
}

// NewGrower returns scratch memory to grow trees like the given one.
func (p *Pool) NewGrower(t *Tree) *Grower {
	g := &Grower{Pool: p, tree: t, level: make([]grownLevel, t.shape.Depth())}
	f := func() []float64 { return make([]float64, p.size) }
	for i := range g.level {
		l := &g.level[i]
		l.objective.mean, l.objective.variance, l.objective.row = f(), f(), f()
		l.cost.mean, l.cost.variance, l.cost.row = f(), f(), f()
	}
	return g
}

// Grow returns a tree and its log value. Its first nodes, at least the root, are the points of the
// pool that fixed lists. Each further node takes the best point given its ancestors. With rng, it
// takes one drawn with odds proportional to its value, so that trees differ.
func (g *Grower) Grow(fixed []int, rng *rand.Rand) (x []float64, logValue float64) {
	g.x, g.value, g.fixed, g.rng = make([]float64, g.tree.Dim()), math.Inf(-1), fixed, rng
	l := &g.level[0]
	copy(l.objective.mean, g.objective.mean)
	copy(l.objective.variance, g.objective.variance)
	copy(l.cost.mean, g.cost.mean)
	copy(l.cost.variance, g.cost.variance)
	g.place(0, fixed[0], g.belief.Best, g.belief.Remaining, 1)
	return g.x, g.value
}

// logAdd returns ln(eᵃ + eᵇ).
func logAdd(a, b float64) float64 {
	high := max(a, b)
	if math.IsInf(high, -1) {
		return high
	}
	return high + math.Log1p(math.Exp(min(a, b)-high))
}

// place puts a pool point at a node, adds the node's term and grows its children.
func (g *Grower) place(node, q int, best, money, weight float64) {
	copy(g.x[node*g.dim:(node+1)*g.dim], g.points[q*g.dim:(q+1)*g.dim])
	depth := g.tree.shape.level[node]
	l := &g.level[depth]
	if money > 0 {
		g.value = logAdd(g.value, math.Log(weight)+g.score(l, q, best, math.Log(money)))
	}
	if depth+1 == g.tree.shape.Depth() {
		return
	}
	pivotValue, pivotCost := g.fold(depth, q)
	for branch, e := range g.tree.base[depth] {
		y := g.objective.standard.From(l.objective.mean[q] + pivotValue*e.Value)
		lnCost := g.cost.standard.From(l.cost.mean[q] + pivotCost*e.LnCost)
		if g.tree.meanCost && e.LnCost == 0 {
			lnCost += meanCostExtra(g.cost.standard.Scale * pivotCost)
		}
		next := &g.level[depth+1]
		shift(next.objective.mean, l.objective.mean, l.objective.row, e.Value)
		shift(next.cost.mean, l.cost.mean, l.cost.row, e.LnCost)
		shrink(next.objective.variance, l.objective.variance, l.objective.row)
		shrink(next.cost.variance, l.cost.variance, l.cost.row)
		childBest, childMoney := max(best, y), money-math.Exp(lnCost)
		child := g.tree.shape.Child(node, branch)
		var pick int
		if child < len(g.fixed) {
			pick = g.fixed[child]
		} else {
			pick = g.choose(next, childBest, childMoney)
		}
		g.place(child, pick, childBest, childMoney, weight*g.tree.discount/float64(len(g.tree.base[depth])))
	}
}

// fold makes pool point q an ancestor at the given depth. In each output the point's Cholesky
// row over the pool is b(p) = (cov(p,q) − Σ_i b_i(p)·b_i(q))/t, and t its pivot.
func (g *Grower) fold(depth, q int) (pivotValue, pivotCost float64) {
	l := &g.level[depth]
	pivotValue = g.objective.begin(l.objective.row, q, l.objective.variance)
	pivotCost = g.cost.begin(l.cost.row, q, l.cost.variance)
	for i := range depth {
		earlier := &g.level[i]
		shift(l.objective.row, l.objective.row, earlier.objective.row, -earlier.objective.row[q])
		shift(l.cost.row, l.cost.row, earlier.cost.row, -earlier.cost.row[q])
	}
	for p := range g.size {
		l.objective.row[p] /= pivotValue
		l.cost.row[p] /= pivotCost
	}
	return pivotValue, pivotCost
}

func (s *pooled) begin(row []float64, q int, variance []float64) (pivot float64) {
	copy(row, s.cov[q*len(row):(q+1)*len(row)])
	return math.Sqrt(variance[q] + s.noise)
}

// shift writes a + f·b.
func shift(dst, a, b []float64, f float64) {
	for p, v := range a {
		dst[p] = v + f*b[p]
	}
}

func shrink(dst, variance, row []float64) {
	for p, v := range variance {
		dst[p] = max(v-row[p]*row[p], minVar)
	}
}

// score returns ln of EI·P(fits) at a pool point.
func (g *Grower) score(l *grownLevel, p int, best, lnMoney float64) float64 {
	ei, _, _ := acq.LogEI(g.objective.standard.From(l.objective.mean[p]), g.objective.sd(l.objective.variance[p]), best)
	fits, _, _, _ := acq.LogFits(g.cost.standard.From(l.cost.mean[p]), g.cost.sd(l.cost.variance[p]), lnMoney)
	return ei + fits
}

func (s *pooled) sd(variance float64) float64 {
	return max(s.standard.Scale*math.Sqrt(variance), s.minSD)
}

// choose picks the pool point for a node. If no money is left, any point will do.
func (g *Grower) choose(l *grownLevel, best, money float64) int {
	if !(money > 0) {
		return 0
	}
	if g.rng == nil {
		return g.greediest(l, best, math.Log(money))
	}
	// Drawn by the Gumbel trick: the largest of score + noise has odds ∝ exp(score).
	pick, highest, lnMoney := 0, math.Inf(-1), math.Log(money)
	for p := range g.size {
		if s := g.score(l, p, best, lnMoney) - math.Log(g.rng.ExpFloat64()); s > highest {
			pick, highest = p, s
		}
	}
	return pick
}

// greediest returns the point with the highest score. A bound without a logarithm rules out most
// points: below the incumbent, h(t) ≤ φ(t) ≤ φ(0)/(1 + q + q²/2), q = t²/2.
func (g *Grower) greediest(l *grownLevel, best, lnMoney float64) int {
	pick, highest, value := 0, math.Inf(-1), 0.0
	for p := range g.size {
		mean, sd := g.objective.standard.From(l.objective.mean[p]), g.objective.sd(l.objective.variance[p])
		if t := (mean - best) / sd; t < 0 {
			const density = 0.3989422804014327 // φ(0)
			if q := t * t / 2; sd*density < value*(1+q+q*q/2) {
				continue
			}
		}
		score, _, _ := acq.LogEI(mean, sd, best)
		if score <= highest { // the chance to fit can only lower it
			continue
		}
		fits, _, _, _ := acq.LogFits(g.cost.standard.From(l.cost.mean[p]), g.cost.sd(l.cost.variance[p]), lnMoney)
		if score += fits; score > highest {
			pick, highest, value = p, score, math.Exp(score)
		}
	}
	return pick
}
