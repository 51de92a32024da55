package gp

import "slices"

// Trend is a function that a model expects its targets to follow: a law, or a multiple of the posterior mean of another model, perhaps moved a
// little. What it models itself is the difference, MATH.md (27). The zero value is no trend.
type Trend struct {
	// Law is the law; nil: the other model is followed, if any.
	Law *Law

	// Of is the other model.
	Of *Model

	// Slope is the multiple. 0 means that no other model is followed.
	Slope float64

	// Shift is by how much the other model is moved: it is asked at x + Shift. Nil means not at all.
	Shift []float64

	// SlopeSD and ShiftSD are the standard deviations of the priors of the slope, whose mean is 1, and of each coordinate of the shift, whose mean is 0.
	SlopeSD, ShiftSD float64
}

// isNone says whether there is no trend.
func (t Trend) isNone() bool { return t.Slope == 0 && t.Law == nil }

// Trend returns the trend that the model follows.
func (m *Model) Trend() Trend { return m.trend }

// follow sets the trend.
func (m *Model) follow(t Trend) {
	if m.trend = t; !t.isNone() && m.n <= subset {
		m.doubt = new(trendDoubt)
	}
}

// trendAtData returns the trend at the data, standardised.
func (m *Model) trendAtData() []float64 { return m.trend.in(m.standard.Scale, m.points()...) }

// points returns the points of the data.
func (m *Model) points() [][]float64 {
	points := make([][]float64, m.n)
	for i := range points {
		for j, l := range m.hyper.Lengthscales {
			points[i] = append(points[i], m.inputs[j*m.ld+i]*l)
		}
	}
	return points
}

// At returns the trend at points, in the units of the targets.
func (t Trend) At(points [][]float64) []float64 { return t.in(1, points...) }

// in returns the trend at points, in units of scale.
func (t Trend) in(scale float64, points ...[]float64) []float64 {
	f, list := t.rows(1, scale), make([]float64, len(points))
	for i, x := range points {
		f.add(list[i:i+1], x, false)
	}
	return list
}

// trendBatch is the trend of a batch, as scratch memory.
type trendBatch interface {
	// add adds the trend at the points to means.
	add(mean, x []float64, withGrad bool)

	// pull adds to grad what the trend contributes to it, for the sensitivities to the means.
	pull(grad, meanBar []float64)
}

// trendRows is the trend of a batch that follows another model: shift + factor·(that model's mean), for each row.
type trendRows struct {
	kernelRows
	factor, shift float64
	move          []float64 // nil: not at all
}

// rows returns the scratch memory for this many rows, with the trend in units of scale; nil if there is no trend.
func (t Trend) rows(rows int, scale float64) trendBatch {
	m := t.Of
	if t.isNone() {
		return nil
	}
	if t.Law != nil {
		return &lawRows{t.Law, scale, make([]float64, rows)}
	}
	return &trendRows{m.newKernelRows(rows), t.Slope * m.standard.Scale / scale, t.Slope * m.standard.Shift / scale, t.Shift}
}

func (f *trendRows) add(mean, x []float64, withGrad bool) {
	clear(f.k)
	f.covariances(x, f.move, withGrad)
	for r := range f.rows {
		mean[r] += f.shift + f.factor*f.mean(r)
	}
}

func (f *trendRows) pull(grad, meanBar []float64) {
	for r, bar := range meanBar {
		f.pullRow(grad, r, f.m.weights, f.factor*bar)
	}
}

// derivatives returns the derivatives of the trend at points with respect to slope and shift, or to the numbers of a law, in units of scale.
func (t Trend) derivatives(scale float64, points ...[]float64) (columns [][]float64) {
	if t.Law != nil {
		return t.Law.derivatives(scale, points...)
	}
	for range 1 + len(t.Shift) {
		columns = append(columns, make([]float64, len(points)))
	}
	f, grad := Trend{Of: t.Of, Slope: 1, Shift: t.Shift}.rows(1, scale), make([]float64, t.Of.dim)
	for i, x := range points {
		f.add(columns[0][i:i+1], x, true)
		clear(grad)
		f.pull(grad, []float64{t.Slope})
		for j := range t.Shift {
			columns[1+j][i] = grad[j]
		}
	}
	return columns
}

// moved returns the points where the other model is asked.
func (t Trend) moved(points [][]float64) (list [][]float64) {
	for _, x := range points {
		x = slices.Clone(x)
		for j, v := range t.Shift {
			x[j] += v
		}
		list = append(list, x)
	}
	return list
}

// after returns the trend after a step.
func (t Trend) after(scale float64, step []float64) Trend {
	if t.Law != nil {
		t.Law = t.Law.moved(scale, step)
		return t
	}
	t.Slope, t.Shift = t.Slope+scale*step[0], slices.Clone(t.Shift)
	for j := range t.Shift {
		t.Shift[j] += scale * step[1+j]
	}
	return t
}

// Like returns a model with the model's standardisation and trend, but with other data and hyperparameters.
func (m *Model) Like(x [][]float64, y []float64, h Hyper) *Model {
	return NewTrended(x, nil, y, m.standard, h, m.trend)
}

// NewTrended is NewAt for a model with a trend, which is the same on all levels.
func NewTrended(x [][]float64, levels, y []float64, s Standard, h Hyper, t Trend) *Model {
	if t.isNone() {
		return NewAt(x, levels, y, s, h)
	}
	m := NewAt(x, levels, without(y, t.At(x)), s, h)
	m.follow(t)
	return m
}

// without returns the differences of two lists.
func without(y, other []float64) []float64 {
	rest := make([]float64, len(y))
	for i, v := range y {
		rest[i] = v - other[i]
	}
	return rest
}
