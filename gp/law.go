package gp

import (
	"math"
	"slices"
)

// Law is how costs usually depend on a setting, MATH.md (76). There is a fixed part, such as the start of a program, and work, which is a
// product of powers of the parameters. The logarithm of a cost is
//
//	ln(e^Fixed + e^(Level + Slopes·(x − ½))).
//
// A model that follows a law knows how fast costs rise beyond the settings that were tried. Without one, it expects the mean of the known costs there, which
// is far too low where the cheapest settings came first.
type Law struct {
	// Fixed is the logarithm of the fixed part.
	Fixed float64 `json:"fixed"`

	// Level is the logarithm of the work where every parameter is in the middle of its range.
	Level float64 `json:"level"`

	// Slopes are the derivatives of the logarithm of the work with respect to the coordinates of a point.
	Slopes []float64 `json:"slopes"`

	// Down says that the targets are the negatives of such logarithms.
	Down bool `json:"down,omitempty"`
}

// Before anything is fitted, the fixed part is expected to be a little less than the least cost, and the work in the middle to be the mean of the known costs. Along the
// range of a parameter, a cost may well rise or fall by a factor of 50.
const (
	fixedBelow, fixedSD = 0.5, 1
	levelSD, lawSlopeSD = 2, 4
)

// newLaw returns what is expected of a law before the targets are fitted.
func newLaw(y []float64, down bool, dim int) *Law {
	l := &Law{slices.Min(y) - fixedBelow, Standardise(y).Shift, make([]float64, dim), down}
	if down {
		l.Fixed, l.Level = -slices.Max(y)-fixedBelow, -l.Level
	}
	return l
}

// FitLaw fits a model whose mean follows a law. The second result is the log density of the targets in their own units, with the law
// integrated out by Laplace's method. It can be compared with the LogDensity of a model that follows nothing. The targets are logarithms or,
// with down, the negatives of logarithms.
func FitLaw(x [][]float64, y []float64, down bool, dim int, s Settings) (*Model, float64) {
	law := newLaw(y, down, dim)
	t := &alignment{spread: Standardise(y).Scale, x: x, y: y, Trend: Trend{Law: law}, expected: law}
	return t.search(dim, s)
}

// IsUsable says whether the law has the given number of coordinates, and numbers small enough to compute with.
func (l *Law) IsUsable(dim int) bool {
	return len(l.Slopes) == dim && !slices.ContainsFunc(l.values(), func(v float64) bool { return !(math.Abs(v) <= largestSlope) })
}

// largestSlope is far beyond the slope of any cost.
const largestSlope = 1e4

func (l *Law) values() []float64 { return append([]float64{l.Fixed, l.Level}, l.Slopes...) }

// moved returns the law after a step.
func (l *Law) moved(scale float64, step []float64) *Law {
	other := &Law{l.Fixed + scale*step[0], l.Level + scale*step[1], slices.Clone(l.Slopes), l.Down}
	for j := range other.Slopes {
		other.Slopes[j] += scale * step[2+j]
	}
	return other
}

// at returns the target at a point, and its derivative with respect to the logarithm of the work.
func (l *Law) at(x []float64) (target, slope float64) {
	work := l.Level
	for j, b := range l.Slopes {
		work += b * (x[j] - 0.5)
	}
	high, low := math.Max(work, l.Fixed), math.Min(work, l.Fixed)
	ln := high + math.Log1p(math.Exp(low-high))
	return l.sign() * ln, l.sign() * math.Exp(work-ln)
}

func (l *Law) sign() float64 {
	if l.Down {
		return -1
	}
	return 1
}

// derivatives returns the derivatives at points with respect to fixed part, level and slopes, in units of scale.
func (l *Law) derivatives(scale float64, points ...[]float64) [][]float64 {
	columns := make([][]float64, 2+len(l.Slopes))
	for _, x := range points {
		_, slope := l.at(x)
		columns[0], columns[1] = append(columns[0], (l.sign()-slope)/scale), append(columns[1], slope/scale)
		for j := range l.Slopes {
			columns[2+j] = append(columns[2+j], slope*(x[j]-0.5)/scale)
		}
	}
	return columns
}

// deviations returns how far the law is from an expected one, by parameter, and the standard deviations of the prior.
func (l *Law) deviations(expected *Law) (off, sd []float64) {
	sd = append([]float64{fixedSD, levelSD}, slices.Repeat([]float64{lawSlopeSD}, len(l.Slopes))...)
	return without(l.values(), expected.values()), sd
}

// lawRows is a law in a batch.
type lawRows struct {
	*Law
	scale  float64
	slopes []float64 // see at
}

// add implements trendBatch.
func (f *lawRows) add(mean, x []float64, _ bool) {
	dim := len(f.Slopes)
	for r := range mean {
		target, slope := f.at(x[r*dim : (r+1)*dim])
		mean[r] += target / f.scale
		f.slopes[r] = slope
	}
}

// pull implements trendBatch.
func (f *lawRows) pull(grad, meanBar []float64) {
	dim := len(f.Slopes)
	for r, bar := range meanBar {
		for j, b := range f.Slopes {
			grad[r*dim+j] += bar * f.slopes[r] * b / f.scale
		}
	}
}
