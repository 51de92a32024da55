package lookahead_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
	"github.com/eke-bo/eke/lookahead"
)

func TestSmoothedTreeGradients(t *testing.T) {
	for i, fantasies := range shapes {
		rng := newRand(uint64(700 + i))
		s := someStudy(rng, 10, 2, 5e-4)
		s.belief.Best -= 0.5 * s.belief.Objective.Standard().Scale // so that incumbents change
		s.belief.Remaining = 50
		walk := newTree(t, s.belief, fantasies, randomSamples(rng, fantasies), lookahead.Options{}).NewWalk()
		for _, width := range []float64{0.03, 0.3} {
			t.Run(fmt.Sprintf("%v,width=%v", fantasies, width), func(t *testing.T) {
				walk.Smoothing = width
				x := points(rng, walk.Shape().Nodes(), 2)
				gradcheck.Check(t, walk.LogValue, x, gradcheck.Settings{Step: 1e-4})
			})
		}
	}
}

// On the corner itself: if all nodes of a path have the same point, their fantasies are equal, so each
// from the second on is exactly the incumbent.
func TestSmoothedTreeGradientsOnTheCorner(t *testing.T) {
	fantasies := []int{1, 1, 1}
	rng := newRand(710)
	s := someStudy(rng, 10, 2, 5e-4)
	s.belief.Best -= 3 * s.belief.Objective.Standard().Scale
	s.belief.Remaining = 50
	walk := newTree(t, s.belief, fantasies, zeroSamples(fantasies), lookahead.Options{}).NewWalk()
	walk.Smoothing = 0.1
	x := repeat([]float64{0.4, 0.7}, 4)
	gradcheck.Check(t, walk.LogValue, x, gradcheck.Settings{Step: 1e-4})
}

// A rounded corner lies above the exact one, so improvements over it are smaller. As it sharpens,
// the value rises to the exact one.
func TestSmoothingRisesToTheExactValue(t *testing.T) {
	for i, fantasies := range shapes {
		rng := newRand(uint64(720 + i))
		s := someStudy(rng, 10, 2, 5e-4)
		s.belief.Best -= 0.5 * s.belief.Objective.Standard().Scale
		walk := newTree(t, s.belief, fantasies, randomSamples(rng, fantasies), lookahead.Options{}).NewWalk()
		x := points(rng, walk.Shape().Nodes(), 2)
		exact, last := walk.LogValue(nil, x), math.Inf(-1)
		for _, width := range []float64{1, 0.1, 0.01, 1e-3, 1e-6, 1e-12} {
			walk.Smoothing = width
			v := walk.LogValue(nil, x)
			if v < last-1e-12 || v > exact+1e-12 {
				t.Errorf("%v width %v: ln Q = %v after %v, exact %v", fantasies, width, v, last, exact)
			}
			last = v
		}
		if math.Abs(last-exact) > 1e-9 {
			t.Errorf("%v: ln Q = %v, exact %v", fantasies, last, exact)
		}
	}
}
