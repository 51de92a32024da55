package model

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/front"
	"github.com/eke-bo/eke/internal/maximise"
)

// What is believed about several objectives: the front of the outcomes, what would extend it, and where a point is expected to lie next to it.

// aimed returns the models of the further objectives, of a list by quantity.
func (m *Models) aimed(models []*gp.Model) []*gp.Model {
	if !m.HasAims() {
		return nil
	}
	return models[further+len(m.Further):]
}

// Objectives returns the models of all objectives, the model of the values first.
func (m *Models) Objectives() []*gp.Model {
	return append([]*gp.Model{m.Objective()}, m.aimed(m.of)...)
}

// Outcomes returns the objectives of all evaluations: what was observed or, with noise, what the models say. What is missing is NaN.
func (m *Models) Outcomes() [][]float64 {
	list, columns := make([][]float64, len(m.X)), m.columns()
	if m.IsNoisy() && len(m.X) > 0 {
		for j, model := range m.Objectives() {
			columns[j], _ = Posterior(model, m.X)
		}
	}
	for i := range list {
		for _, column := range columns {
			if v := column[i]; m.isComplete(i) {
				list[i] = append(list[i], v)
			} else {
				list[i] = append(list[i], math.NaN())
			}
		}
	}
	return list
}

// expected returns what the models expect of all objectives at points.
func (m *Models) expected(points [][]float64) [][]float64 {
	list := make([][]float64, len(points))
	for _, model := range m.Objectives() {
		means, _ := Posterior(model, points)
		for i, v := range means {
			list[i] = append(list[i], v)
		}
	}
	return list
}

// above returns the front of the outcomes that count and are better than a worst, and their places.
func (m *Models) above(worst []float64) (outcomes [][]float64, places []int) {
	all := m.Outcomes()
	for i := range all {
		if m.isLimited() && !m.Counts(i) {
			all[i] = slices.Repeat([]float64{math.NaN()}, len(all[i]))
		}
	}
	places = front.Of(all, worst)
	return maximise.Pick(all, places), places
}

// leastWhole is the number of results of an objective that must all be whole before only whole numbers are expected; see bench/NOTES.md. A few may be
// whole by chance, such as rates of 0 and 1.
const leastWhole = 6

// leastSteps is how many of them must differ. If all values are 0 so far, the size of a step is unknown, and the models would see no hope.
const leastSteps = 3

// Whole says which objectives have only had whole numbers as results; nil if none has. In such an objective, an outcome with the same whole number as
// another does not extend the front, however the models' means differ. With noise the front consists of means, which are not whole.
func (m *Models) Whole() (list []bool) {
	if m.IsNoisy() {
		return nil
	}
	for _, column := range m.columns() {
		list = append(list, areWhole(column))
	}
	if !slices.Contains(list, true) {
		return nil
	}
	return list
}

func areWhole(values []float64) bool {
	n, seen := 0, map[float64]bool{}
	for _, v := range values {
		switch {
		case math.IsNaN(v):
		case v != math.Trunc(v):
			return false
		default:
			n, seen[v] = n+1, true
		}
	}
	return n >= leastWhole && len(seen) >= leastSteps
}

// onFront returns the outcomes that the hypervolume is computed from, and their places.
func (m *Models) onFront() (outcomes [][]float64, places []int) { return m.above(m.Reference()) }

// Front returns the places of the evaluations that are better than a worst and that no other dominates. With Floor these are the front; with Reference the
// hypervolume is computed from them.
func (m *Models) Front(worst []float64) []int {
	_, places := m.above(worst)
	return places
}

// Hypervolume returns the hypervolume of the front.
func (m *Models) Hypervolume() float64 {
	outcomes, _ := m.onFront()
	return front.Volume(outcomes, m.Reference())
}

// sums returns the sums of the standardised objectives of outcomes. The outcome that counts and has the highest sum is on the front, somewhere in its middle.
func (m *Models) sums(outcomes [][]float64) []float64 {
	models := m.Objectives()
	list := make([]float64, len(outcomes))
	for i, y := range outcomes {
		for j, v := range y {
			if list[i] += models[j].Standard().To(v); math.IsNaN(v) {
				list[i] = math.Inf(-1)
				break
			}
		}
	}
	return list
}

