package lookahead_test

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/lookahead"
)

func TestFantasiesAreDrawnFromThePosterior(t *testing.T) {
	rng := newRand(1)
	fantasies := []int{4, 2}
	s := someStudy(rng, 12, 2, 5e-4)
	base := randomSamples(rng, fantasies)
	for _, money := range []float64{5, 0.01, 0, -2} { // also where the plan has no money left
		s.belief.Remaining = money
		tree := newTree(t, s.belief, fantasies, base, lookahead.Options{})
		x := points(rng, tree.Shape().Nodes(), 2)
		mean, variance := s.belief.Objective.Posterior(x[:2])
		costMean, costVariance := s.belief.LnCost.Posterior(x[:2])
		got := tree.NewWalk().Fantasies(x)
		if len(got) != 4 {
			t.Fatalf("%d fantasies", len(got))
		}
		for b, e := range base[0] {
			value := mean + math.Sqrt(variance+noise(s.belief.Objective))*e.Value
			lnCost := costMean + math.Sqrt(costVariance+noise(s.belief.LnCost))*e.LnCost
			if math.Abs(got[b].Value-value) > 1e-10 || math.Abs(got[b].LnCost-lnCost) > 1e-12 {
				t.Errorf("money %v, fantasy %d is %v, want %v, %v", money, b, got[b], value, lnCost)
			}
		}
	}
}

func TestOneNodeHasNoFantasies(t *testing.T) {
	s := someStudy(newRand(2), 5, 1, 5e-4)
	if got := newTree(t, s.belief, nil, nil, lookahead.Options{}).NewWalk().Fantasies([]float64{0.5}); got != nil {
		t.Errorf("%v", got)
	}
}
