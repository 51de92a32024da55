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
	belief    acq.Belief
	dim, size int
	points    []float64
	side      [2]pooled // objective and log-cost
	lnChance  []float64 // that an evaluation has a value that counts; nil: it always does
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
	for o, m := range [2]*gp.Model{b.Objective, b.LnCost} {
		batch, cov := m.NewBatch(p.size, nil), make([]float64, p.size*p.size)
		batch.Forward(points, false)
		batch.CovarianceWith(batch, cov)
		for i, v := range batch.Var {
			cov[i*p.size+i] = v
		}
		p.side[o] = pooled{batch.Mean, batch.Var, cov, m.Standard(), m.Hyper().Noise, b.MinSD[o]}
	}
	if chances := b.LogChances(); chances != nil {
		p.lnChance = make([]float64, p.size)
		for i := range p.lnChance {
			for _, chance := range chances {
				p.lnChance[i] += chance(nil, points[i*dim:(i+1)*dim])
			}
		}
	}
	return p
}

// Size returns the number of points.
func (p *Pool) Size() int { return p.size }

// Grower grows trees from a pool. It belongs to one goroutine.
type Grower struct {
	*Pool
	tree  *Tree
	level [][2]grown // objective and log-cost of each level
	fixed []int
	rng   *rand.Rand
	x     []float64
	value float64 // ln Q of the nodes placed so far
}

// grown is one output over the pool, given one path of ancestors: its posterior, and the Cholesky row of the point that was chosen last.
type grown struct{ mean, variance, row []float64 }

// NewGrower returns scratch memory to grow trees like the given one.
func (p *Pool) NewGrower(t *Tree) *Grower {
	g := &Grower{Pool: p, tree: t, level: make([][2]grown, t.shape.Depth())}
	f := func() []float64 { return make([]float64, p.size) }
	for i := range g.level {
		g.level[i] = [2]grown{{f(), f(), f()}, {f(), f(), f()}}
	}
	return g
}

// Grow returns a tree and its log value. Its first nodes, at least the root, are the points of the
// pool that fixed lists. Each further node takes the best point given its ancestors. With rng, it
// takes one drawn with odds proportional to its value, so that trees differ.
func (g *Grower) Grow(fixed []int, rng *rand.Rand) (x []float64, logValue float64) {
	g.x, g.value, g.fixed, g.rng = make([]float64, g.tree.Dim()), math.Inf(-1), fixed, rng
	for o, l := range g.level[0] {
		copy(l.mean, g.side[o].mean)
		copy(l.variance, g.side[o].variance)
	}
	g.place(0, fixed[0], g.belief.Best, g.belief.Remaining, 1)
	return g.x, g.value
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
	pivots, next := g.fold(depth, q), &g.level[depth+1]
	for branch, e := range g.tree.base[depth] {
		var seen [2]float64 // value and log-cost
		for o, eps := range [2]float64{e.Value, e.LnCost} {
			seen[o] = g.side[o].standard.From(l[o].mean[q] + pivots[o]*eps)
			shift(next[o].mean, l[o].mean, l[o].row, eps)
			for p, v := range l[o].variance {
				next[o].variance[p] = max(v-l[o].row[p]*l[o].row[p], minVar)
			}
		}
		if g.tree.plansMean(e.LnCost) {
			seen[1] += meanCostExtra(g.side[1].standard.Scale * pivots[1])
		}
		childBest, childMoney := max(best, seen[0]), money-math.Exp(seen[1])
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

// logAdd returns ln(eᵃ + eᵇ).
func logAdd(a, b float64) float64 {
	high := max(a, b)
	if math.IsInf(high, -1) {
		return high
	}
	return high + math.Log1p(math.Exp(min(a, b)-high))
}

// fold makes pool point q an ancestor at the given depth. In each output the point's Cholesky
// row over the pool is b(p) = (cov(p,q) − Σ_i b_i(p)·b_i(q))/t, and t its pivot.
func (g *Grower) fold(depth, q int) (pivots [2]float64) {
	for o, l := range g.level[depth] {
		pivots[o] = math.Sqrt(l.variance[q] + g.side[o].noise)
		copy(l.row, g.side[o].cov[q*g.size:(q+1)*g.size])
		for i := range depth {
			earlier := g.level[i][o].row
			shift(l.row, l.row, earlier, -earlier[q])
		}
		for p := range l.row {
			l.row[p] /= pivots[o]
		}
	}
	return pivots
}

// shift writes a + f·b.
func shift(dst, a, b []float64, f float64) {
	for p, v := range a {
		dst[p] = v + f*b[p]
	}
}

// choose picks the pool point for a node. If no money is left, any point will do.
func (g *Grower) choose(l *[2]grown, best, money float64) int {
	if !(money > 0) {
		return 0
	}
	lnMoney := math.Log(money)
	if g.rng == nil {
		return g.greediest(l, best, lnMoney)
	}
	// Drawn by the Gumbel trick: the largest of score + noise has odds ∝ exp(score).
	pick, highest := 0, math.Inf(-1)
	for p := range g.size {
		if s := g.score(l, p, best, lnMoney) - math.Log(g.rng.ExpFloat64()); s > highest {
			pick, highest = p, s
		}
	}
	return pick
}

// greediest returns the point with the highest score. A bound without a logarithm rules out most
// points: below the incumbent, h(t) ≤ φ(t) ≤ φ(0)/(1 + q + q²/2), q = t²/2.
func (g *Grower) greediest(l *[2]grown, best, lnMoney float64) int {
	pick, highest, value := 0, math.Inf(-1), 0.0
	for p := range g.size {
		mean, sd := g.moments(l, 0, p)
		if t := (mean - best) / sd; t < 0 {
			const density = 0.3989422804014327 // φ(0)
			if q := t * t / 2; sd*density < value*(1+q+q*q/2) {
				continue
			}
		}
		score, _, _, _ := acq.LogEIUpTo(mean, sd, best, g.belief.Most)
		if score <= highest { // the chance to fit can only lower it
			continue
		}
		if score += g.fits(l, p, lnMoney); score > highest {
			pick, highest, value = p, score, math.Exp(score)
		}
	}
	return pick
}

// score returns ln of the one-step value EI·P(fits) at a pool point, with the chance that it counts.
func (g *Grower) score(l *[2]grown, p int, best, lnMoney float64) float64 {
	mean, sd := g.moments(l, 0, p)
	ei, _, _, _ := acq.LogEIUpTo(mean, sd, best, g.belief.Most)
	return ei + g.fits(l, p, lnMoney)
}

// fits returns ln of the chance that a pool point's evaluation is paid for, and has a value that counts.
func (g *Grower) fits(l *[2]grown, p int, lnMoney float64) float64 {
	mean, sd := g.moments(l, 1, p)
	v, _, _, _ := acq.LogFits(mean, sd, lnMoney)
	if g.lnChance != nil {
		v += g.lnChance[p]
	}
	return v
}

// moments returns mean and standard deviation of an output at a pool point.
func (g *Grower) moments(l *[2]grown, output, p int) (mean, sd float64) {
	s := &g.side[output]
	return s.standard.From(l[output].mean[p]), max(s.standard.Scale*math.Sqrt(l[output].variance[p]), s.minSD)
}
