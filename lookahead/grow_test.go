package lookahead_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/lookahead"
)

// Growing a tree and walking through it give the same value.
func TestGrownValueEqualsTheWalks(t *testing.T) {
	worst := 0.0
	for i, fantasies := range shapes {
		rng := newRand(uint64(i))
		s := someStudy(rng, 10, 2, 5e-4)
		pool := lookahead.NewPool(s.belief, points(rng, 15, 2))
		for _, o := range []lookahead.Options{{}, {MeanCost: true}} {
			tree := newTree(t, s.belief, fantasies, lookahead.SobolSamples(fantasies, 3), o)
			walk, grower := tree.NewWalk(), pool.NewGrower(tree)
			for root := range pool.Size() {
				for _, draw := range []*rand.Rand{nil, rng} { // greedy, drawn
					x, got := grower.Grow([]int{root}, draw)
					want := walk.LogValue(nil, x)
					worst = math.Max(worst, math.Abs(got-want)/math.Max(1, math.Abs(want)))
				}
			}
		}
	}
	t.Logf("worst deviation of ln Q: %.2g", worst)
	if !(worst < 1e-8) {
		t.Errorf("ln Q is off by %v", worst)
	}
}

// On the last level each leaf is the best there is, all else being equal.
func TestGrownLeavesAreTheBestOfThePool(t *testing.T) {
	for _, fantasies := range [][]int{{3}, {2, 3}, {1, 1}} {
		rng := newRand(4)
		s := someStudy(rng, 10, 2, 5e-4)
		flat := points(rng, 12, 2)
		tree := newTree(t, s.belief, fantasies, randomSamples(rng, fantasies), lookahead.Options{})
		walk := tree.NewWalk()
		x, _ := lookahead.NewPool(s.belief, flat).NewGrower(tree).Grow([]int{5}, nil)
		if !slices.Equal(x[:2], flat[10:12]) {
			t.Fatalf("the root is %v, not the fifth point %v", x[:2], flat[10:12])
		}
		best := walk.LogValue(nil, x)
		leaf := tree.Shape().Nodes() - 1
		for q := range 12 {
			other := slices.Clone(x)
			copy(other[leaf*2:], flat[q*2:q*2+2])
			if v := walk.LogValue(nil, other); v > best+1e-10 {
				t.Errorf("%v: with point %d at the last leaf ln Q = %v, grown %v", fantasies, q, v, best)
			}
		}
	}
}

func TestGrowKeepsFixedNodesAndIsDeterministic(t *testing.T) {
	rng := newRand(5)
	fantasies := []int{2, 2}
	s := someStudy(rng, 8, 2, 5e-4)
	flat := points(rng, 10, 2)
	pool := lookahead.NewPool(s.belief, flat)
	tree := newTree(t, s.belief, fantasies, randomSamples(rng, fantasies), lookahead.Options{})
	fixed := []int{3, 7, 1}
	x, _ := pool.NewGrower(tree).Grow(fixed, newRand(6))
	for j, q := range fixed {
		if !slices.Equal(x[j*2:j*2+2], flat[q*2:q*2+2]) {
			t.Errorf("node %d is not the pool's point %d", j, q)
		}
	}
	used := pool.NewGrower(tree)
	used.Grow([]int{0}, nil)
	if again, _ := used.Grow(fixed, newRand(6)); !slices.Equal(x, again) {
		t.Error("the same seed grew another tree")
	}
}
