package lookahead_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/normal"
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

// Theorem 1: EI and EI per unit of cost can be arbitrarily worse than the best policy.

// world is one of the proof's two constructions. The value 0 is known from the start. For sale are
//
//	one big point:  value N(0, 1), cost 1+δ, which is the whole budget;
//	small points:   ⌈(1+δ)/ε⌉ of them, values N(0, smallSD²), cost ε each;
//
// where all values are independent and all costs are known. As ε → 0, a myopic policy gets worse
// and worse.
type world struct{ epsilon, smallSD float64 }

// onePlusDelta is the budget. Any δ > 0 works in the proof. With this one, no number of small points costs
// exactly the budget, so rounding decides nothing.
const onePlusDelta = 1.27

type kind int

const (
	bigPoint kind = iota
	smallPoint
)

var kinds = []kind{bigPoint, smallPoint}

func (w world) sd(k kind) float64 {
	return [...]float64{bigPoint: 1, smallPoint: w.smallSD}[k]
}

func (w world) cost(k kind) float64 {
	return [...]float64{bigPoint: onePlusDelta, smallPoint: w.epsilon}[k]
}

// supply returns how many points of a kind there are.
func (w world) supply(k kind) int {
	return [...]int{bigPoint: 1, smallPoint: int(math.Ceil(onePlusDelta / w.epsilon))}[k]
}

// affordable returns how many small points the budget buys.
func (w world) affordable() int { return int(math.Floor(onePlusDelta / w.epsilon)) }

// position is the state of a game: the best value, and how many points of each kind were bought.
type position struct {
	best   float64
	bought [2]int
}

func (p position) after(k kind, y float64) position {
	p.best = math.Max(p.best, y)
	p.bought[k]++
	return p
}

// money returns what is left of the budget.
func (w world) money(p position) float64 {
	left := onePlusDelta
	for _, k := range kinds {
		left -= float64(p.bought[k]) * w.cost(k)
	}
	return left
}

// A player gives a value to an unbought point of a kind, and buys the kind with the higher value. There are
// four: ei, eiPerCost, budgetedEI, which is Q_1, and planner.q, which is Q_N.
type player func(kind, position) float64

func (w world) ei(k kind, p position) float64 {
	v, _, _ := acq.LogEI(0, w.sd(k), p.best)
	return math.Exp(v)
}

func (w world) eiPerCost(k kind, p position) float64 {
	v, _, _ := acq.LogPerCost(math.Log(w.cost(k)), 0, 1)
	return w.ei(k, p) * math.Exp(v)
}

func (w world) budgetedEI(k kind, p position) float64 {
	// A known cost is a log-normal of almost no width. Money that is just enough must count as
	// enough, so it gets a tiny bit more, which must be many widths.
	const width, hair = 1e-12, 1e-9
	money := w.money(p)
	if money <= 0 {
		return 0
	}
	v, _, _, _ := acq.LogFits(math.Log(w.cost(k)), width, math.Log(money)+hair)
	return w.ei(k, p) * math.Exp(v)
}

// planner computes budgeted multi-step EI by its recursion, where N is the number of steps that the budget
// buys. Points of a kind are alike, so only the position matters, not how it was reached. The value of the
// rest of the game is stored on a grid of best values, and the expectation is a mean over equally likely
// strata of the normal.
type planner struct {
	world
	strata []float64
	worth  map[[2]int][]float64 // max_k Q(k|·) on the grid, by what was bought
}

// The grid, in standard deviations of a small point. Beyond its end a small point is worth nothing more, and a
// big one cannot follow: it takes the whole budget.
const gridStep, gridEnd = 0.01, 6.0

func newPlanner(w world) *planner {
	const n = 256
	l := &planner{world: w, worth: map[[2]int][]float64{}}
	for i := range n {
		l.strata = append(l.strata, normal.Quantile((float64(i)+0.5)/n))
	}
	return l
}

