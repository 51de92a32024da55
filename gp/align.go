package gp

import (
	"math"
	"slices"
	"sync"

	"github.com/eke-bo/eke/internal/simd"
)

// How a trend is fitted, and how sure it is: slope and shift of another model, or the numbers of a law, are found step by step (alignment).

// trendDoubt is what says how sure a trend is. It is made when it is first asked for.
type trendDoubt struct {
	once  sync.Once
	along *alignment // of the trend with the model's data
	known *Model     // the other model, as if it had these data as well, each at its level
}

// TrendSD is the standard deviation of the trend at a point, in the units of the targets, MATH.md (75). Posterior leaves it out: it takes the trend for certain. But a
// few data say little about slope and shift, and the other model does not know its function everywhere. Where this model has data of its own at the top,
// the latter does not matter; where it has data of lower levels, it matters less. It is 0 if there is no trend. With more than subset data a trend counts as certain.
func (m *Model) TrendSD(x []float64) float64 {
	d := m.doubt
	if d == nil {
		return 0
	}
	d.once.Do(func() {
		points := m.points()
		d.along = &alignment{Trend: m.trend, x: points, y: make([]float64, m.n), expected: m.trend.Law}
		d.along.use(m)
		if m.trend.Law != nil {
			return
		}
		of := m.trend.Of
		points = append(of.points(), m.trend.moved(points)...)
		h, levels := of.hyper, []float64(nil)
		if m.levels != nil { // a look tells as much of the other function as of the differences
			h.Fading = m.hyper.Fading
			levels = append(slices.Repeat([]float64{1}, of.n), m.levels[:m.n]...)
		}
		d.known = NewAt(points, levels, make([]float64, len(points)), of.standard, h)
	})
	own := m.standard.Scale * d.along.sd(m, x)
	if m.trend.Law != nil {
		return own
	}
	_, sd := d.known.PosteriorSD(m.trend.moved([][]float64{x})[0])
	return math.Hypot(m.trend.Slope*sd, own)
}

// sd is the standard deviation of the trend at a point, standardised, that slope and shift leave in doubt. What the data of the model say there counts.
func (t *alignment) sd(m *Model, x []float64) float64 {
	_, sd := t.deviations()
	l, n, ld := t.curvature(sd)
	v := m.at(x).v[:m.n]
	b, sum := make([]float64, n), 0.0
	for i, c := range t.derivatives(m.standard.Scale, x) {
		b[i] = sd[i] * (c[0] - t.level[i] - simd.Dot(t.white[i], v))
		for j := range i {
			b[i] -= l[i*ld+j] * b[j]
		}
		b[i] /= l[i*ld+i]
		sum += b[i] * b[i]
	}
	return math.Sqrt(sum)
}

// TrendSettings configure FitTrend.
type TrendSettings struct {
	Settings

	// SlopeSD is the standard deviation of the prior of the slope, whose mean is 1, and ShiftSD that of each coordinate of the shift,
	// whose mean is 0. A ShiftSD of 0 means that there is no shift.
	SlopeSD, ShiftSD float64

	// Spread is the standard deviation that the differences are expected to have, in the units of the targets. It counts as
	// much as expectedCounts observations.
	Spread float64
}

// expectedCounts is the number of observations that TrendSettings.Spread counts for. A guess should help while there are two or three
// differences, and not stand in the way of more.
const expectedCounts = 2

// trendRounds is how many times the search alternates between the trend and the hyperparameters.
const trendRounds = 2

// FitTrend fits a model whose mean follows another model. It searches the hyperparameters of the differences for a given trend, and then the
// best trend for these hyperparameters, in turn. The second result is the log density of the targets in their own units, with the trend
// integrated out by Laplace's method. It can be compared with the LogDensity of a model that follows nothing.
func FitTrend(x [][]float64, y []float64, dim int, of *Model, s TrendSettings) (*Model, float64) {
	t := &alignment{spread: s.Spread, x: x, y: y, Trend: Trend{Of: of, Slope: 1, SlopeSD: s.SlopeSD, ShiftSD: s.ShiftSD}}
	if s.ShiftSD > 0 {
		t.Shift = make([]float64, dim)
	}
	return t.search(dim, s.Settings)
}

