package lookahead

import (
	"fmt"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/chol"
)

// Tree is a scenario tree without its points, which are still to be chosen. It is immutable.
// Goroutines may share it, each with its own Walk.
type Tree struct {
	belief acq.Belief
	shape  *Shape
	base   Samples

	// meanCost charges a fantasy with ε = 0 the expected cost, exp(μ + σ²/2), instead of
	// the median, exp μ.
	meanCost bool

	discount float64 // of what each further step is worth

	fidelity []float64 // of the nodes; nil: all are evaluated at the top

	pairs     [][2]int // (node, ancestor), a node's pairs side by side
	firstPair []int    // where a node's pairs begin
}

// Options are choices in how a plan is valued. The zero value is the paper's choice.
type Options struct {
	// MeanCost makes a path plan with the expected cost of each step. The paper's path
	// plans with the median, which is lower.
	MeanCost bool

	// Discount is the value of a step relative to the same step taken one evaluation earlier. 0 means 1, as in the paper.
	// Below 1 the best step comes first. Without a discount, a plan is worth the same whether it takes that step first or
	// last, and may put it off for ever.
	Discount float64

	// Fidelity is the level of fidelity of each level of the tree, root first: 1 is the top. What is below it is a look, which costs
	// money, tells the nodes after it something, and improves nothing. Nil means that there are no looks.
	Fidelity []float64
}

// New returns the tree of the given shape and base samples.
func New(b acq.Belief, s *Shape, base Samples, o Options) (*Tree, error) {
	if len(base) != len(s.fantasies) {
		return nil, fmt.Errorf("lookahead: base samples for %d levels, not %d", len(base), len(s.fantasies))
	}
	for i, m := range s.fantasies {
		if len(base[i]) != m {
			return nil, fmt.Errorf("lookahead: %d base samples at level %d, not %d", len(base[i]), i, m)
		}
	}
	t := &Tree{belief: b, shape: s, base: base, meanCost: o.MeanCost, discount: 1}
	if o.Discount > 0 {
		t.discount = o.Discount
	}
	if o.Fidelity != nil {
		if len(o.Fidelity) != s.Depth() {
			return nil, fmt.Errorf("lookahead: the fidelity of %d levels, not %d", len(o.Fidelity), s.Depth())
		}
		for _, level := range s.level {
			t.fidelity = append(t.fidelity, o.Fidelity[level])
		}
	}
	for j, chain := range s.chains {
		t.firstPair = append(t.firstPair, len(t.pairs))
		for _, a := range chain {
			t.pairs = append(t.pairs, [2]int{j, a})
		}
	}
	return t, nil
}

// Dim returns the number of variables: the coordinates of all nodes, root first.
func (t *Tree) Dim() int { return t.shape.Nodes() * t.belief.Objective.Dim() }

// Shape returns the tree's layout.
func (t *Tree) Shape() *Shape { return t.shape }

// Belief returns the belief that the tree plans with.
func (t *Tree) Belief() acq.Belief { return t.belief }

// isLook says whether a node is a look.
func (t *Tree) isLook(node int) bool { return len(t.fidelity) > 0 && t.fidelity[node] < 1 }

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
}

// side is one output over all nodes.
type side struct {
	batch     *gp.Batch
	standard  gp.Standard
	noise     float64 // τ²
	minSD     float64
	mean, sd  []float64 // in the output's units; sd without noise
	rows, bar chol.Rows // the factor of the fantasies' covariance, and sensitivities to it
	meanBar   []float64
	varBar    []float64
	free      []bool // the variance is above its floor, so it has a gradient
}

// node is the state of a node besides its posterior, and the sensitivities to that state.
type node struct {
	dead                bool    // the money ran out on the way here
	best, money         float64 // incumbent and remaining budget
	ownShare            float64 // ∂best/∂(the parent's fantasy): 1 when it is the incumbent, 0 when not, between on a rounded corner
	price               float64 // what the parent's fantasy cost
	logTerm             float64 // ln of the node's share of the value
	dMean, dSD          float64 // of logTerm, objective
	dCostMean, dCostSD  float64 // of logTerm, log-cost
	dLnMoney            float64
	rateBar             float64 // sensitivity to the mean log-cost, where prices count; see rate.go
	bestBar, moneyBar   float64
	epsValue, epsLnCost float64 // base sample of the fantasy this node assumes
}

// NewWalk returns scratch memory for the tree.
func (t *Tree) NewWalk() *Walk {
	w := &Walk{Tree: t, node: make([]node, t.shape.Nodes())}
	w.objective = t.newSide(t.belief.Objective, t.belief.MinSD[0])
	w.cost = t.newSide(t.belief.LnCost, t.belief.MinSD[1])
	for j := range w.node {
		if p := t.shape.parent[j]; p >= 0 {
			e := t.base[t.shape.level[p]][t.shape.branch[j]]
			w.node[j].epsValue, w.node[j].epsLnCost = e.Value, e.LnCost
		}
	}
	return w
}

func (t *Tree) newSide(m *gp.Model, minSD float64) side {
	n, chain := t.shape.Nodes(), t.shape.Depth()-1
	return side{
		batch: m.NewBatchAt(n, t.pairs, t.fidelity), standard: m.Standard(), noise: m.Hyper().Noise, minSD: minSD,
		mean: make([]float64, n), sd: make([]float64, n),
		rows: chol.NewRows(n, chain), bar: chol.NewRows(n, chain),
		meanBar: make([]float64, n), varBar: make([]float64, n), free: make([]bool, n),
	}
}

// Value returns the tree's value Q_N at the nodes' points x and, when grad is not nil,
// its gradient.
func (w *Walk) Value(grad, x []float64) float64 { return w.eval(grad, x, false) }

// LogValue returns ln Q_N, which has a useful gradient even where Q_N vanishes.
func (w *Walk) LogValue(grad, x []float64) float64 { return w.eval(grad, x, true) }
