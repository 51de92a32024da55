package policy

import (
	"math"
	"slices"
)

// Some functions are rougher than any of the models believes, and its forecasts of values are wrong again and again, by many standard
// deviations. Whoever went by them would stop at once. So each plan keeps a track of how good the forecasts were, and where they were worse than
// they should have been, further ones are wider.

// Track is how good a study's forecasts of values were.
type Track struct {
	// Mean is the last forecast, after the warp.
	Mean float64 `json:"mean"`

	// SD is its standard deviation.
	SD float64 `json:"sd"`

	// Weight is the number of forecasts that were judged. Older ones count less.
	Weight float64 `json:"weight,omitempty"`

	// Squares is the sum of their squared errors, in standard deviations.
	Squares float64 `json:"squares,omitempty"`
}

// The part that a judged forecast still counts for after one more, the largest error that counts, in standard deviations, the mean
// square of the errors of good forecasts, and the number of good forecasts that every study begins with.
const trackMemory, largestError, goodSquare, goodBefore = 0.9, 8, 1.5, 4

// track returns the track of the last plan, with the result of its point if there is one.
func (s *State) track() Track {
	plan := s.Previous
	if plan == nil {
		return Track{}
	}
	t := plan.Track
	for i := len(s.X) - 1; i >= min(max(plan.Observed, 0), len(s.X)); i-- {
		if !slices.Equal(s.X[i], plan.Point) {
			continue
		}
		z := math.Min(math.Abs(plan.Warp.To(s.Y[i])-t.Mean)/t.SD, largestError)
		if t.SD > 0 && !math.IsNaN(z) {
			t.Weight, t.Squares = trackMemory*t.Weight+1, trackMemory*t.Squares+z*z
		}
		break
	}
	return t
}

// doubt returns the factor by which forecasts of values are wider than usual, at least 1.
func (s *State) doubt() float64 {
	t := s.track()
	if !(t.Weight > 0 && finite(t.Weight) && t.Squares >= 0 && finite(t.Squares)) {
		return 1
	}
	return math.Max(1, math.Sqrt((goodBefore+t.Squares/goodSquare)/(goodBefore+t.Weight)))
}

// newTrack returns the track with the forecast of x.
func (d *decision) newTrack(x []float64) Track {
	t := d.track()
	mean, sd := d.belief.Objective.PosteriorSD(x)
	t.Mean, t.SD = mean, math.Hypot(sd, noiseSD(d.belief.Objective))*widening(d.belief.Objective, 0)
	return t
}
