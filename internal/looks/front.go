package looks

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/front"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/normal"
)

// With several objectives, improvement is the gain in the hypervolume of the front, MATH.md (64). The models are independent, so a look moves the means of each objective along
// a direction of its own, with an outcome of its own.

// extension is what would extend a front of several objectives.
type extension struct {
	of     []*gp.Model // by objective
	boxes  []front.Box // in the objectives' own units
	whole  []bool
	gain   *front.Expectation
	lnUnit float64 // the logarithm of the standardised objectives' unit of volume

	mean, sd []float64 // scratch memory
}

func newExtension(of []*gp.Model, boxes []front.Box, whole []bool) *extension {
	e := &extension{of: of, boxes: boxes, whole: whole, gain: front.NewExpectation(boxes, whole), mean: make([]float64, len(of)), sd: make([]float64, len(of))}
	for _, m := range of {
		e.lnUnit += math.Log(m.Standard().Scale)
	}
	return e
}

// lnGain is the logarithm of the expected gain in hypervolume by an outcome with these means and standard deviations, by objective. All are standardised.
func (e *extension) lnGain(mean, sd []float64) float64 {
	for o, m := range e.of {
		s := m.Standard()
		e.mean[o], e.sd[o] = s.From(mean[o]), s.Scale*sd[o]
	}
	return math.Log(e.gain.Gain(e.mean, e.sd)) - e.lnUnit
}

// with returns what would extend the front with one more outcome on it, standardised. Nil stays nil.
func (e *extension) with(mean []float64) *extension {
	if e == nil {
		return nil
	}
	y := make([]float64, len(mean))
	for o, m := range e.of {
		if y[o] = m.Standard().From(mean[o]); len(e.whole) > o && e.whole[o] {
			y[o] = math.Round(y[o])
		}
	}
	if front.Gain(e.boxes, y) == 0 {
		return e
	}
	return newExtension(e.of, front.Without(e.boxes, y), e.whole)
}

// beats is the chance that an evaluation at a top has values that beat the best one or, with several objectives, that extend the front.
func (w *Worth) beats(top int) float64 {
	mean, sd := w.at(top)
	if w.front == nil {
		return normal.CDF((mean[0] - w.best) / math.Max(sd[0], 1e-12))
	}
	for o, m := range w.of {
		s := m.Standard()
		mean[o], sd[o] = s.From(mean[o]), s.Scale*math.Max(sd[o], 1e-12)
	}
	boxes := front.Rounded(front.Open(w.front.boxes, w.Ceiling()), w.front.whole)
	return front.Chance(boxes, mean, sd, normal.CDF)
}

// middling returns, for every point, the logarithm of what an evaluation there is expected to improve on a middling evaluation. The latter has
// in every objective the median of what is expected of the points. With several objectives the improvement is a volume: the product of what
// each objective is expected to improve.
func middling(d *model.Beliefs, points [][]float64) []float64 {
	list, of := make([]float64, len(points)), d.Belief.Objectives()
	for o, m := range of {
		mean, sd := model.Posterior(m, points)
		sorted, most := slices.Sorted(slices.Values(mean)), d.Belief.Most
		middle := sorted[len(sorted)/2]
		if len(of) > 1 {
			if most = d.Bound(o).Most; most != nil && *most <= middle {
				most = nil
			}
		}
		for j := range points {
			ln, _, _, _ := acq.LogEIUpTo(mean[j], sd[j], middle, most)
			list[j] += ln
		}
	}
	return list
}