// q is Q_N(k|p) = Q_1(k|p) + E_y[max_k' Q_{N−1}(k' | p, y at k)].
func (l *planner) q(k kind, p position) float64 {
	now := l.budgetedEI(k, p)
	next := p.after(k, 0)
	if l.money(next) <= 0 {
		return now
	}
	rest, later, best, sd := l.rest(next.bought), 0.0, p.best/l.smallSD, l.sd(k)/l.smallSD
	for _, z := range l.strata {
		at := min(max(best, sd*z), gridEnd) / gridStep
		i := min(int(at), len(rest)-2)
		later += rest[i] + (at-float64(i))*(rest[i+1]-rest[i])
	}
	return now + later/float64(len(l.strata))
}

// rest returns, on the grid, the value of the best choice once so many points of each kind were
// bought.
func (l *planner) rest(bought [2]int) []float64 {
	if known, ok := l.worth[bought]; ok {
		return known
	}
	worth := make([]float64, int(gridEnd/gridStep)+1)
	for i := range worth {
		p := position{float64(i) * gridStep * l.smallSD, bought}
		for _, k := range kinds {
			if bought[k] < l.supply(k) {
				worth[i] = math.Max(worth[i], l.q(k, p))
			}
		}
	}
	l.worth[bought] = worth
	return worth
}

// result is the outcome of many games: the final values, and how many points of each kind were bought.
type result struct {
	average
	bought [2]int
}

const gamesPlayed = 10_000

// play lets a player spend the budget again and again. A point beyond the budget does not count and ends the
// game; a helped player is not offered such points.
func (w world) play(value player, helped bool, seed uint64) (r result) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for range gamesPlayed {
		var p position
		for {
			choice, highest := kind(-1), math.Inf(-1)
			for _, k := range kinds {
				if p.bought[k] == w.supply(k) || helped && w.cost(k) > w.money(p) {
					continue
				}
				if v := value(k, p); v > highest {
					choice, highest = k, v
				}
			}
			if choice < 0 || w.cost(choice) > w.money(p) {
				break
			}
			p = p.after(choice, w.sd(choice)*rng.NormFloat64())
			r.bought[choice]++
		}
		r.add(p.best)
	}
	return r
}

// oneLook is E[Z⁺], the value of buying the big point.
var oneLook = 1 / math.Sqrt(2*math.Pi)

// shrinking lists values of ε that go to 0.
var shrinking = []float64{0.2, 0.1, 0.05}

// Theorem 1, EI per unit of cost: with small points of standard deviation ε it buys only those, since their
// improvement per cost is higher. All of them together are worth at most ε√(2 ln((1+δ+ε)/ε)) → 0. Budgeted
// lookahead buys the big point instead.
func TestPaperTheorem1EIPerUnitOfCost(t *testing.T) {
	skipWhenShort(t)
	last := math.Inf(1)
	for _, epsilon := range shrinking {
		w := world{epsilon: epsilon, smallSD: epsilon}
		bound := epsilon * math.Sqrt(2*math.Log((onePlusDelta+epsilon)/epsilon))
		// The bound holds even with help. Without help, EI-PUC soon wants the big point, which it can no longer
		// afford.
		puc, unhelped := w.play(w.eiPerCost, true, 4), w.play(w.eiPerCost, false, 4)
		if puc.bought != [2]int{0, gamesPlayed * w.affordable()} {
			t.Errorf("ε = %v: EI-PUC bought %v big and small points in %d games", epsilon, puc.bought, gamesPlayed)
		}
		if puc.off(bound) > tooFar {
			t.Errorf("ε = %v: EI-PUC reaches %.4g ± %.2g, proved is at most %.4g", epsilon, puc.mean(), puc.standardError(), bound)
		}
		plan := playPlanned(t, w, bigPoint, 1)
		if plan.off(oneLook) < -tooFar {
			t.Errorf("ε = %v: lookahead reaches %.4g ± %.2g, short of %.4g", epsilon, plan.mean(), plan.standardError(), oneLook)
		}
		ratio := puc.mean() / plan.mean()
		if !(ratio < 1 && ratio < 0.7*last) { // halving ε takes more than a third off ε√(ln 1/ε), in the end half
			t.Errorf("ε = %v: EI-PUC reaches %.3g of what lookahead does, after %.3g", epsilon, ratio, last)
		}
		last = ratio
		t.Logf("ε = %v: EI-PUC %.4f ± %.4f (bound %.4f, without help %.4f), lookahead %.4f ± %.4f, ratio %.3f", epsilon,
			puc.mean(), puc.standardError(), bound, unhelped.mean(), plan.mean(), plan.standardError(), ratio)
	}
}

