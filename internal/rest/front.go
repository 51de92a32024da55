package rest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/front"
	"github.com/eke-bo/eke/internal/model"
)

// With several objectives a simulation is the same, with the hypervolume of the front in place of the best value. It draws every objective. Its cheap
// policy takes the point whose optimistic outcome, a standard deviation above the mean in all objectives, would gain the most for its price. The exact
// expectation would take a hundred times as long.

// frontier is the front of a simulation. Objectives are standardised, each by its own model; unit turns a volume of such into one of the objectives as they are.
type frontier struct {
	aims     []*gp.Pool // of all objectives but the first
	models   []*gp.Model
	outcomes [][]float64
	at       [][]float64 // their points
	worst    []float64
	most     []float64 // the most that each objective can be; nil: there are no bounds
	boxes    []front.Box
	unit     float64
	whole    []bool // which objectives take whole numbers only; nil: none does
}

// newFrontier returns the front so far; nil with one objective.
func newFrontier(m *model.Models) *frontier {
	if !m.HasAims() {
		return nil
	}
	f := &frontier{models: m.Objectives(), unit: 1, whole: m.Whole()}
	for j, v := range m.Reference() {
		s := f.models[j].Standard()
		f.worst, f.unit = append(f.worst, s.To(v)), f.unit*s.Scale
	}
	all := m.Outcomes()
	for _, i := range m.Front(m.Reference()) {
		y := make([]float64, len(all[i]))
		for j, v := range all[i] {
			y[j] = f.models[j].Standard().To(v)
		}
		f.outcomes, f.at = append(f.outcomes, y), append(f.at, m.X[i])
	}
	if len(m.Bounds) > 0 {
		for j, v := range m.Ceiling() {
			f.most = append(f.most, f.models[j].Standard().To(v))
		}
	}
	f.setBoxes()
	return f
}

// setBoxes sets what would extend the front, as far as the objectives can go.
func (f *frontier) setBoxes() {
	if f.boxes = front.Boxes(f.outcomes, f.worst); f.most != nil {
		f.boxes = front.Below(f.boxes, f.most)
	}
}

// ceiling is the most that the hypervolume can be, of the objectives as they are; infinite without bounds.
func (f *frontier) ceiling() float64 {
	v := f.unit
	for j, w := range f.worst {
		if f.most == nil {
			return math.Inf(1)
		}
		v *= math.Max(f.most[j]-w, 0)
	}
	return v
}

// volume is the hypervolume so far, of the objectives as they are.
func (f *frontier) volume() float64 { return model.Capped(f.unit * front.Volume(f.outcomes, f.worst)) }

// clone returns the front for a simulation.
func (f *frontier) clone() *frontier {
	if f == nil {
		return nil
	}
	c := *f
	c.outcomes, c.at, c.aims = slices.Clip(f.outcomes), slices.Clip(f.at), make([]*gp.Pool, len(f.aims))
	for k, p := range f.aims {
		c.aims[k] = p.Clone()
	}
	return &c
}

// addPools adds the pools of the further objectives.
func (f *frontier) addPools(points [][]float64) {
	for _, m := range f.models[1:] {
		f.aims = append(f.aims, m.NewPool(points, mostImagined))
	}
}

// round rounds an outcome where objectives take whole numbers only.
func (f *frontier) round(y []float64) {
	for j, w := range f.whole {
		if s := f.models[j].Standard(); w {
			y[j] = s.To(math.Round(s.From(y[j])))
		}
	}
}

// promise is the logarithm of the gain of an optimistic outcome, of objectives with these means and variances. Where none would gain, it tells how far away that is.
func (f *frontier) promise(mean, variance []float64) float64 {
	y := make([]float64, len(mean))
	for j, m := range mean {
		y[j] = m + math.Sqrt(variance[j])
	}
	f.round(y)
	if gain := front.Gain(f.boxes, y); gain > 0 {
		return math.Log(gain)
	}
	least := math.Inf(1)
	for _, b := range f.boxes {
		short := 0.0
		for j, low := range b.Low {
			short = math.Max(short, low-y[j])
		}
		least = math.Min(least, short)
	}
	return noGain - least
}

// noGain is below the logarithm of any gain that matters.
const noGain = -100

// objectives returns means and variances of all objectives at a point of the pools.
func (w *walk) objectives(i int) (mean, variance []float64) {
	mean, variance = append(mean, w.values.Mean[i]), append(variance, w.values.Var[i])
	for _, p := range w.front.aims {
		mean, variance = append(mean, p.Mean[i]), append(variance, p.Var[i])
	}
	return mean, variance
}

// extend adds an outcome, whose first objective is known, to a simulation. It returns by how much the hypervolume grows if the outcome counts.
func (w *walk) extend(i int, first float64, counts bool) float64 {
	f, y := w.front, []float64{first}
	for _, p := range f.aims {
		v := w.draw(p, i, 0)
		p.Observe(i, v)
		y = append(y, v)
	}
	for j, most := range f.most {
		y[j] = math.Min(y[j], most)
	}
	f.round(y)
	gain := front.Gain(f.boxes, y)
	if !counts || !(gain > 0) {
		return 0
	}
	f.outcomes, f.at = append(f.outcomes, y), append(f.at, w.points[i])
	f.setBoxes()
	return f.unit * gain
}

// Reach is a forecast of the front when the money is gone, for two of the objectives: how good the first objective is if the second is at least as good as
// a value of At.
type Reach struct {
	First, Second int
	At            []float64 // values of the second, rising
	Low, High     []float64 // the quantiles of 10 and 90 % of the best value of the first
}

// reachPoints is how many values of the second objective a Reach has.
const reachPoints = 24

// reach looks at the fronts that the simulations ended with, a pair of objectives at a time. Where a simulation has nothing so good, the worst that counts is there.
func (f *frontier) reach(fronts [][][]float64) (list []Reach) {
	own := func(j int, v float64) float64 { return model.Capped(f.models[j].Standard().From(v)) }
	for second := range f.worst {
		tops := make([]float64, len(fronts))
		for i, outcomes := range fronts {
			tops[i] = f.worst[second]
			for _, y := range outcomes {
				tops[i] = math.Max(tops[i], y[second])
			}
		}
		slices.Sort(tops)
		top := tops[len(tops)*9/10] // beyond it nothing is in the band
		for first := range second {
			r := Reach{First: first, Second: second}
			for k := range reachPoints {
				at := f.worst[second] + (top-f.worst[second])*float64(k)/(reachPoints-1)
				best := make([]float64, len(fronts))
				for i, outcomes := range fronts {
					best[i] = f.worst[first]
					for _, y := range outcomes {
						if y[second] >= at {
							best[i] = math.Max(best[i], y[first])
						}
					}
				}
				slices.Sort(best)
				n := float64(len(best))
				r.At, r.Low, r.High = append(r.At, own(second, at)), append(r.Low, own(first, best[int(0.1*n)])), append(r.High, own(first, best[int(0.9*n)]))
			}
			list = append(list, r)
		}
	}
	return list
}

// someTop returns a point of the front, or another if there is none.
func (f *frontier) someTop(rng *rand.Rand, other []float64) []float64 {
	if len(f.at) == 0 {
		return other
	}
	return f.at[rng.IntN(len(f.at))]
}
