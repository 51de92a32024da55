package gp

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

// Trend returns the trend that the model follows.
func (m *Model) Trend() Trend { return m.trend }

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
	kernelRows
	factor, shift float64
	move          []float64 // nil: not at all
}

// follower returns the scratch memory for so many rows, with the trend in units of scale; nil if there is no trend.
func (t Trend) follower(rows int, scale float64) *follower {
	m := t.Of
	if t.Slope == 0 {
		return nil
	}
	return &follower{m.newKernelRows(rows), t.Slope * m.standard.Scale / scale, t.Slope * m.standard.Shift / scale, t.Shift}
}

// add adds the trend at the points to means.
func (f *follower) add(mean, x []float64, withGrad bool) {
	clear(f.k)
	f.covariances(x, f.move, withGrad)
	for r := range f.rows {
		mean[r] += f.shift + f.factor*f.mean(r)
	}
}

// pull adds to grad what the trend contributes to it, for the sensitivities to the means.
func (f *follower) pull(grad, meanBar []float64) {
	for r, bar := range meanBar {
		f.pullRow(grad, r, f.m.weights, f.factor*bar)
	}
}
