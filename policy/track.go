package policy

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/gp"
)

// Forecasts learn from their own errors, MATH.md (43). Some functions are rougher than any of the models believes, and some are smoother:
// next to known results these differ from their forecasts by a fiftieth of the least noise that the models assume. So each plan keeps a track
// of the last forecasts and how wrong they were, and further ones are as wide as that suggests.

// Track is how good a study's forecasts were.
type Track struct {
	// Last are the forecasts whose results are not known yet, oldest first.
	Last []Forecast `json:"last,omitempty"`

	// Errors are the latest errors, of values and of the logarithms of costs, oldest first.
	Errors [2][]Miss `json:"errors,omitzero"`
}

// Forecast is what was expected of a point. Its pairs are of the value, after the warp, and of the logarithm of the cost.
type Forecast struct {
	// X is the point.
	X []float64 `json:"x"`

	// Observed is the number of observations that it was made from.
	Observed int `json:"observed"`

	// Warp transforms the value.
	Warp gp.Warp `json:"warp,omitzero"`

	// Mean is what was expected.
	Mean [2]float64 `json:"mean"`

	// Scale is that of the usual forecast, which learns from no errors.
	Scale [2]float64 `json:"scale"`

	// Near is the part of the variance that the models assume everywhere, even at known results.
	Near [2]float64 `json:"near"`
}

// Miss is an error of a forecast.
type Miss struct {
	// Size is the error, in scales of the usual forecast.
	Size float32 `json:"size"`

	// Near is the forecast's.
	Near float32 `json:"near"`
}

// The most errors that are remembered, the most forecasts that are waited for, and the largest error that counts.
const mostErrors, mostAwaited, largestError = 16, 64, 100

// track returns the track of the last plan, with the results that came since.
func (s *State) track() (t Track) {
	if s.Previous == nil {
		return t
	}
	t.Errors = s.Previous.Track.Errors
	for _, f := range s.Previous.Track.Last {
		if i := s.resultOf(f); i >= 0 {
			t.judge(0, f, f.Warp.To(s.Y[i]))
			t.judge(1, f, s.LnCost[i])
		} else {
			t.Last = append(t.Last, f)
		}
	}
	return t
}

// resultOf returns the index of the first result of a forecast's point since it was made, or −1.
func (s *State) resultOf(f Forecast) int {
	for i := min(max(f.Observed, 0), len(s.X)); i < len(s.X); i++ {
		if slices.Equal(s.X[i], f.X) {
			return i
		}
	}
	return -1
}

// judge adds the error of a forecast. A cost may be unknown, and a plan from a file may hold anything.
func (t *Track) judge(output int, f Forecast, came float64) {
	size := math.Min(math.Abs(came-f.Mean[output])/f.Scale[output], largestError)
	if m := (Miss{float32(size), float32(f.Near[output])}); m.isUsable() && f.Scale[output] > 0 {
		t.Errors[output] = latest(append(slices.Clone(t.Errors[output]), m), mostErrors)
	}
}

func (m Miss) isUsable() bool { return m.Size >= 0 && m.Near >= 0 && m.Near <= 1 }

func latest[T any](list []T, most int) []T { return list[max(len(list)-most, 0):] }

// newTrack returns the track with the forecast of x. If the point waits for a result already, the new forecast takes the place of the old one.
func (d *decision) newTrack(x []float64) Track {
	t := d.track()
	f := Forecast{X: slices.Clone(x), Observed: len(d.X), Warp: d.warp}
	mean, sd := d.belief.Objective.PosteriorSD(x)
	ln, lnSD := d.belief.LnCostAt(x)
	f.Mean = [2]float64{mean, ln}
	f.Scale[0], f.Near[0] = plainScale(d.belief.Objective, 0, sd)
	f.Scale[1], f.Near[1] = plainScale(d.belief.LnCost, 1, lnSD)
	t.Last = slices.DeleteFunc(t.Last, func(old Forecast) bool { return slices.Equal(old.X, x) })
	if !slices.ContainsFunc(slices.Concat(f.Mean[:], f.Scale[:]), func(v float64) bool { return !finite(v) }) {
		t.Last = latest(append(t.Last, f), mostAwaited)
	}
	return t
}

// width is how wide forecasts are: the factors of their scale far from known results, and of the part of the variance that remains next
// to them.
type width struct{ far, near float64 }

// of returns the factor for a forecast with that part.
func (w width) of(near float64) float64 {
	return math.Sqrt(w.far*w.far*(1-near) + w.near*w.near*near)
}

// The bounds of the two factors, and how many of them are tried.
const (
	leastFar, mostFar   = 0.9, 8
	leastNear, mostNear = 0.02, 4
	widthsTried         = 9
)

// farBefore is the number of errors that the least factor far from results counts for before there are any, of values and of costs, and
// nearBefore that of the largest one next to them. Far from results forecasts are mostly right. Next to them they may be wrong by any amount.
var farBefore, nearBefore = [2]float64{5, 7}, 0.5

// widths returns the widths of forecasts of values and of costs.
func (s *State) widths() (list [2]width) {
	t := s.track()
	for output, errors := range t.Errors {
		list[output] = expectedWidth(errors, farBefore[output])
	}
	return list
}

// expectedWidth returns the width whose logarithms are expected, given the errors.
func expectedWidth(errors []Miss, before float64) width {
	var ways []width
	var logs []float64                                                                           // of how likely they are
	errors = slices.DeleteFunc(slices.Clone(errors), func(m Miss) bool { return !m.isUsable() }) // a plan comes from a file
	for i := range widthsTried {
		for j := range widthsTried {
			w := width{between(leastFar, mostFar, i), between(leastNear, mostNear, j)}
			far, near := math.Log(w.far/leastFar), math.Log(w.near/mostNear)
			v := -before/2*far*far - nearBefore/2*near*near
			for _, e := range errors {
				scale := w.of(float64(e.Near))
				z := float64(e.Size) / scale
				v -= 2*math.Log1p(z*z/3) + math.Log(scale)
			}
			ways, logs = append(ways, w), append(logs, v)
		}
	}
	sum, far, near, highest := 0.0, 0.0, 0.0, slices.Max(logs)
	for i, w := range ways {
		weight := math.Exp(logs[i] - highest)
		sum, far, near = sum+weight, far+weight*math.Log(w.far), near+weight*math.Log(w.near)
	}
	return width{math.Exp(far / sum), math.Exp(near / sum)}
}

// between returns one of the factors between two, which are a constant factor apart.
func between(low, high float64, i int) float64 {
	return low * math.Pow(high/low, float64(i)/(widthsTried-1))
}
