package lookahead_test

import (
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/golden"
	"github.com/eke-bo/eke/lookahead"
)

func goldenStates(t testing.TB) []golden.State {
	t.Helper()
	all, err := golden.AllStates(golden.Dir("../testdata/golden"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func goldenTree(t testing.TB, s golden.State, g golden.Tree) *lookahead.Tree {
	t.Helper()
	shape, err := lookahead.NewShape(g.Fantasies)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := lookahead.New(s.Belief(g.RemainingBudget), shape, golden.Samples(g.BaseSamples), lookahead.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestGoldenTrees(t *testing.T) {
	for _, s := range goldenStates(t) {
		for _, g := range s.Trees {
			walk := goldenTree(t, s, g).NewWalk()
			for i, nodes := range g.Nodes {
				x, want := slices.Concat(nodes...), slices.Concat(g.Grad[i]...)
				grad := make([]float64, len(x))
				got := walk.Value(grad, x)
				if !golden.Near(got, g.Value[i], 1e-7, s.Scale(0)) {
					t.Errorf("%s %v set %d: %v, want %v", s.Name, g.Fantasies, i, got, g.Value[i])
				}
				for j := range nodes { // node by node: a deep node's part is small in the whole
					part := func(all []float64) []float64 { return all[j*len(nodes[0]) : (j+1)*len(nodes[0])] }
					if !golden.NearVector(part(grad), part(want), 1e-5, s.Scale(0)) {
						t.Errorf("%s %v set %d node %d: gradient %v, want %v", s.Name, g.Fantasies, i, j, part(grad), part(want))
					}
				}
				if l := walk.LogValue(nil, x); got > 0 && math.Abs(l-math.Log(got)) > 1e-9 {
					t.Errorf("%s %v set %d: ln Q = %v, want %v", s.Name, g.Fantasies, i, l, math.Log(got))
				}
			}
		}
	}
}
