package policy

import (
	"context"
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

// mostLeveled is the number of observations of all levels that a model holds. Looks may be many; those at the top all count.
const mostLeveled = 200

// mostPriced is the same for a policy whose models only say what an evaluation will cost.
const mostPriced = 48

// leveled are the observations of all levels, those at the top first.
type leveled struct {
	x         [][]float64
	levels    []float64
	y, lnCost []float64
}

// observations returns those that are modelled: all at the top and, if there are too many looks, the best, the newest and some others.
func (s *State) observations(most int) leveled {
	var o leveled
	add := func(x []float64, level, y, lnCost float64) {
		o.x, o.levels, o.y, o.lnCost = append(o.x, x), append(o.levels, level), append(o.y, y), append(o.lnCost, lnCost)
	}
	for i, x := range s.X {
		add(x, 1, s.Y[i], s.LnCost[i])
	}
	values, all := make([]float64, len(s.Looks)), make([]int, len(s.Looks))
	for i, l := range s.Looks {
		values[i], all[i] = l.Y, i
	}
	for _, i := range sample(values, all, max(most-len(s.X), most/2)) {
		l := s.Looks[i]
		add(l.X, l.Level, l.Y, l.LnCost)
	}
	return o
}

// priced returns the points, levels and log costs of those whose cost is known, with the failures.
func (o leveled) priced(failed []Failure) (x [][]float64, levels, lnCost []float64) {
	for i, v := range o.lnCost {
		if !math.IsNaN(v) {
			x, levels, lnCost = append(x, o.x[i]), append(levels, o.levels[i]), append(lnCost, v)
		}
	}
	for _, f := range failed {
		if !math.IsNaN(f.LnCost) {
			x, levels, lnCost = append(x, f.X), append(levels, 1), append(lnCost, f.LnCost)
		}
	}
	return x, levels, lnCost
}

// fitLeveled is fitModels for observations of several levels.
func (p *policy) fitLeveled(ctx context.Context, s *State) fitted {
	most := mostLeveled
	if p.isASHA(s) {
		most = mostPriced
	}
	o := s.observations(most)
	costX, costLevels, lnCosts := o.priced(s.Failed)
	candidates, kernels := p.modelCandidates(o.y), p.costKernels()
	if p.isASHA(s) {
		candidates, kernels = candidates[:1], kernels[:1]
	}
	fit := func(output int, kernel gp.Kernel, x [][]float64, levels, targets []float64) *gp.Model {
		set := p.fitSettings(ctx, s, output)
		set.Kernel, set.Levels = kernel, levels
		if s.Previous != nil {
			set.Warm, set.Starts = &s.Previous.Hyper[output], warmStarts
		}
		m, _ := gp.Fit(x, targets, s.Dim, set)
		return m
	}
	models, costs := p.compete(ctx, candidates, kernels,
		func(c modelCandidate) *gp.Model { return fit(0, c.kernel, o.x, o.levels, c.values) },
		func(k gp.Kernel) *gp.Model { return fit(1, k, costX, costLevels, lnCosts) })
	c := likeliest(models, candidates, o.y)
	return fitted{objective: models[c], lnCost: likelier(costs), warp: candidates[c].warp, values: candidates[c].values[:len(s.X)], searched: len(o.x)}
}

// warmStarts is the number of searches for hyperparameters besides that from the last ones.
const warmStarts = 1

// believeLooks adds the looks under way to a belief as believe adds pending points.
func (s *State) believeLooks(objective, lnCost *gp.Model, remaining float64) (*gp.Model, *gp.Model, float64) {
	for _, l := range s.Looking {
		values, costs := objective.At(l.Level), lnCost.At(l.Level)
		mean, _ := values.Posterior(l.X)
		ln, _ := costs.Posterior(l.X)
		remaining -= expectedCost(costs, l.X)
		objective, lnCost = values.Condition(l.X, mean).At(1), costs.Condition(l.X, ln).At(1)
	}
	return objective, lnCost, remaining
}

// designLevel returns the level of the next point of the initial design: the first is at the top, which has to be known to be improved
// on, and the others are looks, from the lowest level up and then again.
func (p *policy) designLevel(s *State) float64 {
	if s.Levels == nil || !p.looks() || len(s.X)+len(s.Pending) == 0 {
		return 1
	}
	return s.Levels[(len(s.Looks)+len(s.Looking))%(len(s.Levels)-1)]
}

// looks says whether the policy takes looks.
func (p *policy) looks() bool { return p.Preset.Looks && p.name != "random" && p.name != "asha" }

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
		if m.isLeveled() && levels[i] != 1 {
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
