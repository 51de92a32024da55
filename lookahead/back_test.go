package lookahead_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
	"github.com/eke-bo/eke/lookahead"
)

// farFromKinks draws points until no incumbent changes and no money runs out within the reach of a
// finite difference. If a condition on the recursion is given, it must hold as well.
func farFromKinks(t *testing.T, c twinCase, fantasies []int, draw func() []float64, want func(*slow) bool) []float64 {
	t.Helper()
	for range 3000 {
		x := draw()
		s := newSlow(c.belief, fantasies, c.base, x, c.options)
		s.logValue(c.belief, 0, 0, 1, 0)
		if s.kink > 0.02 && (want == nil || want(s)) {
			return x
		}
	}
	t.Fatalf("%v %s: no suitable points found", fantasies, c.name)
	return nil
}

// checkGradients checks the log form and the plain one. In large trees, which take long to check, it
// checks the plain form in one case only. The two forms differ only in the nodes' weights.
func checkGradients(t *testing.T, c twinCase, fantasies []int, x []float64) {
	t.Helper()
	walk := newTree(t, c.belief, fantasies, c.base, c.options).NewWalk()
	settings := gradcheck.Settings{Step: 2e-4}
	gradcheck.Check(t, walk.LogValue, x, settings)
	if len(x) < 60 || c.name == "plain" {
		gradcheck.Check(t, walk.Value, x, settings)
	}
}

func TestTreeGradients(t *testing.T) {
	for i, fantasies := range shapes {
		dim := 1 + i%4
		rng := newRand(uint64(100 + i))
		s := someStudy(rng, 4+3*i, dim, 5e-4)
		nodes := newTree(t, s.belief, fantasies, zeroSamples(fantasies), lookahead.Options{}).Shape().Nodes()
		for _, c := range twinCases(s, uint64(100+i), fantasies) {
			t.Run(fmt.Sprintf("%v,%s,d=%d", fantasies, c.name, dim), func(t *testing.T) {
				x := farFromKinks(t, c, fantasies, func() []float64 { return points(rng, nodes, dim) }, nil)
				checkGradients(t, c, fantasies, x)
			})
		}
	}
}

func TestTreeGradientsWithDeadBranches(t *testing.T) {
	for i, fantasies := range shapes[1:] {
		rng := newRand(uint64(200 + i))
		s := someStudy(rng, 12, 2, 5e-4)
		base := randomSamples(rng, fantasies)
		nodes := newTree(t, s.belief, fantasies, base, lookahead.Options{}).Shape().Nodes()
		draw := func() []float64 { return points(rng, nodes, 2) }
		with := func(money float64) twinCase {
			b := s.belief
			b.Remaining = money
			return twinCase{fmt.Sprintf("money %v", money), b, base, lookahead.Options{}}
		}
		t.Run(fmt.Sprintf("%v,some dead", fantasies), func(t *testing.T) {
			if len(fantasies) == 1 && fantasies[0] == 1 {
				t.Skip("one child is alive or dead")
			}
			// Money that buys about one evaluation leaves some branches dead.
			c := with(1.2)
			x := farFromKinks(t, c, fantasies, draw, func(s *slow) bool { return s.dead > 0 && s.live > 1 })
			checkGradients(t, c, fantasies, x)
		})
		t.Run(fmt.Sprintf("%v,all but the root dead", fantasies), func(t *testing.T) {
			c := with(0.05)
			x := farFromKinks(t, c, fantasies, draw, func(s *slow) bool { return s.live == 1 && s.dead == fantasies[0] })
			checkGradients(t, c, fantasies, x)
			grad := make([]float64, len(x))
			newTree(t, c.belief, fantasies, c.base, c.options).NewWalk().LogValue(grad, x)
			if length(grad[:2]) == 0 || length(grad[2:]) != 0 {
				t.Errorf("gradient %v: only the root's should not vanish", grad)
			}
		})
	}
}

