package gp

import (
	"math"

	"github.com/eke-bo/eke/internal/simd"
)

// FitTied fits a model of targets that partly follow other values, which are known at the same points: a target is slope·other plus a rest
// that a Gaussian process explains, MATH.md (40). It returns the model of the rest, the slope, and the log density of the targets in their own units with
// the slope integrated out, to be compared with the LogDensity of a model of the targets themselves.
//
// The slope's prior is normal with mean 0, and its standard deviation is the ratio of those of targets and others.
func FitTied(x [][]float64, y, other []float64, dim int, s Settings) (rest *Model, slope, logDensity float64) {
	sd := Standardise(y).Scale / Standardise(other).Scale
	slope = leastSquares(y, other)
	for range followRounds {
		rest, _ = Fit(x, without(y, other, slope), dim, s)
		warm := rest.Hyper()
		s.Warm, s.Starts = &warm, -1
		along, curvature := rest.project(y, other)
		slope = along / (curvature + 1/(sd*sd))
		targets, h := without(y, other, slope), rest.Hyper()
		h.Mean = rest.bestMean(targets)
		rest = New(x, targets, rest.Standard(), h)
	}
	_, curvature := rest.project(y, other)
	off := slope / sd
	return rest, slope, rest.LogDensity() - 0.5*off*off - 0.5*math.Log1p(sd*sd*curvature)
}

// without returns the targets without the part that follows other values.
func without(y, other []float64, slope float64) []float64 {
	rest := make([]float64, len(y))
	for i, v := range y {
		rest[i] = v - slope*other[i]
	}
	return rest
}

// leastSquares returns the slope of the line through the points.
func leastSquares(y, other []float64) float64 {
	a, b := Standardise(y), Standardise(other)
	sum, squares := 0.0, 0.0
	for i, v := range other {
		u := b.To(v)
		sum, squares = sum+u*a.To(y[i]), squares+u*u
	}
	if !(squares > 0) {
		return 0
	}
	return sum / squares * a.Scale / b.Scale
}

// bestMean returns the prior mean under which the targets are likeliest, standardised.
func (m *Model) bestMean(y []float64) float64 {
	ones, white := make([]float64, len(y)), make([]float64, len(y))
	for i, v := range y {
		ones[i], white[i] = 1, m.standard.To(v)
	}
	ones, white = m.whitened(ones), m.whitened(white)
	return simd.Dot(ones, white) / simd.Dot(ones, ones)
}

// project returns otherᵀK⁻¹y and otherᵀK⁻¹other for the covariance of the model's targets in their own units, with the mean eliminated.
func (m *Model) project(y, other []float64) (along, curvature float64) {
	scale := m.standard.Scale
	ones := make([]float64, len(y))
	a, b := make([]float64, len(y)), make([]float64, len(y))
	for i := range ones {
		ones[i], a[i], b[i] = 1, y[i]/scale, other[i]/scale
	}
	ones, a, b = m.whitened(ones), m.whitened(a), m.whitened(b)
	length := simd.Dot(ones, ones)
	simd.Axpy(-simd.Dot(a, ones)/length, ones, a)
	simd.Axpy(-simd.Dot(b, ones)/length, ones, b)
	return simd.Dot(a, b), simd.Dot(b, b)
}
