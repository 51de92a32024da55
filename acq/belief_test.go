package acq_test

import (
	"math"
	"math/rand/v2"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func point(rng *rand.Rand, dim int) []float64 {
	x := make([]float64, dim)
	for j := range x {
		x[j] = rng.Float64()
	}
	return x
}

// someBelief returns models of random smooth data, a medium budget and an incumbent.
func someBelief(rng *rand.Rand, n, dim int) acq.Belief {
	x := make([][]float64, n)
	y, lnCost := make([]float64, n), make([]float64, n)
	best := math.Inf(-1)
	for i := range x {
		x[i] = point(rng, dim)
		for j, v := range x[i] {
			y[i] += 20 * math.Sin(4*v+float64(j))
			lnCost[i] += math.Cos(5*v - float64(j))
		}
		best = math.Max(best, y[i])
	}
	return acq.Belief{
		Objective: gp.New(x, y, gp.Standardise(y), someHyper(rng, dim)),
		LnCost:    gp.New(x, lnCost, gp.Standardise(lnCost), someHyper(rng, dim)),
		Best:      best,
		Remaining: 1.5,
	}
}

func someHyper(rng *rand.Rand, dim int) gp.Hyper {
	h := gp.Hyper{Outputscale: 0.5 + 2*rng.Float64(), Noise: 5e-4, Mean: rng.NormFloat64() / 3}
	for range dim {
		h.Lengthscales = append(h.Lengthscales, 0.2+0.6*rng.Float64())
	}
	return h
}

// family lists all functions on a belief, newly made at each call.
func family(b acq.Belief) map[string]func() *acq.Function {
	return map[string]func() *acq.Function{
		"EI":               func() *acq.Function { return acq.EI(b) },
		"EI per cost^0":    func() *acq.Function { return acq.PerCost(b, 0) },
		"EI per cost^0.3":  func() *acq.Function { return acq.PerCost(b, 0.3) },
		"EI per cost":      func() *acq.Function { return acq.PerCost(b, 1) },
		"EI within budget": func() *acq.Function { return acq.Budgeted(b) },
		"EI per median":    func() *acq.Function { return acq.PerMedianCost(b, 0.7) },

		"EI per cost within budget": func() *acq.Function { return acq.PerCost(b, 0.7).WithinBudget() },
	}
}

// indices lists the functions that are not expected gains.
func indices(b acq.Belief) map[string]func() *acq.Function {
	return map[string]func() *acq.Function{
		"Gittins, cheap":     func() *acq.Function { return acq.Gittins(b, 1e-6) },
		"Gittins":            func() *acq.Function { return acq.Gittins(b, 0.1) },
		"Gittins, expensive": func() *acq.Function { return acq.Gittins(b, 30) },
	}
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func length(v []float64) float64 {
	sum := 0.0
	for _, e := range v {
		sum = math.Hypot(sum, e)
	}
	return sum
}