// search searches the hyperparameters of the differences and the trend in turn.
func (t *alignment) search(dim int, s Settings) (*Model, float64) {
	m := t.fit(dim, s)
	for range trendRounds {
		t.align(m)
		set, warm := s, m.Hyper()
		set.Warm, set.Starts = &warm, -1
		m = t.fit(dim, set)
	}
	t.use(m)
	penalty := t.prior() + t.logVolume()
	m.follow(t.Trend)
	return m, m.LogDensity() - penalty
}

// alignment is the search for the slope and the shift of a trend, at given hyperparameters of the differences: the Gauss–Newton method for
//
//	½|L⁻¹(y − m − slope·μ(x + shift))|² + ½(slope − 1)²/sd² + ½|shift|²/sd²,
//
// with the mean m eliminated, MATH.md (28).
type alignment struct {
	Trend
	spread   float64 // see TrendSettings
	x        [][]float64
	y        []float64
	expected *Law // what a law is expected to be before it is fitted; nil: there is none

	white [][]float64 // L⁻¹ times the derivatives with respect to slope and shift, without their part along L⁻¹1
	level []float64   // how long that part is: the mean of the derivatives
	rest  []float64   // what is left of the targets, like white
	loss  float64     // half its square
}

// fit fits a model to the differences. Slope and shift may have more numbers than there are data, and then explain nearly all differences. So unless data are
// many, the hyperparameters are fitted for any slope and shift, by their prior, which adds a covariance to the differences.
func (t *alignment) fit(dim int, s Settings) *Model {
	rest := without(t.y, t.At(t.x))
	standard := expectSpread(rest, t.spread)
	s.Standard = &standard
	free := slices.Clone(rest) // what would be left of the targets at slope 1 and without a shift, were the trend linear in them
	if len(t.x) <= subset {
		s.also = make([][]float64, len(t.x))
		off, sd := t.deviations()
		for c, column := range t.derivatives(standard.Scale, t.x...) {
			for i, v := range column {
				free[i] += standard.Scale * off[c] * v
				for k, w := range column[:i+1] {
					if c == 0 {
						s.also[i] = append(s.also[i], 0)
					}
					s.also[i][k] += sd[c] * sd[c] * v * w
				}
			}
		}
	}
	m, _ := Fit(t.x, free, dim, s)
	h := m.Hyper()
	h.Mean = m.bestMean(rest)
	return NewAt(t.x, s.Levels, rest, standard, h)
}

// expectSpread standardises targets that are expected to have the standard deviation spread, which matters only while there are
// few of them.
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

// alignSteps and alignHalvings bound the search.
const alignSteps, alignHalvings = 10, 6

// align improves slope and shift for the hyperparameters of a model.
func (t *alignment) align(m *Model) {
	t.use(m)
	for range alignSteps {
		step := t.step()
		before, at := t.Trend, t.loss+t.prior()
		scale := 1.0
		for range alignHalvings {
			t.Trend = before.after(scale, step)
			if t.use(m); t.loss+t.prior() <= at {
				break
			}
			scale /= 2
		}
		if gained := at - t.loss - t.prior(); !(gained > 1e-3) {
			if !(gained >= 0) {
				t.Trend = before
				t.use(m)
			}
			return
		}
	}
}

// use computes derivatives and loss for the hyperparameters of a model.
func (t *alignment) use(m *Model) {
	scale := m.standard.Scale
	columns := t.derivatives(scale, t.x...)
	rest := make([]float64, len(t.y))
	for i, v := range t.y {
		if rest[i] = v / scale; t.Law != nil {
			rest[i] -= t.in(scale, t.x[i])[0]
		} else {
			rest[i] -= t.Slope * columns[0][i]
		}
	}
	project := m.meanless()
	t.white, t.level = t.white[:0], t.level[:0]
	for _, c := range columns {
		white, mean := project(c)
		t.white, t.level = append(t.white, white), append(t.level, mean)
	}
	t.rest, _ = project(rest)
	t.loss = simd.Dot(t.rest, t.rest) / 2
}

