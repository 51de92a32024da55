package policy

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/maximise"
)

// history is what a suggestion needs to know about the log besides the numbers themselves.
type history struct {
	taken [][]float64 // points not to suggest again; nil: any may be

	costX   [][]float64 // the points of all evaluations, failed ones last
	lnCosts []float64   // the logarithms of their costs

	valued parts // of the evaluations with a value
	priced parts // of all evaluations with a cost
}

// parts are the indices, in the log, of the observations that the steps of a fit use. The time of each step grows with the
// cube of their number.
type parts struct {
	compared []int // by the candidates
	searched []int // by the search for the hyperparameters of the likeliest candidate
	modelled []int // by the model
}

// The most data that candidates are compared by, that a search for hyperparameters uses, and that a model holds. Where
// hyperparameters are searched anew after every observation, other numbers hold, which were never meant for large studies.
const mostCompared, mostSearched, mostModelled = 120, 250, 2000

func (p *policy) newHistory(s *State) history {
	all, priced := make([]int, len(s.X)), []int(nil)
	for i := range all {
		all[i] = i
	}
	h := history{taken: p.taken(s), costX: s.X, lnCosts: s.LnCost}
	values := s.Y
	for _, f := range s.Failed { // they cost money like all others
		h.costX, h.lnCosts, values = append(h.costX[:len(h.costX):len(h.costX)], f.X), append(h.lnCosts[:len(h.lnCosts):len(h.lnCosts)], f.LnCost), append(values[:len(values):len(values)], math.Inf(-1))
	}
	for i, v := range h.lnCosts {
		if !math.IsNaN(v) {
			priced = append(priced, i)
		}
	}
	split := func(places []int, most [3]int) parts {
		return parts{sample(values, places, most[0]), sample(values, places, most[1]), sample(values, places, most[2])}
	}
	if !p.Preset.ManyData {
		h.valued, h.priced = split(all, [3]int{250, 1000, 1000}), split(priced, [3]int{1000, 1000, 1000})
		return h
	}
	most := [3]int{mostCompared, mostSearched, mostModelled}
	h.valued, h.priced = split(all, most), split(priced, most)
	return h
}

// taken returns the points not to suggest again: those that were evaluated, are pending, or were tried
// without a result. The paper preset does not check this. Noisy evaluations may be worth repeating, but not for ever.
func (p *policy) taken(s *State) [][]float64 {
	if !p.Preset.Fresh {
		return nil
	}
	if p.noisy() {
		return p.repeated(s)
	}
	return slices.Concat(s.X, s.Pending, s.Tried, s.failures())
}

// repeated returns the points that were evaluated often enough.
func (p *policy) repeated(s *State) (often [][]float64) {
	if p.Preset.Repeats == 0 {
		return nil
	}
	times := map[string]int{}
	for _, x := range slices.Concat(s.X, s.Pending) {
		key := fmt.Sprint(x)
		if times[key]++; times[key] == p.Preset.Repeats {
			often = append(often, x)
		}
	}
	return often
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