// Theorem 1, EI: with small points of standard deviation 1 − ε it spends everything on the big one, whose
// improvement is a little higher, and reaches E[Z⁺]. All small points together are worth at least
// (1−ε)√(ln⌊(1+δ)/ε⌋/(π ln 2)) → ∞. Budgeted lookahead buys those. One step of budgeted EI is not enough.
func TestPaperTheorem1EI(t *testing.T) {
	skipWhenShort(t)
	last := 1.0
	for _, epsilon := range shrinking {
		w := world{epsilon: epsilon, smallSD: 1 - epsilon}
		bound := (1 - epsilon) * math.Sqrt(math.Log(float64(w.affordable()))/(math.Pi*math.Ln2))
		for name, myopic := range map[string]player{"EI": w.ei, "budgeted EI": w.budgetedEI} {
			r := w.play(myopic, true, 5)
			if r.bought != [2]int{gamesPlayed, 0} {
				t.Errorf("ε = %v: %s bought %v big and small points in %d games", epsilon, name, r.bought, gamesPlayed)
			}
			if !(math.Abs(r.off(oneLook)) <= tooFar) {
				t.Errorf("ε = %v: %s reaches %.4g ± %.2g, want %.4g", epsilon, name, r.mean(), r.standardError(), oneLook)
			}
		}
		plan := playPlanned(t, w, smallPoint, w.affordable())
		if plan.off(bound) < -tooFar {
			t.Errorf("ε = %v: lookahead reaches %.4g ± %.2g, proved is at least %.4g", epsilon, plan.mean(), plan.standardError(), bound)
		}
		ratio := plan.mean() / oneLook
		if !(ratio > last) {
			t.Errorf("ε = %v: lookahead reaches %.3g times what EI does, after %.3g", epsilon, ratio, last)
		}
		last = ratio
		t.Logf("ε = %v: EI %.4f, lookahead %.4f ± %.4f (bound %.4f), ratio %.2f",
			epsilon, oneLook, plan.mean(), plan.standardError(), bound, ratio)
	}
}

// playPlanned plays with budgeted lookahead, without help. It must buy only the right kind of point, in the
// right number per game, and reach the value that Q_N promised. Q_N itself is checked against the only two
// plans: the big point, and all small points, whose improvements telescope to smallSD·E[max(0, Z_1, …, Z_n)].
func playPlanned(t *testing.T, w world, right kind, howMany int) result {
	t.Helper()
	const dz = 1e-3
	all := 0.0 // E[max(0, ·)] = ∫₀^∞ (1 − Φ(z)ⁿ) dz
	for z := dz / 2; z < 9; z += dz {
		all += dz * w.smallSD * (1 - math.Pow(normal.CDF(z), float64(w.affordable())))
	}
	l := newPlanner(w)
	promised := []float64{bigPoint: l.q(bigPoint, position{}), smallPoint: l.q(smallPoint, position{})}
	if !(math.Abs(promised[bigPoint]/oneLook-1) < 1e-9) || !(math.Abs(promised[smallPoint]/all-1) < 1e-3) {
		t.Errorf("ε = %v: Q_N = %.6g, want %.6g for the big point and %.6g for the small ones", w.epsilon, promised, oneLook, all)
	}
	if kind(indexOfMax(promised)) != right {
		t.Errorf("ε = %v: Q_N = %.4g of big and small prefers the wrong one", w.epsilon, promised)
	}
	r := w.play(l.q, false, 6)
	if r.bought[right] != gamesPlayed*howMany || r.bought[1-right] != 0 {
		t.Errorf("ε = %v: lookahead bought %v big and small points in %d games", w.epsilon, r.bought, gamesPlayed)
	}
	if !(math.Abs(r.off(promised[right])) <= tooFar) {
		t.Errorf("ε = %v: lookahead reaches %.4g ± %.2g, Q_N promised %.4g", w.epsilon, r.mean(), r.standardError(), promised[right])
	}
	t.Logf("ε = %v: Q_N = %.5f of big and small, exactly %.5f and %.5f; reached %.5f, %.2f standard errors off",
		w.epsilon, promised, oneLook, all, r.mean(), r.off(promised[right]))
	return r
}
