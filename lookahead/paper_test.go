package lookahead_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/lookahead"
)

// These tests check on this code what the paper proves. The paper is Astudillo, Jiang, Balandat, Bakshy and
// Frazier, "Multi-Step Budgeted Bayesian Optimization with Unknown Evaluation Costs", NeurIPS 2021. Each test
// names its place in the paper.
//
// If one side of an equation is an expectation, it is estimated by Monte Carlo, and the only tolerance is the
// estimate's own standard error. Seeds are fixed: a test that passed passes again.

// tooFar is how many standard errors an estimate may be off. A correct formula is that far off once
// in 150,000 comparisons.
const tooFar = 4.5

// skipWhenShort leaves these tests out of the race detector's run: they take seconds, and start no goroutine.
func skipWhenShort(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of Monte Carlo")
	}
}

// average is a Monte Carlo estimate.
type average struct{ n, sum, squares float64 }

func (a *average) add(v float64) {
	a.n++
	a.sum += v
	a.squares += v * v
}

func (a *average) mean() float64 { return a.sum / a.n }

func (a *average) standardError() float64 {
	return math.Sqrt(math.Max(a.squares/a.n-a.mean()*a.mean(), 0) / a.n)
}

// off returns by how many standard errors the estimate is above want.
func (a *average) off(want float64) float64 {
	if a.mean() == want {
		return 0 // an average of zeros has no standard error
	}
	return (a.mean() - want) / a.standardError()
}

// smallStudy returns the belief after the paper's initial design of 2(d+1) points on a problem with two
// inputs: a wavy objective and, as in the paper's synthetic costs, one cosine per input for ln c.
func smallStudy() acq.Belief {
	x := [][]float64{{0.1, 0.8}, {0.9, 0.3}, {0.45, 0.55}, {0.7, 0.95}, {0.25, 0.2}, {0.6, 0.05}}
	y, lnCost := make([]float64, len(x)), make([]float64, len(x))
	best := math.Inf(-1)
	for i, p := range x {
		y[i] = 2 + math.Sin(6*p[0])*math.Cos(4*p[1]) + p[1]
		lnCost[i] = 0.5 * (math.Cos(2*math.Pi*(p[0]-0.3)) + math.Cos(2*math.Pi*(p[1]-0.6)))
		best = math.Max(best, y[i])
	}
	return acq.Belief{
		Objective: gp.New(x, y, gp.Standardise(y),
			gp.Hyper{Lengthscales: []float64{0.2, 0.25}, Outputscale: 2, Noise: 1e-4, Mean: 0.1}),
		LnCost: gp.New(x, lnCost, gp.Standardise(lnCost),
			gp.Hyper{Lengthscales: []float64{0.3, 0.25}, Outputscale: 1.5, Noise: 1e-3}),
		Best: best, Remaining: 2,
	}
}

// somewhere are points of the unit square: in corners, between the data and near them.
var somewhere = [][]float64{
	{0.05, 0.05}, {0.22, 0.5}, {0.5, 0.8}, {0.8, 0.7}, {0.95, 0.95}, {0.4, 0.98}, {0.62, 0.85}, {0.35, 0.75},
}

// variant is a closed form, and the function of objective and cost whose expectation it claims to be.
type variant struct {
	name string
	form *acq.Function
	of   func(f, cost float64) float64
	mean average
}

// incumbents are two values to improve on: the best so far, and the mean of the data. Improvements on the
// mean are more frequent, which makes the estimates more precise.
func incumbents(b acq.Belief) []float64 { return []float64{b.Best, b.Objective.Standard().Shift} }

// Proposition 1: expected improvement within the budget, E[(f(x) − u)⁺ 1{c(x) ≤ B − s}], is
// EI(x)·Φ((ln(B − s) − μ_c)/σ_c) while s < B, and 0 after that.
func TestPaperProposition1BudgetedEI(t *testing.T) {
	skipWhenShort(t)
	b := smallStudy()
	var variants []variant
	for _, u := range incumbents(b) {
		for _, money := range []float64{0.7, 1, 2, 8, 0, -1} { // B − s
			b.Best, b.Remaining = u, money
			variants = append(variants, variant{
				name: fmt.Sprintf("over %.3g with %v left", u, money),
				form: acq.Budgeted(b),
				of: func(f, cost float64) float64 {
					if cost > money {
						return 0
					}
					return math.Max(f-u, 0)
				},
			})
		}
	}
	checkByMonteCarlo(t, b, variants, 1)
}

