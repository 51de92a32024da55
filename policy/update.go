package policy

import (
	"context"
	"math"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
)

// A search for hyperparameters takes most of a suggestion's time, and one more observation rarely changes them. They are
// searched anew when the data have grown by a part, or when an observation surprised the models. In between, the
// models keep the last plan's hyperparameters and gain the new data.

// surprising is the distance from a forecast, in standard deviations, that puts the hyperparameters in doubt.
const surprising = 3

// updateModels returns the models of the last plan with the new data, if its hyperparameters are still good.
func (p *policy) updateModels(ctx context.Context, s *State, h history) (fitted, bool) {
	plan := s.Previous
	if p.Preset.Refit <= 0 || plan == nil || plan.Searched < 1 || len(s.X) < plan.Searched || !plan.fits(s.Dim) {
		return fitted{}, false
	}
	if float64(len(s.X)-plan.Searched) >= math.Max(1, p.Preset.Refit*float64(plan.Searched)) {
		return fitted{}, false
	}
	f := fitted{warp: plan.Warp, values: warped(plan.Warp, s.Y), searched: plan.Searched}
	var calm [2]bool
	var of [2]*gp.Model // that they follow
	if plan.Follows[0].Slope != 0 || plan.Follows[1].Slope != 0 {
		if !s.Prior.usable() {
			return fitted{}, false
		}
		earlier := s.Prior.fitted(ctx, s.Dim, p.Threads)
		of = [2]*gp.Model{earlier.objective, earlier.lnCost}
	}
	f.objective, calm[0] = update(s.X, f.values, h.valued.modelled, plan, 0, of[0])
	f.lnCost, calm[1] = update(h.costX, h.lnCosts, h.priced.modelled, plan, 1, of[1])
	if plan.Tie.Slope != 0 && p.mayTie(s, h) {
		f.tie = tieOf(s, h, f, plan.Tie)
	}
	return f, calm[0] && calm[1]
}

// update returns a model of the plan with the new data, and whether none of them surprised it.
func update(x [][]float64, targets []float64, places []int, plan *Plan, output int, of *gp.Model) (*gp.Model, bool) {
	m := gp.NewFollowing(maximise.Pick(x, places), maximise.Pick(targets, places), plan.Standard[output], plan.Hyper[output],
		gp.Trend{Of: of, Slope: plan.Follows[output].Slope, Shift: plan.Follows[output].Shift})
	first := len(places)
	for first > 0 && places[first-1] >= plan.Searched {
		first--
	}
	return m, m.Surprise(first) < surprising
}

// fits says whether the plan has usable hyperparameters for the dimension. A plan comes from a file.
func (p *Plan) fits(dim int) bool {
	for i, h := range p.Hyper {
		if s := p.Standard[i]; h.Check(dim) != nil || !p.Follows[i].fits(dim) || !finite(s.Shift) || !(s.Scale > 0) || !finite(s.Scale) {
			return false
		}
	}
	if !p.Tie.fits(dim) {
		return false
	}
	w := p.Warp
	return !w.On || finite(w.Power) && finite(w.Low) && finite(w.High) && w.Low <= w.High && finite(w.Standard.Shift) && w.Standard.Scale > 0 && finite(w.Standard.Scale)
}
