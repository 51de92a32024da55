package policy

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/maximise"
)

// history is what a suggestion needs to know of the log besides the numbers themselves.
type history struct {
	taken [][]float64 // points not to suggest again; nil: any may be

	// The places in the log of the observations that are modelled. A fit takes time in the cube of their number.
	compared []int // by the candidates for the values' model
	modelled []int // by the values' model
	priced   []int // by the costs' model
}

// Candidates are compared on some data, and more than a thousand data are not modelled.
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

// taken returns the points not to suggest again: those evaluated, pending, or tried in vain. The paper
// preset does not look, and noisy evaluations may be worth repeating.
func (p *policy) taken(s *State) [][]float64 {
	if !p.Preset.Fresh || p.Noise.Max > p.Preset.unexplained().Max {
		return nil
	}
	return slices.Concat(s.X, s.Pending, s.Tried)
}

// sample returns at most n of the given places of the log, in their order. Of more, a quarter are those of the best values, a
// quarter the newest, and the others are spread over the rest.
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

// highest returns the place of the highest value, the earliest among equals.
func highest(values []float64) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}
