package policy

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/maximise"
)

// Where evaluations can be resumed, one at a point that was looked at goes on where the look ended, and costs the difference, MATH.md
// §12. The models know of whole prices only; what was paid already is taken off where prices are compared.

// paid returns what was paid at a point for the highest look there; 0 if evaluations cannot be resumed, or if there was one at the top, so
// that nothing is left to go on from.
func (s *State) paid(x []float64) (most float64) {
	if !s.Resume || !maximise.FarFrom(s.X, x, sameDistance) {
		return 0
	}
	for _, l := range s.Looks {
		if !math.IsNaN(l.LnCost) && !maximise.FarFrom([][]float64{l.X}, x, sameDistance) {
			most = math.Max(most, math.Exp(l.LnCost))
		}
	}
	return most
}

// lessPaid takes what was paid off the prices of evaluations at points, which are logarithms.
func (s *State) lessPaid(points [][]float64, lnCost []float64) {
	for j, x := range points {
		if paid := s.paid(x); paid > 0 {
			lnCost[j] = math.Log(rest(math.Exp(lnCost[j]), paid))
		}
	}
}

// resumed returns the evaluation at the top that is worth most for the difference that it costs, if that is more than what was chosen
// is worth.
func (w *lookWorth) resumed(chosen Suggestion) Suggestion {
	worth := func(j int) float64 { return w.worthOf(j, w.mean[j], w.sd[j], 0) }
	best, found := worth(0), 0
	for j := 1; j < len(w.tops); j++ {
		if v := worth(j); v > best && w.state.paid(w.tops[j]) > 0 {
			best, found = v, j
		}
	}
	if found > 0 {
		chosen.X, chosen.Next = slices.Clone(w.tops[found]), nil
	}
	return chosen
}
