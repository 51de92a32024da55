package lookahead_test

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/lookahead"
)

// The waypoints are those of the recursion that takes the fantasy nearest to the mean at each step.
func TestLikeliestPathFollowsTheSmallestSamples(t *testing.T) {
	rng := newRand(1)
	fantasies := []int{3, 2}
	s := someStudy(rng, 10, 2, 5e-4)
	s.belief.Remaining = 50
	base := lookahead.Samples{
		{{Value: 1, LnCost: 1}, {Value: -0.2, LnCost: 0.1}, {Value: 0, LnCost: 2}},
		{{Value: 0.3, LnCost: -0.3}, {Value: 0, LnCost: 1}},
	}
	tree := newTree(t, s.belief, fantasies, base, lookahead.Options{})
	x := points(rng, tree.Shape().Nodes(), 2)
	path := tree.NewWalk().LikeliestPath(x)
	child := tree.Shape().Child(0, 1)
	nodes := []int{0, child, tree.Shape().Child(child, 0)}
	if len(path) != len(nodes) {
		t.Fatalf("%d waypoints", len(path))
	}
	b := s.belief
	for i, p := range path {
		at := x[nodes[i]*2 : nodes[i]*2+2]
		mean, variance := b.Objective.Posterior(at)
		lnCost, costVariance := b.LnCost.Posterior(at)
		want := lookahead.Waypoint{
			Node: nodes[i], Mean: mean, SD: math.Sqrt(variance), LnCost: lnCost, LnCostSD: math.Sqrt(costVariance), Money: b.Remaining,
		}
		if p.Node != want.Node || math.Abs(p.Mean-want.Mean)+math.Abs(p.SD-want.SD) > 1e-7 ||
			math.Abs(p.LnCost-want.LnCost)+math.Abs(p.LnCostSD-want.LnCostSD) > 1e-8 || math.Abs(p.Money-want.Money) > 1e-7 {
			t.Errorf("waypoint %d is %+v, want %+v", i, p, want)
		}
		if i < len(base) {
			e := base[i][1-i] // the nearest to the mean: number 1 at the root, 0 below
			y := mean + math.Sqrt(variance+noise(b.Objective))*e.Value
			z := lnCost + math.Sqrt(costVariance+noise(b.LnCost))*e.LnCost
			b.Objective, b.LnCost = b.Objective.Condition(at, y), b.LnCost.Condition(at, z)
			b.Remaining -= math.Exp(z)
		}
	}
}

func TestLikeliestPathEndsWithTheMoney(t *testing.T) {
	fantasies := []int{1, 1, 1}
	s := someStudy(newRand(2), 10, 2, 5e-4)
	for _, c := range []struct {
		money float64
		nodes int
	}{{-1, 0}, {0.01, 1}, {100, 4}} {
		s.belief.Remaining = c.money
		walk := newTree(t, s.belief, fantasies, zeroSamples(fantasies), lookahead.Options{}).NewWalk()
		if path := walk.LikeliestPath(points(newRand(3), 4, 2)); len(path) != c.nodes {
			t.Errorf("money %v: %d waypoints, want %d", c.money, len(path), c.nodes)
		}
	}
}