// Proposition 2: expected improvement per unit of cost, E[(f(x) − u)⁺/c(x)], is EI(x)·exp(−μ_c + σ_c²/2);
// with the cost cooled to c^ν it is EI(x)·exp(−νμ_c + ν²σ_c²/2).
func TestPaperProposition2EIPerUnitOfCost(t *testing.T) {
	skipWhenShort(t)
	b := smallStudy()
	var variants []variant
	for _, u := range incumbents(b) {
		for _, nu := range []float64{1, 0.7, 0.3, 0} {
			b.Best = u
			variants = append(variants, variant{
				name: fmt.Sprintf("over %.3g per cost to the power %v", u, nu),
				form: acq.PerCost(b, nu),
				of:   func(f, cost float64) float64 { return math.Max(f-u, 0) / math.Pow(cost, nu) },
			})
		}
	}
	checkByMonteCarlo(t, b, variants, 2)
}

// checkByMonteCarlo draws objective and cost from their posteriors many times, and compares each closed form
// with its expectation.
func checkByMonteCarlo(t *testing.T, b acq.Belief, variants []variant, seed uint64) {
	t.Helper()
	const draws = 100_000
	rng := rand.New(rand.NewPCG(seed, 1))
	worst := 0.0
	for _, x := range somewhere {
		for k := range variants {
			variants[k].mean = average{}
		}
		for range draws {
			f, cost := b.Objective.Sample([][]float64{x}, rng)[0], math.Exp(b.LnCost.Sample([][]float64{x}, rng)[0])
			for k := range variants {
				variants[k].mean.add(variants[k].of(f, cost))
			}
		}
		for _, v := range variants {
			want, mean, se := v.form.Eval(nil, x), v.mean.mean(), v.mean.standardError()
			off := v.mean.off(want)
			worst = math.Max(worst, math.Abs(off))
			if !(math.Abs(off) <= tooFar) {
				t.Errorf("%v %s: %.6g, Monte Carlo %.6g ± %.2g: %.1f standard errors off", x, v.name, want, mean, se, off)
			}
			// A standard error from a handful of hits would excuse anything.
			if want > 0 && !(se < 0.1*want) {
				t.Errorf("%v %s: %.6g ± %.2g says too little", x, v.name, mean, se)
			}
		}
	}
	t.Logf("%d comparisons, at most %.2f standard errors off", len(somewhere)*len(variants), worst)
}

// The equation of B-MS-EI and its one-shot form: the dynamic programme
//
//	Q_N(x|D) = Q_1(x|D) + E_{y,z}[max_x' Q_{N−1}(x' | D ∪ (x,y,z))],
//
// with the expectation taken over fantasies, has the same value and the same best x as one joint maximisation
// of the tree's value over the points of all its nodes, because every scenario has its own point. With a few
// candidate points both sides can be computed directly: the programme as it is written, and the tree by trying
// all assignments of candidates to nodes.
func TestPaperOneShotTreeSolvesTheDynamicProgramme(t *testing.T) {
	skipWhenShort(t)
	candidates := somewhere[1:6]
	worst, farsighted := 0.0, 0
	for _, fantasies := range [][]int{{2}, {2, 2}, {3, 1}, {1, 1}} {
		for _, money := range []float64{0.9, 2, 5} { // with the smallest, many second steps are beyond the budget
			b := smallStudy()
			b.Remaining = money
			base := lookahead.SobolSamples(fantasies, 7)
			want := bellman(b, candidates, base)
			got := bestTrees(t, b, candidates, fantasies, base)
			for i := range candidates {
				off := math.Abs(got[i]/want[i] - 1)
				worst = math.Max(worst, off)
				if !(off < 1e-9) {
					t.Errorf("tree %v, budget %v, root %v: %.12g, by recursion %.12g", fantasies, money, candidates[i], got[i], want[i])
				}
			}
			if indexOfMax(got) != indexOfMax(want) {
				t.Errorf("tree %v, budget %v: root %d, by recursion %d", fantasies, money, indexOfMax(got), indexOfMax(want))
			}
			if indexOfMax(got) != indexOfMax(bellman(b, candidates, nil)) {
				farsighted++
			}
		}
	}
	t.Logf("worst relative difference %.2g; the plan differs from the greedy choice in %d cases", worst, farsighted)
	if farsighted == 0 {
		t.Error("no plan differs from the greedy choice: the cases are too easy")
	}
}

// bellman returns Q_N at each candidate, by recursion over the levels of base samples.
func bellman(b acq.Belief, candidates [][]float64, base lookahead.Samples) []float64 {
	one, q := acq.Budgeted(b), make([]float64, len(candidates))
	for i, x := range candidates {
		q[i] = one.Eval(nil, x)
		if len(base) == 0 {
			continue
		}
		for _, e := range base[0] {
			q[i] += slices.Max(bellman(afterFantasy(b, x, e), candidates, base[1:])) / float64(len(base[0]))
		}
	}
	return q
}

