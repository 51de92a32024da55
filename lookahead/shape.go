package lookahead

import "fmt"

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
