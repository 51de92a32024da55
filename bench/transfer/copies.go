package transfer

import (
	"maps"
	"math"
	"math/rand/v2"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/space"
)

// likeness says how a copy differs from its problem: how far the optimum is elsewhere in every number, in either direction, as parts of its range, and
// how much more its trials cost. In every copy values are stretched and lifted.
type likeness struct{ leastShift, mostShift, dearer float64 }

const stretch, lift = 1.3, 0.5

// copy returns a copy of a task. Choices stay as they are. At the edges the copy is reflected.
func (l likeness) copy(t *problem.Task) (*problem.Task, error) {
	sp, err := space.New(t.Params)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(t.Seed(), 0x73686966))
	by := make([]float64, sp.Dim())
	for _, p := range t.Params {
		d := l.leastShift + (l.mostShift-l.leastShift)*rng.Float64()
		if rng.IntN(2) == 0 {
			d = -d
		}
		if from, to, _ := sp.Coordinates(p.Name); to-from == 1 && (p.Kind == space.KindFloat || p.Kind == space.KindInt) {
			by[from] = d
		}
	}
	c := *t
	c.Evaluate = func(s space.Setting) (value, cost float64) {
		u, fidelity := split(sp, t, s)
		for j, d := range by {
			if d != 0 {
				u[j] = reflected(u[j] + d)
			}
		}
		value, cost = t.Evaluate(fidelity(sp.Decode(u)))
		return stretch*value + lift*t.Scale, l.dearer * cost
	}
	return &c, nil
}

// reflected returns a number between 0 and 1.
func reflected(x float64) float64 {
	if x < 0 {
		x = -x
	}
	if x > 1 {
		x = 2 - x
	}
	return x
}

// waves is how many cosines an unrelated function is the sum of, and reach its lengthscale.
const waves, reach = 64, 0.3

// unrelated returns a task with the same parameters, whose values and costs are draws of Gaussian processes that have nothing to do with
// the task: sums of random waves (Rahimi and Recht 2007). They vary as much as the task's do.
func unrelated(t *problem.Task) (*problem.Task, error) {
	sp, err := space.New(t.Params)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(t.Seed(), 0x6f746865))
	value, lnCost := newField(sp.Dim(), rng), newField(sp.Dim(), rng)
	mean, sd := spreadOf(sp, t)
	c := *t
	c.Evaluate = func(s space.Setting) (float64, float64) {
		u, fidelity := split(sp, t, s)
		v, c := mean+sd*value(u), math.Exp(0.5*lnCost(u))
		if t.Fidelity != nil { // a lower fidelity costs as much less as it does in the task, and is as far from the top on average
			top, whole := t.Evaluate(sp.Decode(u))
			at, part := t.Evaluate(fidelity(sp.Decode(u)))
			v, c = v+at-top, c*part/whole
		}
		return v, c
	}
	return &c, nil
}

// split returns the point of a setting without its fidelity, and a function that gives other settings the same fidelity.
func split(sp *space.Space, t *problem.Task, s space.Setting) (u []float64, fidelity func(space.Setting) space.Setting) {
	fidelity = func(s space.Setting) space.Setting { return s }
	if f := t.Fidelity; f != nil {
		s = maps.Clone(s)
		if level, given := s[f.Name]; given {
			fidelity = func(s space.Setting) space.Setting { s[f.Name] = level; return s }
		}
		delete(s, f.Name)
	}
	u, err := sp.Encode(s)
	if err != nil {
		panic(err) // it was suggested in this space
	}
	return u, fidelity
}

// newField returns a random function with mean 0 and variance 1.
func newField(dim int, rng *rand.Rand) func(u []float64) float64 {
	w, phase := make([][]float64, waves), make([]float64, waves)
	for i := range w {
		w[i] = make([]float64, dim)
		for j := range w[i] {
			w[i][j] = rng.NormFloat64() / reach
		}
		phase[i] = 2 * math.Pi * rng.Float64()
	}
	return func(u []float64) (sum float64) {
		for i, row := range w {
			at := phase[i]
			for j, x := range u {
				at += row[j] * x
			}
			sum += math.Cos(at)
		}
		return sum * math.Sqrt(2.0/waves)
	}
}

// spreadOf returns mean and standard deviation of a task's values over its settings.
func spreadOf(sp *space.Space, t *problem.Task) (mean, sd float64) {
	const points = 256
	var sum, squares float64
	for _, u := range sobol.Points(points, sp.Dim(), t.Seed()+1) {
		v, _ := t.Evaluate(sp.Decode(u))
		sum, squares = sum+v/points, squares+v*v/points
	}
	return sum, math.Sqrt(math.Max(squares-sum*sum, 0))
}
