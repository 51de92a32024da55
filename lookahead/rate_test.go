package lookahead_test

import (
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/gradcheck"
	"github.com/eke-bo/eke/lookahead"
)

// leveledBelief is a belief from data of several levels of fidelity.
func leveledBelief(seed uint64, n, dim int) acq.Belief {
	rng := newRand(seed)
	x, levels := make([][]float64, n), make([]float64, n)
	y, lnCost, best := make([]float64, n), make([]float64, n), math.Inf(-1)
	for i := range x {
		x[i], levels[i] = points(rng, 1, dim), []float64{1, 0, 0.5}[i%3]
		for j, v := range x[i] {
			y[i] += math.Sin(4*v+float64(j)) - (1-levels[i])*v
			lnCost[i] += math.Cos(3*v)/float64(dim) - 2*(1-levels[i])
		}
		if levels[i] == 1 {
			best = math.Max(best, y[i])
		}
	}
	model := func(targets []float64) *gp.Model {
		h := someHyper(rng, dim, 5e-4)
		h.Fading = &gp.Fading{Lengthscale: 2, Bias: 0.3, Shift: 1, Power: 1.2, Loss: 0.2}
		return gp.NewAt(x, levels, targets, gp.Standardise(targets), h)
	}
	return acq.Belief{Objective: model(y), LnCost: model(lnCost), Best: best, Remaining: 9}
}

// slowPlan is the value and the price of a tree with looks straight from their definitions: each node has its own models, conditioned
// on the fantasies on the way.
func slowPlan(b acq.Belief, fidelity []float64, fantasies []int, base lookahead.Samples, x []float64, level, first, width, index int) (value, price float64) {
	dim := b.Objective.Dim()
	p := x[(first+index)*dim : (first+index+1)*dim]
	if !(b.Remaining > 0) {
		return 0, 0
	}
	here := b.At(fidelity[level])
	mean, variance := here.Objective.Posterior(p)
	costMean, costVariance := here.LnCost.Posterior(p)
	price = math.Exp(costMean)
	if fidelity[level] == 1 {
		value = math.Exp(acq.Budgeted(b).Log().Eval(nil, p))
	}
	if level == len(fantasies) {
		return value, price
	}
	for j, e := range base[level] {
		y, lnCost := mean+math.Sqrt(variance+noise(b.Objective))*e.Value, costMean+math.Sqrt(costVariance+noise(b.LnCost))*e.LnCost
		child := b
		child.Objective, child.LnCost = here.Objective.Condition(p, y).At(1), here.LnCost.Condition(p, lnCost).At(1)
		if child.Remaining -= math.Exp(lnCost); fidelity[level] == 1 {
			child.Best = math.Max(b.Best, y)
		}
		v, c := slowPlan(child, fidelity, fantasies, base, x, level+1, first+width, width*fantasies[level], j*width+index)
		value, price = value+v/float64(fantasies[level]), price+c/float64(fantasies[level])
	}
	return value, price
}

// Trees with looks: the value for the price is that of the slow twin, and the gradient that of finite differences.
func TestTreesWithLooks(t *testing.T) {
	for i, c := range []struct{ fantasies, fidelity []float64 }{
		{[]float64{5, 1}, []float64{0, 1, 1}},
		{[]float64{3, 2}, []float64{0, 0.5, 1}},
		{[]float64{2, 2}, []float64{1, 0.5, 1}},
		{[]float64{4}, []float64{1, 1}},
	} {
		rng := newRand(uint64(i))
		var fantasies []int
		for _, m := range c.fantasies {
			fantasies = append(fantasies, int(m))
		}
		b, base := leveledBelief(uint64(i), 15, 2), randomSamples(rng, fantasies)
		tree := newTree(t, b, fantasies, base, lookahead.Options{Fidelity: c.fidelity})
		walk := tree.NewWalk()
		x := points(rng, tree.Shape().Nodes(), 2)
		value, price := slowPlan(b, c.fidelity, fantasies, base, x, 0, 0, 1, 0)
		if got, want := walk.LogRate(nil, x, 0.7), math.Log(value)-0.7*math.Log(price); math.Abs(got-want) > 1e-6 {
			t.Errorf("%v: the rate is %v, by conditioning %v", c.fidelity, got, want)
		}
		rate := func(grad, x []float64) float64 { return walk.LogRate(grad, x, 0.7) }
		gradcheck.Check(t, rate, x, gradcheck.Settings{Step: 1e-4})
		gradcheck.Check(t, walk.LogValue, x, gradcheck.Settings{Step: 1e-4})
		if got := walk.LogValue(nil, x); math.Abs(got-math.Log(value)) > 1e-6 {
			t.Errorf("%v: the value is %v, by conditioning %v", c.fidelity, got, math.Log(value))
		}
	}
}

// A tree whose levels are all at the top is, bit for bit, the tree without looks.
func TestTreeWithoutLooks(t *testing.T) {
	b, fantasies := leveledBelief(4, 12, 3), []int{3, 2}
	base := randomSamples(newRand(1), fantasies)
	plain, leveled := newTree(t, b, fantasies, base, lookahead.Options{}), newTree(t, b, fantasies, base, lookahead.Options{Fidelity: []float64{1, 1, 1}})
	x := points(newRand(2), plain.Shape().Nodes(), 3)
	want, got := make([]float64, len(x)), make([]float64, len(x))
	if plain.NewWalk().LogValue(want, x) != leveled.NewWalk().LogValue(got, x) || !slices.Equal(got, want) {
		t.Errorf("gradients %v and %v", got, want)
	}
	if _, err := lookahead.New(b, plain.Shape(), base, lookahead.Options{Fidelity: []float64{1}}); err == nil {
		t.Error("a fidelity for one level of three is accepted")
	}
}
