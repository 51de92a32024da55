package lookahead_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/lookahead"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2)) }

// The shapes all tests run over.
var shapes = [][]int{{}, {1}, {3}, {1, 1, 1}, {2, 3}, {4, 4, 2}, {2, 1, 2}, {1, 1, 1, 1, 1}}

func points(rng *rand.Rand, n, dim int) []float64 {
	x := make([]float64, n*dim)
	for i := range x {
		x[i] = rng.Float64()
	}
	return x
}

// study is random smooth data, and the belief fitted to them.
type study struct {
	x      [][]float64
	belief acq.Belief
}

// someStudy returns a study whose costs lie around 1 and whose money buys a few evaluations.
func someStudy(rng *rand.Rand, n, dim int, noise float64) study {
	s := study{x: make([][]float64, n)}
	y, lnCost := make([]float64, n), make([]float64, n)
	best := math.Inf(-1)
	for i := range s.x {
		s.x[i] = points(rng, 1, dim)
		for j, v := range s.x[i] {
			y[i] += 20 * math.Sin(4*v+float64(j))
			lnCost[i] += math.Cos(5*v-float64(j)) / float64(dim)
		}
		best = math.Max(best, y[i])
	}
	s.belief = acq.Belief{
		Objective: gp.New(s.x, y, gp.Standardise(y), someHyper(rng, dim, noise)),
		LnCost:    gp.New(s.x, lnCost, gp.Standardise(lnCost), someHyper(rng, dim, noise)),
		Best:      best, Remaining: 4,
	}
	return s
}

func someHyper(rng *rand.Rand, dim int, noise float64) gp.Hyper {
	h := gp.Hyper{Outputscale: 0.5 + 2*rng.Float64(), Noise: noise, Mean: rng.NormFloat64() / 3}
	for range dim {
		h.Lengthscales = append(h.Lengthscales, 0.2+0.6*rng.Float64())
	}
	return h
}

// randomSamples are base samples that are nowhere zero.
func randomSamples(rng *rand.Rand, fantasies []int) lookahead.Samples {
	base := make(lookahead.Samples, len(fantasies))
	for i, m := range fantasies {
		for range m {
			base[i] = append(base[i], lookahead.Sample{Value: rng.NormFloat64(), LnCost: rng.NormFloat64()})
		}
	}
	return base
}

// zeroSamples are those of a path.
func zeroSamples(fantasies []int) lookahead.Samples {
	base := make(lookahead.Samples, len(fantasies))
	for i, m := range fantasies {
		base[i] = make([]lookahead.Sample, m)
	}
	return base
}

func newTree(t testing.TB, b acq.Belief, fantasies []int, base lookahead.Samples, o lookahead.Options) *lookahead.Tree {
	t.Helper()
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := lookahead.New(b, shape, base, o)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func length(v []float64) float64 {
	sum := 0.0
	for _, e := range v {
		sum = math.Hypot(sum, e)
	}
	return sum
}
