package lookahead

import "slices"

// Prefix returns the tree's first levels as a separate tree, with the same belief, options and base
// samples.
func (t *Tree) Prefix(levels int) *Tree {
	return t.smaller(t.shape.fantasies[:levels-1], t.base[:levels-1])
}

// Path returns the path of as many steps as the tree has levels, under the same belief and options.
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