func TestTreeWithoutMoney(t *testing.T) {
	for _, fantasies := range shapes {
		s := someStudy(newRand(1), 6, 2, 5e-4)
		for _, money := range []float64{0, -3, math.Inf(-1)} {
			s.belief.Remaining = money
			tree := newTree(t, s.belief, fantasies, randomSamples(newRand(2), fantasies), lookahead.Options{})
			walk, x := tree.NewWalk(), points(newRand(3), tree.Shape().Nodes(), 2)
			grad := repeat([]float64{7}, len(x))
			if v := walk.Value(grad, x); v != 0 || length(grad) != 0 {
				t.Errorf("%v: value %v, gradient %v", fantasies, v, grad)
			}
			grad = repeat([]float64{7}, len(x))
			if v := walk.LogValue(grad, x); !math.IsInf(v, -1) || length(grad) != 0 {
				t.Errorf("%v: log %v, gradient %v", fantasies, v, grad)
			}
		}
	}
}

// With the incumbent 40 standard deviations above the root, and no child near it either, the value is 0
// and its logarithm still has a slope to climb.
func TestLogValueIsUsefulFarBelowTheIncumbent(t *testing.T) {
	for i, fantasies := range shapes {
		rng := newRand(uint64(300 + i))
		s := someStudy(rng, 12, 2, 5e-4)
		b := s.belief
		b.Best += 60 * math.Sqrt(b.Objective.Hyper().Outputscale) * b.Objective.Standard().Scale
		c := twinCase{"far", b, randomSamples(rng, fantasies), lookahead.Options{}}
		tree := newTree(t, b, fantasies, c.base, c.options)
		walk := tree.NewWalk()
		x := points(rng, tree.Shape().Nodes(), 2)
		grad := make([]float64, len(x))
		if v := walk.Value(grad, x); v != 0 || length(grad) != 0 {
			t.Errorf("%v: Q = %v, gradient %v", fantasies, v, grad)
		}
		v := walk.LogValue(grad, x)
		if math.IsInf(v, 0) || math.IsNaN(v) || !(v < -700) {
			t.Errorf("%v: ln Q = %v", fantasies, v)
		}
		if l := length(grad); math.IsNaN(l) || math.IsInf(l, 0) || l < 1 {
			t.Errorf("%v: gradient %v", fantasies, grad)
		}
		gradcheck.Check(t, walk.LogValue, x, gradcheck.Settings{Step: 1e-4})
	}
}

// Nodes coincide with their ancestors, with siblings and with data. Kinks come near when an ancestor's point is
// evaluated again; more noise than elsewhere keeps them out of reach.
func TestTreeGradientsOnCoincidingPoints(t *testing.T) {
	for i, fantasies := range shapes {
		dim := 1 + i%4
		rng := newRand(uint64(400 + i))
		s := someStudy(rng, 10, dim, 0.05)
		nodes := newTree(t, s.belief, fantasies, zeroSamples(fantasies), lookahead.Options{}).Shape().Nodes()
		for _, where := range []struct { // in this order, as all draw from one generator
			name string
			draw func() []float64
		}{
			{"one point", func() []float64 { return repeat(points(rng, 1, dim), nodes) }},
			{"a datum", func() []float64 { return repeat(s.x[rng.IntN(len(s.x))], nodes) }},
			{"mixed", func() []float64 {
				x := points(rng, nodes, dim)
				for j := 1; j < nodes; j++ {
					switch rng.IntN(3) {
					case 0:
						copy(x[j*dim:(j+1)*dim], x[:dim]) // the root's
					case 1:
						copy(x[j*dim:(j+1)*dim], s.x[rng.IntN(len(s.x))])
					}
				}
				return x
			}},
		} {
			t.Run(fmt.Sprintf("%v,%s,d=%d", fantasies, where.name, dim), func(t *testing.T) {
				c := twinCase{where.name, s.belief, randomSamples(rng, fantasies), lookahead.Options{}}
				x := farFromKinks(t, c, fantasies, where.draw, nil)
				checkGradients(t, c, fantasies, x)
			})
		}
	}
}