// afterFantasy returns the belief after an evaluation at x that returned y = μ + √(σ²+τ²)ε, and a
// cost of the same form.
func afterFantasy(b acq.Belief, x []float64, e lookahead.Sample) acq.Belief {
	y, lnCost := observation(b.Objective, x, e.Value), observation(b.LnCost, x, e.LnCost)
	b.Objective, b.LnCost = b.Objective.Condition(x, y), b.LnCost.Condition(x, lnCost)
	b.Best = math.Max(b.Best, y)
	b.Remaining -= math.Exp(lnCost)
	return b
}

func observation(m *gp.Model, x []float64, eps float64) float64 {
	mean, sd := predictive(m, x)
	return mean + sd*eps
}

// predictive returns the mean and standard deviation of an observation, including noise.
func predictive(m *gp.Model, x []float64) (mean, sd float64) {
	mean, variance := m.Posterior(x)
	scale := m.Standard().Scale
	return mean, math.Sqrt(variance + m.Hyper().Noise*scale*scale)
}

// bestTrees returns, for each candidate at the root, the tree's largest value over all assignments of
// candidates to the other nodes.
func bestTrees(t *testing.T, b acq.Belief, candidates [][]float64, fantasies []int, base lookahead.Samples) []float64 {
	walk := newWalk(t, b, fantasies, base, lookahead.Options{})
	best := make([]float64, len(candidates))
	pick := make([]int, walk.Shape().Nodes()) // like an odometer: the root changes slowest
	x := slices.Repeat(candidates[0], len(pick))
	for {
		best[pick[0]] = math.Max(best[pick[0]], walk.Value(nil, x))
		j := len(pick) - 1
		for ; j >= 0; j-- {
			pick[j] = (pick[j] + 1) % len(candidates)
			copy(x[j*2:j*2+2], candidates[pick[j]])
			if pick[j] > 0 {
				break
			}
		}
		if j < 0 {
			return best
		}
	}
}

func newWalk(t *testing.T, b acq.Belief, fantasies []int, base lookahead.Samples, o lookahead.Options) *lookahead.Walk {
	t.Helper()
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := lookahead.New(b, shape, base, o)
	if err != nil {
		t.Fatal(err)
	}
	return tree.NewWalk()
}

func indexOfMax(v []float64) int { return slices.Index(v, slices.Max(v)) }

// The path variant, B-MS-EI_p: ln c is normal, so a cost has the mean exp(μ + σ²/2) and the median exp μ. The
// path's only fantasy is the posterior mean of ln c, so it plans with the median cost, which is below the mean.
// With MeanCost, which the paper does not have, it plans with the mean.
func TestPaperPathPlansWithTheMedianCost(t *testing.T) {
	skipWhenShort(t)
	const draws = 200_000
	b := smallStudy()
	b.Remaining = 100 // so that every path can pay its first step
	rng := rand.New(rand.NewPCG(3, 1))
	worstMean, worstMedian := 0.0, 0.0
	for _, x := range somewhere {
		charged := func(o lookahead.Options) float64 {
			walk := newWalk(t, b, []int{1}, lookahead.SobolSamples([]int{1}, 0), o)
			path := walk.LikeliestPath(slices.Concat(x, x))
			return path[0].Money - path[1].Money
		}
		median, mean := charged(lookahead.Options{}), charged(lookahead.Options{MeanCost: true})
		var cost, below average
		mu, sigma := predictive(b.LnCost, x)
		for range draws {
			c := math.Exp(b.LnCost.Sample([][]float64{x}, rng)[0] + observationNoise(b.LnCost, rng))
			cost.add(c)
			if c <= median {
				below.add(1)
			} else {
				below.add(0)
			}
		}
		worstMean = math.Max(worstMean, math.Abs(cost.off(mean)))
		worstMedian = math.Max(worstMedian, math.Abs(below.off(0.5)))
		if !(math.Abs(cost.off(mean)) <= tooFar) {
			t.Errorf("%v: with MeanCost a path is charged %.6g, costs average %.6g ± %.2g", x, mean, cost.mean(), cost.standardError())
		}
		if !(math.Abs(below.off(0.5)) <= tooFar) {
			t.Errorf("%v: a path is charged %.6g, %.4g of the costs are below, want a half", x, median, below.mean())
		}
		if want := math.Exp(mu); !(math.Abs(median/want-1) < 1e-9) {
			t.Errorf("%v: a path is charged %.12g, exp μ = %.12g", x, median, want)
		}
		if want := math.Exp(mu + sigma*sigma/2); !(math.Abs(mean/want-1) < 1e-9) || !(median < mean) {
			t.Errorf("%v: with MeanCost a path is charged %.12g, exp(μ + σ²/2) = %.12g, median %.12g", x, mean, want, median)
		}
	}
	t.Logf("mean at most %.2f, median at most %.2f standard errors off", worstMean, worstMedian)
}

func observationNoise(m *gp.Model, rng *rand.Rand) float64 {
	return m.Standard().Scale * math.Sqrt(m.Hyper().Noise) * rng.NormFloat64()
}
