package policy

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
)

// Evaluations may have several levels of fidelity. The value counts at the top only, so the points, values and costs of a State are
// those at the top, and every policy chooses among evaluations at the top. Looks, which are cheaper evaluations below the top, are
// kept apart. The models learn from both, gp.Fading says how, and answer about the top. Then a look competes with what was chosen;
// see look.go.

// Look is an evaluation below the top.
type Look struct {
	// X is the point.
	X []float64

	// Level is its level: 0 is the lowest and 1 the top.
	Level float64

	// Y is its value, and LnCost the logarithm of its cost. NaN stands for an unknown cost.
	Y, LnCost float64

	// Step says that nobody chose it: it is a value that another evaluation had on its way. LnCost is what that had cost until then.
	Step bool
}

// chosenLooks is the number of looks that were chosen, with those under way.
func (s *State) chosenLooks() int {
	n := len(s.Looking)
	for _, l := range s.Looks {
		if !l.Step {
			n++
		}
	}
	return n
}

// checkLevels returns an error that names the first thing wrong with the levels and the looks.
func (s *State) checkLevels() error {
	if s.Levels == nil {
		if len(s.Looks)+len(s.Looking) > 0 {
			return errors.New("policy: there are looks, but no levels")
		}
		return nil
	}
	if len(s.Levels) < 2 || !slices.IsSorted(s.Levels) || s.Levels[0] < 0 || s.Levels[len(s.Levels)-1] != 1 {
		return fmt.Errorf("policy: levels are %v, must rise from 0 or more to 1", s.Levels)
	}
	for i, l := range slices.Concat(s.Looks, s.Looking) {
		if err := checkPoints("look", [][]float64{l.X}, s.Dim); err != nil {
			return err
		}
		if !(l.Level >= 0 && l.Level < 1) || !finite(l.Y) || math.IsInf(l.LnCost, 0) {
			return fmt.Errorf("policy: look %d has level %v, value %v and log cost %v", i, l.Level, l.Y, l.LnCost)
		}
	}
	return nil
}

// believeLooks adds the looks under way to a belief as believe adds pending points. The values learn nothing on levels that are given up.
func (d *decision) believeLooks(objective, lnCost *gp.Model, remaining float64) (*gp.Model, *gp.Model, float64) {
	for _, l := range d.Looking {
		costs := lnCost.At(l.Level)
		ln, _ := costs.Posterior(l.X)
		remaining -= expectedCost(costs, l.X)
		lnCost = costs.Condition(l.X, ln).At(1)
		if l.Level >= d.Levels[d.givenUp] {
			values := objective.At(l.Level)
			mean, _ := values.Posterior(l.X)
			objective = values.Condition(l.X, mean).At(1)
		}
	}
	return objective, lnCost, remaining
}

// designLevel returns the level of the next point of the initial design: looks on the lowest two levels in turn. Two tell how levels differ, and
// higher ones cost more.
func (p *policy) designLevel(s *State) float64 {
	if s.Levels == nil || !p.looks() {
		return 1
	}
	return s.Levels[s.chosenLooks()%min(len(s.Levels)-1, 2)]
}

// models says whether the policy's models predict values, rather than only what an evaluation will cost.
func (p *policy) models() bool { return !p.ladder || p.guided }

// looks says whether the policy takes looks.
func (p *policy) looks() bool { return p.Preset.Looks && !p.blind && !p.ladder }

// isLeveled says whether the models know of several levels.
func (f *fitted) isLeveled() bool { return f.objective.Hyper().Fading != nil }

// bestOf returns the index of the point with the highest mean, and the mean.
func bestOf(m *gp.Model, points [][]float64) incumbent {
	means, _ := posterior(m, points)
	i := maximise.Highest(means, 1)[0]
	return incumbent{i, means[i]}
}

// PredictAt returns what the models say about points at levels of fidelity. Without levels they are ignored.
func (m *Models) PredictAt(points [][]float64, levels []float64) []Prediction {
	list := make([]Prediction, len(points))
	at := map[float64]*Models{}
	for i, x := range points {
		view := m
		if m.lnCost.Hyper().Fading != nil && levels[i] != 1 {
			if view = at[levels[i]]; view == nil {
				other := *m
				other.objective, other.lnCost = m.objective.At(levels[i]), m.lnCost.At(levels[i])
				view, at[levels[i]] = &other, &other
			}
		}
		list[i] = view.Predict([][]float64{x})[0]
	}
	return list
}

// LevelCorrelation says how well a level predicts the top: the correlation of values there with those at the top.
func (m *Models) LevelCorrelation(level float64) float64 {
	return m.objective.Hyper().LevelCorrelation(level)
}