// The floors remove the gradients of the deviations and leave those of the fantasies alone.
func TestTreeGradientsWithFloors(t *testing.T) {
	for i, fantasies := range shapes {
		rng := newRand(uint64(500 + i))
		s := someStudy(rng, 10, 2, 5e-4)
		nodes := newTree(t, s.belief, fantasies, zeroSamples(fantasies), lookahead.Options{}).Shape().Nodes()
		for _, floor := range [][2]float64{{500, 0}, {0, 50}, {500, 50}} {
			b := s.belief
			b.MinSD = floor
			c := twinCase{fmt.Sprintf("floors %v", floor), b, randomSamples(rng, fantasies), lookahead.Options{}}
			x := farFromKinks(t, c, fantasies, func() []float64 { return points(rng, nodes, 2) }, nil)
			checkGradients(t, c, fantasies, x)
		}
	}
}

// A walk remembers nothing: values do not depend on what was evaluated before.
func TestWalkHasNoMemory(t *testing.T) {
	rng := newRand(600)
	fantasies := []int{3, 2}
	s := someStudy(rng, 10, 2, 5e-4)
	s.belief.Remaining = 1.5
	tree := newTree(t, s.belief, fantasies, randomSamples(rng, fantasies), lookahead.Options{})
	used := tree.NewWalk()
	for range 30 {
		x := points(rng, tree.Shape().Nodes(), 2)
		gradUsed, gradFresh := make([]float64, len(x)), repeat([]float64{math.NaN()}, len(x))
		a, b := used.LogValue(gradUsed, x), tree.NewWalk().LogValue(gradFresh, x)
		if a != b {
			t.Fatalf("ln Q = %v, on a fresh walk %v", a, b)
		}
		for j := range gradUsed {
			if gradUsed[j] != gradFresh[j] {
				t.Fatalf("gradient %v, on a fresh walk %v", gradUsed, gradFresh)
			}
		}
		used.Value(gradUsed, points(rng, tree.Shape().Nodes(), 2))
	}
}

func TestValueAndLogValueDoNotAllocate(t *testing.T) {
	for _, fantasies := range [][]int{{}, {1, 1, 1}, {4, 4, 2}} {
		rng := newRand(1)
		s := someStudy(rng, 20, 3, 5e-4)
		tree := newTree(t, s.belief, fantasies, randomSamples(rng, fantasies), lookahead.Options{MeanCost: true})
		walk := tree.NewWalk()
		x := points(rng, tree.Shape().Nodes(), 3)
		grad := make([]float64, len(x))
		if n := testing.AllocsPerRun(20, func() {
			walk.Value(nil, x)
			walk.Value(grad, x)
			walk.LogValue(nil, x)
			walk.LogValue(grad, x)
		}); n != 0 {
			t.Errorf("%v: %v allocations", fantasies, n)
		}
	}
}

func BenchmarkTree(b *testing.B) {
	for _, fantasies := range [][]int{{1, 1, 1}, {4, 4, 2}} {
		for _, n := range []int{20, 50, 100} {
			rng := newRand(1)
			s := someStudy(rng, n, 3, 5e-4)
			s.belief.Remaining = 20
			tree := newTree(b, s.belief, fantasies, lookahead.SobolSamples(fantasies, 1), lookahead.Options{})
			walk, x := tree.NewWalk(), points(rng, tree.Shape().Nodes(), 3)
			grad := make([]float64, len(x))
			b.Run(fmt.Sprintf("%v/n=%d/value", fantasies, n), func(b *testing.B) {
				for b.Loop() {
					walk.LogValue(nil, x)
				}
			})
			b.Run(fmt.Sprintf("%v/n=%d/gradient", fantasies, n), func(b *testing.B) {
				for b.Loop() {
					walk.LogValue(grad, x)
				}
			})
		}
	}
}
