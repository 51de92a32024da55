package lookahead_test

import (
	"slices"
	"testing"

	"github.com/eke-bo/eke/lookahead"
)

// The first levels of a tree have the same value as a separate tree of these levels, and so does the
// path.
func TestSmallerTrees(t *testing.T) {
	b := someStudy(newRand(5), 9, 2, 1e-3).belief
	shape, err := lookahead.NewShape([]int{3, 2, 2})
	if err != nil {
		t.Fatal(err)
	}
	base := lookahead.SobolSamples(shape.Fantasies(), 3)
	options := lookahead.Options{MeanCost: true, Discount: 0.9}
	tree, err := lookahead.New(b, shape, base, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		small     *lookahead.Tree
		fantasies []int
		base      lookahead.Samples
	}{
		{tree.Prefix(1), nil, nil},
		{tree.Prefix(2), []int{3}, base[:1]},
		{tree.Prefix(4), []int{3, 2, 2}, base},
		{tree.Path(), []int{1, 1, 1}, lookahead.SobolSamples([]int{1, 1, 1}, 0)},
	} {
		if got := c.small.Shape().Fantasies(); !slices.Equal(got, c.fantasies) {
			t.Errorf("fantasies %v, not %v", got, c.fantasies)
			continue
		}
		want, err := lookahead.New(b, c.small.Shape(), c.base, options)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, want.Dim())
		for i := range x {
			x[i] = float64(i%7)/7 + 0.05
		}
		if got, want := c.small.NewWalk().LogValue(nil, x), want.NewWalk().LogValue(nil, x); got != want {
			t.Errorf("%v: worth %v, not %v", c.fantasies, got, want)
		}
	}
	if tree.IsPath() || !tree.Path().IsPath() {
		t.Error("a tree is taken for a path, or a path is not")
	}
}