// setFront sets the points on the front and, in a belief with what is assumed about evaluations under way, what would extend it. Such an evaluation is taken
// to extend the front itself, if it is likelier than not to have a value.
func (d *Beliefs) setFront(b *acq.Belief, a assumed, works func(x []float64) float64) {
	if !d.HasAims() {
		return
	}
	outcomes, places := d.onFront()
	d.Tops = maximise.Pick(d.X, places)
	whole := d.Whole()
	for i, x := range a.points {
		if works(x) > 0.5 && (!d.isLimited() || d.Meets(x)) {
			y := []float64{a.means[value][i]}
			for k := range d.Aims {
				y = append(y, a.means[further+len(d.Further)+k][i])
			}
			for j, w := range whole {
				if w {
					y[j] = math.Round(y[j])
				}
			}
			outcomes = append(outcomes, y)
		}
	}
	b.Front = &acq.Front{Models: d.aimed(a.of), Boxes: d.below(front.Boxes(outcomes, d.Reference())), Whole: whole}
}

// extends returns a function that gives the chance, by the forecast of a point, that the point extends the front. With noise the front consists of
// means, and the function gives the chance that the point's own means extend it; for a point on the front that is 0.
func (d *Beliefs) extends(widths []width) func(x []float64) float64 {
	models := d.Belief.Objectives()
	boxes := front.Rounded(front.Open(d.Belief.Front.Boxes, d.Ceiling()), d.Belief.Front.Whole)
	return func(x []float64) float64 {
		middle, scale := make([]float64, len(models)), make([]float64, len(models))
		if d.IsNoisy() && slices.ContainsFunc(d.Tops, func(top []float64) bool { return slices.Equal(top, x) }) {
			return 0
		}
		for j, m := range models {
			output := d.outputOf(j)
			if d.IsNoisy() {
				mean, sd := m.PosteriorSD(x)
				middle[j], scale[j] = mean, d.meanScale(m, output, doubted(m, x, sd), widths[output])
			} else {
				middle[j], scale[j] = d.scaleAt(m, output, x, widths[output])
			}
			scale[j] = math.Max(scale[j], 1e-300)
		}
		return front.Chance(boxes, middle, scale, d.cdf())
	}
}

// ranges returns the forecasts of the further objectives.
func (m *Models) ranges(models []*gp.Model, x []float64, widths []width) (list []Range) {
	for k, model := range models {
		mean, sd := model.PosteriorSD(x)
		if output := m.outputOf(k + 1); !m.Paper {
			var near float64
			sd, near = plainScale(model, output, x, sd)
			sd *= asNormal * widths[output].of(near)
		}
		b := m.Bound(k + 1)
		list = append(list, Range{b.Clip(Capped(mean)), Capped(spread(gp.Warp{}, b, mean, sd)), b.Clip(Capped(mean - tenth*sd)), b.Clip(Capped(mean + tenth*sd))})
	}
	return list
}

// Between returns the places of the evaluations on the front next to which a point is expected to lie, at most two. With two objectives they are
// the next better and the next worse evaluation in the first objective; with three, the nearest evaluations.
func (d *Beliefs) Between(x []float64) (list []int) {
	outcomes, places := d.above(d.Floor())
	models := d.Belief.Objectives()
	mean := make([]float64, len(models))
	for j, m := range models {
		mean[j], _ = m.PosteriorSD(x)
	}
	if len(models) == 2 {
		for _, k := range front.Nearest(outcomes, mean) {
			list = append(list, places[k])
		}
		return list
	}
	far := make([]float64, len(outcomes))
	for i, y := range outcomes {
		for j, v := range y {
			z := (v - mean[j]) / models[j].Standard().Scale
			far[i] -= z * z
		}
	}
	return maximise.Pick(places, maximise.Highest(far, min(2, len(far))))
}
