package gp

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/simd"
)

// alignment is the search for the slope and the shift of a trend, at given hyperparameters of the differences: the Gauss–Newton method for
//
//	½|L⁻¹(y − m − slope·μ(x + shift))|² + ½(slope − 1)²/sd² + ½|shift|²/sd²,
//
// with the mean m eliminated, MATH.md (28).
type alignment struct {
	Trend
	settings FollowSettings
	x        [][]float64
	y        []float64

	model *Model      // of the differences
	white [][]float64 // L⁻¹ times the derivatives with respect to slope and shift, without their part along L⁻¹1
	rest  []float64   // the same of what is left of the targets
	loss  float64     // half its square
}

// fit fits a model to the differences.
func (t *alignment) fit(s Settings) *Model {
	rest := make([]float64, len(t.y))
	for i, v := range t.At(t.x) {
		rest[i] = t.y[i] - v
	}
	standard := expectSpread(rest, t.settings.Spread)
	s.Standard = &standard
	m, _ := Fit(t.x, rest, t.Of.dim, s)
	return m
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
			t.Slope, t.Shift = before.Slope+scale*step[0], slices.Clone(before.Shift)
			for j, v := range before.Shift {
				t.Shift[j] = v + scale*step[1+j]
			}
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
	t.model = m
	n, scale := len(t.y), m.standard.Scale
	columns := make([][]float64, 1+len(t.Shift))
	for c := range columns {
		columns[c] = make([]float64, n)
	}
	rest, ones := make([]float64, n), make([]float64, n)
	f, grad := Trend{t.Of, 1, t.Shift}.follower(1, scale), make([]float64, t.Of.dim)
	for i, x := range t.x {
		f.add(columns[0][i:i+1], x, true)
		clear(grad)
		f.pull(grad, []float64{t.Slope})
		for j := range t.Shift {
			columns[1+j][i] = grad[j]
		}
		rest[i], ones[i] = t.y[i]/scale-t.Slope*columns[0][i], 1
	}
	ones = m.whitened(ones)
	along := simd.Dot(ones, ones)
	project := func(v []float64) []float64 {
		v = m.whitened(v)
		simd.Axpy(-simd.Dot(v, ones)/along, ones, v)
		return v
	}
	t.white = t.white[:0]
	for _, c := range columns {
		t.white = append(t.white, project(c))
	}
	t.rest = project(rest)
	t.loss = simd.Dot(t.rest, t.rest) / 2
}

// whitened returns L⁻¹v.
func (m *Model) whitened(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range out {
		out[i] = simd.Dot(m.lower[i*m.ld:i*m.ld+i+1], v)
	}
	return out
}

// deviations returns the slope and the shift as distances from what is expected of them, and their standard deviations.
func (t *alignment) deviations() (off, sd []float64) {
	off, sd = []float64{t.Slope - 1}, []float64{t.settings.SlopeSD}
	for _, v := range t.Shift {
		off, sd = append(off, v), append(sd, t.settings.ShiftSD)
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

// logVolume is half the log determinant of the curvature: how much narrower the data make the prior.
func (t *alignment) logVolume() (sum float64) {
	_, sd := t.deviations()
	l, n, ld := t.curvature(sd)
	for i := range n {
		sum += math.Log(l[i*ld+i])
	}
	return sum
}
