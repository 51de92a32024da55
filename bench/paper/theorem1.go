package paper

import (
	"math"
	"math/rand/v2"

	"github.com/eke-bo/eke/acq"
)

// Theorem 1: EI and EI per unit of cost can be arbitrarily worse than the best policy. In the proof's two worlds, the value 0 is
// known from the start. For sale are
//
//	one big point:  value N(0, 1), cost 1+δ, which is the whole budget;
//	small points:   ⌈(1+δ)/ε⌉ of them, values N(0, s²), cost ε each;
//
// where all values are independent and all costs are known. s = ε misleads EI per unit of cost, and s
// = 1 − ε misleads EI.
type shop struct{ epsilon, smallSD float64 }

// shopBudget is 1+δ. Any δ > 0 works in the proof. With this one, no number of small points costs exactly the
// budget.
const shopBudget = 1.27

// affordable returns how many small points the budget buys.
func (w shop) affordable() int { return int(shopBudget / w.epsilon) }

// oneLook is E[Z⁺], the value of buying the big point.
var oneLook = 1 / math.Sqrt(2*math.Pi)

// allSmall is the value of all affordable small points, s·E[max(0, Z₁, …, Z_n)] = s·∫₀^∞ (1 − Φ(z)ⁿ) dz, by the midpoint rule.
func (w shop) allSmall() float64 {
	const dz, end = 1e-3, 9
	n, sum := float64(w.affordable()), 0.0
	for z := dz / 2; z < end; z += dz {
		sum -= math.Expm1(n * math.Log1p(-math.Erfc(z/math.Sqrt2)/2))
	}
	return w.smallSD * sum * dz
}

// optimal is what the best policy reaches. A policy that buys a small point can no longer pay for the big one, and loses nothing
// by buying all small points it can afford. So there are two plans. Lookahead over as many steps as the budget buys finds the
// better one; lookahead/paper_test.go plays it.
func (w shop) optimal() float64 { return math.Max(oneLook, w.allSmall()) }

// play returns the mean of what a myopic policy reaches over many games, and its standard error. Of the points it can pay for, the
// policy buys the one it values higher. perCost says whether it values improvement per unit of cost.
func (w shop) play(perCost bool, games int, seed uint64) (mean, standardError float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	sum, squares := 0.0, 0.0
	for range games {
		best, money, bigSold := 0.0, shopBudget, false
		for {
			big, small := math.Inf(-1), math.Inf(-1)
			if !bigSold && money >= shopBudget {
				big = improvement(1, shopBudget, best, perCost)
			}
			if money >= w.epsilon {
				small = improvement(w.smallSD, w.epsilon, best, perCost)
			}
			if math.IsInf(big, -1) && math.IsInf(small, -1) {
				break
			}
			sd, cost := w.smallSD, w.epsilon
			if big > small {
				sd, cost, bigSold = 1, shopBudget, true
			}
			best = math.Max(best, sd*rng.NormFloat64())
			money -= cost
		}
		sum += best
		squares += best * best
	}
	n := float64(games)
	mean = sum / n
	return mean, math.Sqrt(math.Max(squares/n-mean*mean, 0) / n)
}

// improvement is ln of expected improvement over best of N(0, sd²) or, per cost, of that over the cost.
func improvement(sd, cost, best float64, perCost bool) float64 {
	v, _, _ := acq.LogEI(0, sd, best)
	if perCost {
		per, _, _ := acq.LogPerCost(math.Log(cost), 0, 1)
		v += per
	}
	return v
}
