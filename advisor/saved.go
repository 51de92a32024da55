package advisor

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// Saved returns what stopping a trial early has saved: what it was expected to cost, half of the time, less what it was charged. It is 0
// for all other trials, and if nobody knew what to expect.
func Saved(t study.Trial) float64 {
	if t.State != study.StoppedEarly {
		return 0
	}
	why, ok := WhyOf(t.Why)
	if !ok || why.Expected == nil {
		return 0
	}
	return math.Max(why.Expected.CostMedian-t.Charged, 0)
}

// ByFidelity is where the money of a study with a fidelity went. Its JSON form is a promise.
type ByFidelity struct {
	Levels []LevelCost `json:"fidelity,omitempty"` // Levels are the fidelities of its trials, lowest first; none: the study has no fidelity.
	Early  *EarlyStops `json:"early,omitempty"`    // Early are the trials that were stopped early; nil: none.
}

// LevelCost is what the trials of a fidelity cost.
type LevelCost struct {
	Fidelity float64 `json:"fidelity"` // Fidelity is the level.
	Trials   int     `json:"trials"`   // Trials is the number of trials at it.
	Cost     float64 `json:"cost"`     // Cost is what they cost.
}

// EarlyStops are the trials that were stopped early, and by how much they stayed below what they were expected to cost.
type EarlyStops struct {
	Trials int     `json:"trials"` // Trials is their number.
	Saved  float64 `json:"saved"`  // Saved is how much less they cost than was expected.
}

// CostByFidelity adds up what the trials of a study cost.
func CostByFidelity(s *study.Study, trials []study.Trial) (b ByFidelity) {
	if s.Fidelity == nil {
		return b
	}
	for _, t := range trials {
		level := s.FidelityOf(t.Setting)
		i, known := slices.BinarySearchFunc(b.Levels, level, func(l LevelCost, level float64) int { return cmp.Compare(l.Fidelity, level) })
		if !known {
			b.Levels = slices.Insert(b.Levels, i, LevelCost{Fidelity: level})
		}
		b.Levels[i].Trials++
		b.Levels[i].Cost += t.Charged
		if t.State == study.StoppedEarly {
			if b.Early == nil {
				b.Early = &EarlyStops{}
			}
			b.Early.Trials++
			b.Early.Saved += Saved(t)
		}
	}
	return b
}

// Words says what was spent at each fidelity, and what stopping early has saved. Either is empty if there is nothing to say.
func (b ByFidelity) Words(s *study.Study) (spent, saved string) {
	if len(b.Levels) > 1 {
		var parts []string
		for _, l := range b.Levels {
			parts = append(parts, fmt.Sprintf("%s=%s: %s", s.Fidelity.Name, say.Number(l.Fidelity), say.Amount(s.Cost, l.Cost)))
		}
		spent = strings.Join(parts, ", ")
	}
	if e := b.Early; e != nil {
		saved = fmt.Sprintf("about %s by stopping %s early", say.Amount(s.Cost, e.Saved), say.Count(e.Trials, "trial"))
	}
	return spent, saved
}
