package model

import (
	"math"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
)

// A few equal costs do not make the next one certain, MATH.md (45). A model that has seen nothing else cannot know how much costs vary, and
// its forecast is as narrow as its noise. So logarithms of costs are expected to spread by usualSpread, a factor of 1.6, until the known
// costs vary by half as much. This expectation weighs as much as one result. It adds no variance near settings that were tried, and its whole
// variance along a parameter that has not varied yet.

// usualSpread is the standard deviation of the logarithms of costs before any is known, and doubtReach the distance over which a cost says something
// about another: half of a range.
const usualSpread, doubtReach = 0.5, 0.5

// mostDoubtful is the number of settings that say where costs are known.
const mostDoubtful = 200

// costDoubt is how much the spread of the costs is in doubt.
type costDoubt struct {
	variance float64   // of a log-cost, far from all settings that were tried; 0: there is no doubt
	known    *gp.Model // its variance is 1 far from them, and 0 there
}

// newCostDoubt returns the doubt about the next cost, given the points whose costs are known.
func newCostDoubt(x [][]float64, lnCost []float64) costDoubt {
	var points [][]float64
	var costs []float64
	for i, c := range lnCost {
		if !math.IsNaN(c) && IsNew(x[i], points...) {
			points, costs = append(points, x[i]), append(costs, c)
		}
	}
	variance := doubtfulVariance(costs, usualSpread)
	if variance == 0 {
		return costDoubt{}
	}
	points = maximise.Pick(points, sample(costs, maximise.Indices(points), mostDoubtful))
	h := gp.Hyper{Lengthscales: make([]float64, len(points[0])), Outputscale: 1, Noise: gp.Deterministic.Min}
	for j := range h.Lengthscales {
		h.Lengthscales[j] = doubtReach
	}
	return costDoubt{variance, gp.New(points, make([]float64, len(points)), gp.Standard{Scale: 1}, h)}
}

// doubtfulVariance is the variance that targets, such as log-costs, leave in doubt if they are few. It is the square of the usual spread minus
// the square of twice their own spread, divided by their number. It is 0 if the targets spread by half the usual spread or more.
func doubtfulVariance(targets []float64, usual float64) float64 {
	n := float64(len(targets))
	if n == 0 {
		return 0
	}
	var mean, squares float64
	for _, c := range targets {
		mean += c / n
	}
	for _, c := range targets {
		squares += (c - mean) * (c - mean) / math.Max(n-1, 1)
	}
	return math.Max(usual*usual-4*squares, 0) / n
}

// at returns the variance that the doubt adds to a log-cost at a point.
func (d costDoubt) at(x []float64) float64 {
	if d.variance == 0 {
		return 0
	}
	_, far := d.known.Posterior(x)
	return d.variance * far
}

// costDoubt returns the doubt about costs. The costs of an earlier study count if the model follows them. Costs at several levels of fidelity are known
// to differ, so there is no doubt.
func (m *Models) costDoubt() costDoubt {
	if m.Paper || m.Levels != nil {
		return costDoubt{}
	}
	x, lnCost := m.list[logCost].x, m.list[logCost].targets
	if m.follows(logCost) {
		x, lnCost = append(x[:len(x):len(x)], m.Earlier.X...), append(lnCost[:len(lnCost):len(lnCost)], m.Earlier.LnCost...)
	}
	return newCostDoubt(x, lnCost)
}

// creditable returns the log density of targets, but no more than their doubt allows. Equal targets are infinitely likely under a model that takes
// them for a constant, so no earlier study could ever make them likelier. The same holds for values next to an earlier study's best setting.
func creditable(density float64, targets []float64, usual float64) float64 {
	if variance := doubtfulVariance(targets, usual); variance > 0 {
		return math.Min(density, -float64(len(targets))/2*math.Log(2*math.Pi*variance))
	}
	return density
}
