package policy

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/maximise"
)

// history is what a suggestion needs to know about the log besides the numbers themselves.
type history struct {
	taken [][]float64 // points not to suggest again; nil: any may be

	// The indices, in the log, of the observations that are modelled. The time of a fit grows with the cube of
	// their number.
	compared []int // by the candidates for the values' model
	modelled []int // by the values' model
	priced   []int // by the costs' model
}

// Candidates are compared on a part of the data, and at most a thousand data are modelled.
const mostCompared, mostModelled = 250, 1000

func (p *policy) newHistory(s *State) history {
	all, priced := make([]int, len(s.X)), []int(nil)
	for i, v := range s.LnCost {
		all[i] = i
		if !math.IsNaN(v) {
			priced = append(priced, i)
		}
	}
	return history{
		taken:    p.taken(s),
		compared: sample(s.Y, all, mostCompared), modelled: sample(s.Y, all, mostModelled), priced: sample(s.Y, priced, mostModelled),
	}
}

// taken returns the points not to suggest again: those that were evaluated, are pending, or were tried
// without a result. The paper preset does not check this, and noisy evaluations may be worth
// repeating.
func (p *policy) taken(s *State) [][]float64 {
	if !p.Preset.Fresh || p.noisy() {
		return nil
	}
	return slices.Concat(s.X, s.Pending, s.Tried)
}

// sample returns at most n of the given indices of the log, in their order. If there are more, a quarter of the sample has
// the best values, a quarter is the newest, and the others are spread over the rest.
func sample(values []float64, places []int, n int) []int {
	if len(places) <= n {
		return places
	}
	newest := len(places) - n/4
	rest := slices.Clone(places[:newest])
	slices.SortStableFunc(rest, func(a, b int) int { return maximise.Descending(values[a], values[b]) })
	kept := slices.Concat(places[newest:], rest[:n/4])
	rest = rest[n/4:]
	for i, left := 0, n-len(kept); i < left; i++ {
		kept = append(kept, rest[i*len(rest)/left])
	}
	slices.Sort(kept)
	return kept
}

// highest returns the index of the highest value, and the earliest among equals.
func highest(values []float64) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}
