package lookahead_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/normal"
)

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