// deviations returns the slope and the shift as distances from what is expected of them, and their standard deviations.
func (t *alignment) deviations() (off, sd []float64) {
	if t.Law != nil {
		return t.Law.deviations(t.expected)
	}
	off, sd = []float64{t.Slope - 1}, []float64{t.SlopeSD}
	for _, v := range t.Shift {
		off, sd = append(off, v), append(sd, t.ShiftSD)
	}
	return off, sd
}

// prior is what the loss grows by for a trend that was not expected.
func (t *alignment) prior() (sum float64) {
	off, sd := t.deviations()
	for i, v := range off {
		sum += v * v / (2 * sd[i] * sd[i])
	}
	return sum
}

// step returns the step of the Gauss–Newton method.
func (t *alignment) step() []float64 {
	off, sd := t.deviations()
	l, n, ld := t.curvature(sd)
	b := make([]float64, n)
	for i := range b { // forwards
		b[i] = sd[i]*simd.Dot(t.white[i], t.rest) - off[i]/sd[i]
		for j := range i {
			b[i] -= l[i*ld+j] * b[j]
		}
		b[i] /= l[i*ld+i]
	}
	for i := n - 1; i >= 0; i-- { // and back
		for j := i + 1; j < n; j++ {
			b[i] -= l[j*ld+i] * b[j]
		}
		b[i] /= l[i*ld+i]
	}
	for i := range b {
		b[i] *= sd[i]
	}
	return b
}

// curvature returns the lower factor of I + S·JᵀJ·S, where S has the standard deviations of the prior on its diagonal.
func (t *alignment) curvature(sd []float64) (factor []float64, size, ld int) {
	size = len(sd)
	ld = simd.Pad(size)
	factor = make([]float64, ld*ld)
	for i := range size {
		for j := range i + 1 {
			factor[i*ld+j] = sd[i] * sd[j] * simd.Dot(t.white[i], t.white[j])
		}
		factor[i*ld+i]++
	}
	if !simd.Cholesky(factor, size, ld) {
		panic("gp: the sum of the identity and a square is positive definite")
	}
	return factor, size, ld
}

// logVolume is half the log determinant of the curvature: how much narrower the data make the prior.
func (t *alignment) logVolume() (sum float64) {
	_, sd := t.deviations()
	l, n, ld := t.curvature(sd)
	for i := range n {
		sum += math.Log(l[i*ld+i])
	}
	return sum
}

// bestMean returns the prior mean under which the targets are likeliest, standardised.
func (m *Model) bestMean(y []float64) float64 {
	white := make([]float64, len(y))
	for i, v := range y {
		white[i] = m.standard.To(v)
	}
	ones, white := m.whitened(slices.Repeat([]float64{1}, len(y))), m.whitened(white)
	return simd.Dot(ones, white) / simd.Dot(ones, ones)
}

// meanless returns the function that whitens a vector and removes its component along L⁻¹1, which a mean would explain. It also returns that mean.
func (m *Model) meanless() func(v []float64) (white []float64, mean float64) {
	ones := m.whitened(slices.Repeat([]float64{1}, m.n))
	along := simd.Dot(ones, ones)
	return func(v []float64) ([]float64, float64) {
		v = m.whitened(v)
		mean := simd.Dot(v, ones) / along
		simd.Axpy(-mean, ones, v)
		return v, mean
	}
}

// whitened returns L⁻¹v.
func (m *Model) whitened(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range out {
		out[i] = simd.Dot(m.lower[i*m.ld:i*m.ld+i+1], v)
	}
	return out
}
