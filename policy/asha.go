package policy

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/maximise"
)

// Asynchronous successive halving (Li, Jamieson, Rostamizadeh, Gonina, Ben-Tzur, Hardt, Recht, Talwalkar 2020, algorithm 2), to
// compare with: random points are evaluated at the lowest level, and the best third of each level goes on to the next. The
// models only say what an evaluation will cost. Without levels it is the policy "random".

// halving is η, of which one part goes on to the next level.
const halving = 3

// isASHA says whether the levels are climbed by successive halving.
func (p *policy) isASHA(s *State) bool { return p.name == "asha" && s.Levels != nil }

// asha returns a point that goes on to the next level, from the highest level down, or a new one at the lowest.
func (p *policy) asha(ctx context.Context, d *decision) (Suggestion, error) {
	for k := len(d.Levels) - 2; k >= 0 && d.Levels != nil; k-- {
		if x, ok := d.promoted(k); ok {
			return p.atLevel(d, Suggestion{X: slices.Clone(x), Level: d.Levels[k+1]}), nil
		}
	}
	out, err := p.random(ctx, d)
	if d.Levels != nil {
		out.Level = d.Levels[0]
	}
	if err != nil {
		return out, err
	}
	return p.atLevel(d, out), nil
}

// atLevel adds to a suggestion what the next one continues from, if there are models.
func (p *policy) atLevel(d *decision, out Suggestion) Suggestion {
	if d.objective != nil {
		out.Plan = p.newPlan(d, out.X)
	}
	return out
}

// promoted returns the best point of a level that is among its best third and has not gone on yet.
func (d *decision) promoted(k int) ([]float64, bool) {
	var points, higher [][]float64
	var values []float64
	for _, l := range d.Looks {
		switch nearest(d.Levels, l.Level) {
		case k:
			points, values = append(points, l.X), append(values, l.Y)
		default:
			if l.Level > d.Levels[k] {
				higher = append(higher, l.X)
			}
		}
	}
	for _, l := range d.Looking {
		if l.Level > d.Levels[k] {
			higher = append(higher, l.X)
		}
	}
	higher = slices.Concat(higher, d.X, d.Pending, d.Tried, d.failures())
	for _, i := range maximise.Highest(values, len(values)/halving) {
		if maximise.FarFrom(higher, points[i], sameDistance) {
			return points[i], true
		}
	}
	return nil, false
}

// nearest returns the index of the level that is nearest.
func nearest(levels []float64, level float64) (index int) {
	for i, l := range levels {
		if math.Abs(l-level) < math.Abs(levels[index]-level) {
			index = i
		}
	}
	return index
}
