package policy

import (
	"math"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/normal"
)

// Some settings crash, run out of memory, or are cut at a limit. Such an evaluation has no value, and to make one up would bend the model of
// the values around it. Instead there is a model of whether an evaluation has a value at all, MATH.md (19): a Gaussian process of
// labels, 1 for a value and −1 for a failure, that expects 1 where nothing was tried. The chance of a value at x is
//
//	P(x) = Φ(μ(x) / √(σ²(x) + τ²)).
//
// So a corner where everything fails is avoided, and failures among good evaluations are soon forgiven.

// The hyperparameters of the labels. Values may change so slowly that all points are alike to their model; where settings begin to fail is
// mostly an edge, so the lengthscales are at most labelReach times the root of the dimension. Labels are noisy: the same setting may
// fail once and work the next time.
const labelReach, labelNoise, expectedLabel = 0.3, 0.05, 1

// mostLabels is the number of evaluations of each kind that are labelled.
const mostLabels = 150

// failures returns the points of the failures.
func (s *State) failures() [][]float64 {
	points := make([][]float64, len(s.Failed))
	for i, f := range s.Failed {
		points[i] = f.X
	}
	return points
}

// newLabels returns the model of the labels, and nil without failures.
func (d *decision) newLabels() *gp.Model {
	if len(d.Failed) == 0 {
		return nil
	}
	var x [][]float64
	var labels []float64
	add := func(points [][]float64, label float64) {
		for i := range min(len(points), mostLabels) {
			x, labels = append(x, points[i*len(points)/min(len(points), mostLabels)]), append(labels, label)
		}
	}
	add(d.X, 1)
	var looks [][]float64
	for _, l := range d.Looks {
		if !l.Step { // whether an evaluation got to its end, its way does not say
			looks = append(looks, l.X)
		}
	}
	add(looks, 1)
	add(d.failures(), -1)
	h := gp.Hyper{Lengthscales: d.objective.Hyper().Lengthscales, Outputscale: 1, Noise: labelNoise, Mean: expectedLabel}
	for j, l := range h.Lengthscales {
		h.Lengthscales[j] = math.Min(l, labelReach*math.Sqrt(float64(d.Dim)))
	}
	return gp.New(x, labels, gp.Standard{Scale: 1}, h)
}

// logChance returns a function that gives the logarithm of the chance of a value, for one goroutine.
func logChance(labels *gp.Model) func(grad, x []float64) float64 {
	b := labels.NewBatch(1, nil)
	return func(grad, x []float64) float64 {
		b.Forward(x, grad != nil)
		sd := math.Sqrt(b.Var[0] + labelNoise)
		t := b.Mean[0] / sd
		v, slope := normal.LogCDF(t)
		if grad != nil {
			clear(grad)
			b.MeanBar[0], b.VarBar[0] = slope/sd, -slope*t/(2*sd*sd)
			b.Pull(grad)
		}
		return v
	}
}

// mayFail returns the acquisition function times the chance of a value. Without failures it is the function itself.
func mayFail(function acquisition) acquisition {
	return func(b acq.Belief, d *decision) *acq.Function {
		f := function(b, d)
		if d.labels == nil {
			return f
		}
		return f.Times(logChance(d.labels))
	}
}
