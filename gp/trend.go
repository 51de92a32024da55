package gp

import (
	"math"

	"github.com/eke-bo/eke/internal/simd"
)

// Trend is a function that a model expects its targets to follow: a multiple of the posterior mean of another model, perhaps moved a
// little. What it models itself is the difference, MATH.md (27). The zero value is no trend.
type Trend struct {
	// Of is the other model.
	Of *Model

	// Slope is the multiple. 0 means that there is no trend.
	Slope float64

	// Shift is by how much the other model is moved: it is asked at x + Shift. Nil means not at all.
	Shift []float64
}

// FollowSettings configure Follow.
type FollowSettings struct {
	Settings

	// SlopeSD is the standard deviation of the prior of the slope, whose mean is 1, and ShiftSD that of each coordinate of the shift,
	// whose mean is 0. A ShiftSD of 0 means that there is no shift.
	SlopeSD, ShiftSD float64

	// Spread is the standard deviation that the differences are expected to have, in the units of the targets. It counts as
	// much as expectedCounts observations.
	Spread float64
}

// expectedCounts is the number of observations that FollowSettings.Spread counts for. A guess should help while there are two or three
// differences, and not stand in the way of more.
const expectedCounts = 2

// followRounds is how often the trend is searched for given hyperparameters, and these for a given trend.
const followRounds = 2

// Follow fits a model whose mean follows another model. It searches the hyperparameters of the differences for a given trend, and then the best
// trend for these hyperparameters, in turn. The second result is the log density of the targets in their own units, with the trend
// integrated out by Laplace's method, so that it can be compared with the LogDensity of a model that follows nothing.
func Follow(x [][]float64, y []float64, dim int, of *Model, s FollowSettings) (*Model, float64) {
	t := &alignment{settings: s, x: x, y: y, Trend: Trend{Of: of, Slope: 1}}
	if s.ShiftSD > 0 {
		t.Shift = make([]float64, dim)
	}
	m := t.fit(s.Settings)
	for range followRounds {
		t.align(m)
		set, warm := s.Settings, m.Hyper()
		set.Warm, set.Starts = &warm, -1
		m = t.fit(set)
	}
	t.use(m)
	penalty := t.prior() + t.logVolume()
	m.trend = t.Trend
	return m, m.LogDensity() - penalty
}

// Like returns a model with the model's standardisation and trend, but with other data and hyperparameters.
func (m *Model) Like(x [][]float64, y []float64, h Hyper) *Model {
	return NewFollowing(x, y, m.standard, h, m.trend)
}

// NewFollowing is New for a model with a trend.
func NewFollowing(x [][]float64, y []float64, s Standard, h Hyper, t Trend) *Model {
	if t.Slope == 0 {
		return New(x, y, s, h)
	}
	rest := make([]float64, len(y))
	for i, v := range t.At(x) {
		rest[i] = y[i] - v
	}
	m := New(x, rest, s, h)
	m.trend = t
	return m
}

// Trend returns the trend that the model follows.
func (m *Model) Trend() Trend { return m.trend }

// expectSpread standardises targets that are expected to have a standard deviation. That makes a difference only if there are few.
func expectSpread(y []float64, spread float64) Standard {
	s, sum := Standardise(y), 0.0
	for _, v := range y {
		d := (v - s.Shift) / spread
		sum += d * d
	}
	scale := spread * math.Sqrt((expectedCounts+sum)/(expectedCounts+float64(len(y)-1)))
	s.Scale = math.Min(math.Max(scale, minScale), maxScale)
	return s
}

// At returns the trend at points, in the units of the targets.
func (t Trend) At(points [][]float64) []float64 {
	f, list := t.follower(1, 1), make([]float64, len(points))
	for i, x := range points {
		f.add(list[i:i+1], x, false)
	}
	return list
}

// follower is the trend of a batch, as scratch memory: shift + factor·(the other model's mean), for each row.
type follower struct {
	of            *Model
	rows          int
	factor, shift float64
	move          []float64 // nil: not at all
	z, k, g       []float64
}

// follower returns the scratch memory for so many rows, with the trend in units of scale; nil if there is no trend.
func (t Trend) follower(rows int, scale float64) *follower {
	m := t.Of
	if t.Slope == 0 {
		return nil
	}
	return &follower{
		of: m, rows: rows, factor: t.Slope * m.standard.Scale / scale, shift: t.Slope * m.standard.Shift / scale, move: t.Shift,
		z: make([]float64, rows*m.dim), k: make([]float64, rows*m.ld), g: make([]float64, rows*m.ld),
	}
}

// add adds the trend at the points to means.
func (f *follower) add(mean, x []float64, withGrad bool) {
	m, ld := f.of, f.of.ld
	clear(f.k)
	for r := range f.rows {
		row := f.k[r*ld : (r+1)*ld]
		for j, l := range m.hyper.Lengthscales {
			z := x[r*m.dim+j]
			if f.move != nil {
				z += f.move[j]
			}
			z /= l
			f.z[r*m.dim+j] = z
			simd.AddSqDist(row, z, m.inputs[j*ld:(j+1)*ld])
		}
	}
	var g []float64
	if withGrad {
		g = f.g
	}
	m.hyper.Kernel.rows(f.k, g, f.k, m.hyper.Outputscale)
	for r := range f.rows {
		mean[r] += f.shift + f.factor*(m.hyper.Mean+simd.Dot(f.k[r*ld:(r+1)*ld], m.weights))
	}
}

// pull adds to grad what the trend contributes to it, for the sensitivities to the means.
func (f *follower) pull(grad, meanBar []float64) {
	m, ld := f.of, f.of.ld
	for r, bar := range meanBar {
		row := f.k[r*ld : (r+1)*ld]
		simd.Mul(row, m.weights, f.g[r*ld:(r+1)*ld])
		for j, l := range m.hyper.Lengthscales {
			grad[r*m.dim+j] += f.factor * bar * simd.WeightedDiff(row, f.z[r*m.dim+j], m.inputs[j*ld:(j+1)*ld]) / l
		}
	}
}

// trendAt returns the trend at a point, standardised.
func (m *Model) trendAt(x []float64) float64 {
	var v [1]float64
	m.trend.follower(1, m.standard.Scale).add(v[:], x, false)
	return v[0]
}

// trendAtData returns the trend at the data, standardised.
func (m *Model) trendAtData() []float64 {
	list, x := make([]float64, m.n), make([]float64, m.dim)
	f := m.trend.follower(1, m.standard.Scale)
	for i := range list {
		for j, l := range m.hyper.Lengthscales {
			x[j] = m.inputs[j*m.ld+i] * l
		}
		f.add(list[i:i+1], x, false)
	}
	return list
}
