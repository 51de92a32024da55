package front

import (
	"math"
	"math/rand/v2"

	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
)

// volume is the hypervolume of outcomes, which are minimised.
func (p Problem) volume(outcomes [][]float64) float64 {
	points := make([][]float64, len(outcomes))
	for i, y := range outcomes {
		points[i] = flipped(y)
	}
	return policy.Hypervolume(points, flipped(p.Worst))
}

func flipped(list []float64) []float64 {
	out := make([]float64, len(list))
	for j, v := range list {
		out[j] = -v
	}
	return out
}

// missing is the decimal logarithm of the fraction of the hypervolume that outcomes lack.
func (p Problem) missing(outcomes [][]float64) float64 {
	return math.Log10(math.Max(1-p.volume(outcomes)/p.Best, 1e-6))
}

// complete sets the worst of a problem to a tenth of the front's extent beyond the front, and the hypervolume to what is found there.
func (p *Problem) complete(evaluations int, seed uint64) error {
	outcomes, err := p.search(evaluations, seed)
	if err != nil {
		return err
	}
	p.Worst = make([]float64, len(p.Worst))
	for j := range p.Worst {
		low, high := math.Inf(1), math.Inf(-1)
		for _, y := range outcomes {
			low, high = math.Min(low, y[j]), math.Max(high, y[j])
		}
		p.Worst[j] = high + 0.1*(high-low)
	}
	p.Best = p.volume(outcomes)
	return nil
}

// search finds the front by brute force: the first half of the evaluations is spread over the space, and the others are near the best so far.
func (p Problem) search(evaluations int, seed uint64) ([][]float64, error) {
	sp, err := space.New(p.Params)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x66726f6e74))
	type found struct{ u, y []float64 }
	var front []found
	try := func(u []float64) {
		y, _, limits := p.Evaluate(sp.Decode(u))
		for _, v := range limits {
			if !(v >= 0) {
				return
			}
		}
		for j, v := range y {
			if !(v < p.Worst[j]) {
				return
			}
		}
		kept := front[:0]
		for k, f := range front {
			if noWorse(f.y, y) {
				return // it has dominated nothing before, or what dominates it would have been gone
			}
			if !noWorse(y, f.y) {
				kept = append(kept, front[k])
			}
		}
		kept = append(kept, found{u, y})
		front = kept
	}
	for _, u := range sobol.Points(evaluations/2, sp.Dim(), seed) {
		try(u)
	}
	for range evaluations - evaluations/2 {
		if len(front) == 0 {
			break
		}
		from := front[rng.IntN(len(front))].u
		u, step := make([]float64, len(from)), math.Pow(10, -1-3*rng.Float64())
		for i, v := range from {
			u[i] = v
			if rng.IntN(2) == 0 {
				u[i] = math.Min(math.Max(v+step*rng.NormFloat64(), 0), 1)
			}
		}
		try(u)
	}
	list := make([][]float64, len(front))
	for k, f := range front {
		list[k] = f.y
	}
	return list, nil
}

// noWorse says whether a is at least as good as b in every objective.
func noWorse(a, b []float64) bool {
	for j := range a {
		if a[j] > b[j] {
			return false
		}
	}
	return true
}
