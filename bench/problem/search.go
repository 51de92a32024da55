package problem

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Search searches thoroughly for the largest value of a problem, whatever it costs. The figures use the result as f* if there is no
// formula. It evaluates the given number of uniform points, and climbs from the best of them by the (1+1) evolution strategy with
// the one-fifth rule (I. Rechenberg, Evolutionsstrategie, 1973), which needs no gradient and crosses the flat steps of a forest. It
// returns the point found, its value, and the number of evaluations.
func Search(p *Problem, uniform, climbs int, seed uint64) (at []float64, best float64, evaluations int) {
	rng := rand.New(rand.NewPCG(seed, 0x73656172))
	var starts []candidate
	for range uniform {
		c := candidate{at: make([]float64, p.Dim)}
		for i := range c.at {
			c.at[i] = rng.Float64()
		}
		c.value, _ = p.Evaluate(c.at)
		starts = append(starts, c)
	}
	slices.SortStableFunc(starts, byValue)
	evaluations = uniform
	top := candidate{value: math.Inf(-1)}
	for _, c := range starts[:min(climbs, len(starts))] {
		evaluations += c.climb(p, rng)
		if c.value > top.value {
			top = c
		}
	}
	return top.at, top.value, evaluations
}

// candidate is a point and its value.
type candidate struct {
	at    []float64
	value float64
}

// byValue orders the largest value first.
func byValue(a, b candidate) int { return cmp.Compare(b.value, a.value) }

// climb goes uphill and returns the number of evaluations.
func (c *candidate) climb(p *Problem, rng *rand.Rand) int {
	const (
		first, last = 0.1, 1e-10     // of the unit cube's side: step lengths at the start, and at which it ends
		grow        = 1.5            // after a success
		shrink      = 0.903602003609 // after a failure, 1.5^(−1/4): even at one success in five
		most        = 4000
	)
	step, trial := first, make([]float64, len(c.at))
	n := 0
	for ; n < most && step > last; n++ {
		for i, v := range c.at {
			trial[i] = math.Min(1, math.Max(0, v+step*rng.NormFloat64()))
		}
		value, _ := p.Evaluate(trial)
		if value > c.value {
			c.value = value
			copy(c.at, trial)
			step = math.Min(step*grow, first)
			continue
		}
		step *= shrink
	}
	return n
}
