package lookahead

import (
	"fmt"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/internal/sobol"
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
		return nil, fmt.Errorf("lookahead: base samples for %d levels, but the tree needs %d", len(base), len(s.fantasies))
	}
	for i, m := range s.fantasies {
		if len(base[i]) != m {
			return nil, fmt.Errorf("lookahead: %d base samples at level %d, but it has %d fantasies", len(base[i]), i, m)
		}
	}
	t := &Tree{belief: b, shape: s, base: base, meanCost: o.MeanCost, discount: 1}
	if o.Discount > 0 {
		t.discount = o.Discount
	}
	if o.Fidelity != nil {
		if len(o.Fidelity) != s.Depth() {
			return nil, fmt.Errorf("lookahead: fidelities for %d levels, but the tree has %d", len(o.Fidelity), s.Depth())
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

// Prefix returns the tree's first levels as a separate tree, with the same belief, base samples and
// options, but looks are not kept.
func (t *Tree) Prefix(levels int) *Tree {
	return t.smaller(t.shape.fantasies[:levels-1], t.base[:levels-1])
}

// Path returns the path of as many steps as the tree has levels, with the same belief and options, but looks are not kept.
func (t *Tree) Path() *Tree {
	fantasies := slices.Repeat([]int{1}, t.shape.Depth()-1)
	return t.smaller(fantasies, SobolSamples(fantasies, 0))
}

// IsPath reports whether every node has at most one child.
func (t *Tree) IsPath() bool { return t.shape.Nodes() == t.shape.Depth() }

func (t *Tree) smaller(fantasies []int, base Samples) *Tree {
	shape, err := NewShape(fantasies)
	if err != nil {
		panic(err) // smaller than a good shape
	}
	small, err := New(t.belief, shape, base, Options{MeanCost: t.meanCost, Discount: t.discount})
	if err != nil {
		panic(err) // the base samples are made for the shape
	}
	return small
}

// Shape is the layout of a tree: fantasy counts (m1, …, m_{N−1}) give N levels of 1, m1,
// m1·m2, … nodes. Nodes are numbered from the root, level by level. Inside a level the newest
// fantasy varies slowest, so node (j2, j1) of level 2 is number j2·m1 + j1 of its level, where j1
// is its parent's number in level 1. A Shape is immutable.
type Shape struct {
	fantasies []int
	first     []int   // the number of each level's first node
	level     []int   // a node's level
	parent    []int   // a node's parent; −1 for the root
	branch    []int   // which of its parent's fantasies a node assumes
	chains    [][]int // a node's ancestors, root first
}

// MaxNodes and MaxDepth bound the size of a tree. Beyond them a plan costs more than it can be worth.
const MaxNodes, MaxDepth = 20000, 32

// NewShape returns the layout for the given fantasy counts. Without any, the tree is only a root.
func NewShape(fantasies []int) (*Shape, error) {
	if len(fantasies) >= MaxDepth {
		return nil, fmt.Errorf("lookahead: fantasies for %d steps, at most %d can be planned", len(fantasies)+1, MaxDepth)
	}
	s := &Shape{fantasies: append([]int(nil), fantasies...)}
	total, size := 0, 1
	for i := 0; ; i++ {
		if total+size > MaxNodes {
			return nil, fmt.Errorf("lookahead: fantasies %v make more than %d nodes", fantasies, MaxNodes)
		}
		s.first = append(s.first, total)
		s.addLevel(i, size)
		total += size
		if i == len(fantasies) {
			return s, nil
		}
		if fantasies[i] < 1 {
			return nil, fmt.Errorf("lookahead: fantasies %v: each count must be at least 1", fantasies)
		}
		if fantasies[i] > MaxNodes {
			return nil, fmt.Errorf("lookahead: fantasies %v make more than %d nodes", fantasies, MaxNodes)
		}
		size *= fantasies[i]
	}
}

func (s *Shape) addLevel(level, size int) {
	for q := range size {
		parent, branch := -1, 0
		var chain []int
		if level > 0 {
			width := s.first[level] - s.first[level-1]
			parent, branch = s.first[level-1]+q%width, q/width
			chain = append(append(chain, s.chains[parent]...), parent)
		}
		s.level = append(s.level, level)
		s.parent = append(s.parent, parent)
		s.branch = append(s.branch, branch)
		s.chains = append(s.chains, chain)
	}
}

// Nodes returns the number of nodes.
func (s *Shape) Nodes() int { return len(s.level) }

// Depth returns the number of levels, N.
func (s *Shape) Depth() int { return len(s.first) }

// Fantasies returns a copy of the fantasy counts.
func (s *Shape) Fantasies() []int { return append([]int(nil), s.fantasies...) }

// Child returns the child of node on the given branch, or −1 at the deepest level.
func (s *Shape) Child(node, branch int) int {
	level := s.level[node]
	if level == len(s.fantasies) {
		return -1
	}
	width := s.first[level+1] - s.first[level]
	return s.first[level+1] + branch*width + node - s.first[level]
}

// onWay returns the node after ancestor i on the way to a node: the one that assumes the fantasy of ancestor i.
func (s *Shape) onWay(node, i int) int {
	if chain := s.chains[node]; i+1 < len(chain) {
		return chain[i+1]
	}
	return node
}

// Sample is the pair of standard-normal numbers that defines one fantasy, MATH.md (9): y = μ +
// √(σ²+τ²)·ε for the value, and likewise for the logarithm of the cost.
type Sample struct {
	// Value and LnCost are the ε of the value and of the logarithm of the cost.
	Value, LnCost float64
}

// Samples are the base samples of a tree: Samples[i][j] is fantasy j of every node of
// level i. They stay fixed while a tree is maximised.
type Samples [][]Sample

// SobolSamples draws base samples: scrambled Sobol points, mapped by Φ⁻¹. A level with a single
// fantasy gets ε = 0, the posterior mean. That is the path variant.
func SobolSamples(fantasies []int, seed uint64) Samples {
	base := make(Samples, len(fantasies))
	for i, m := range fantasies {
		base[i] = make([]Sample, m)
		if m == 1 {
			continue
		}
		points := sobol.New(2, seed+uint64(i)*0x9e3779b97f4a7c15)
		var p [2]float64
		for j := range base[i] {
			points.Next(p[:])
			base[i][j] = Sample{normal.Quantile(p[0]), normal.Quantile(p[1])}
		}
	}
	return base
}
