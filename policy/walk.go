package policy

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
)

// walk is one simulation of the rest of a study.
type walk struct {
	*rehearsal
	rng           *rand.Rand
	values, costs *gp.Pool
	points        [][]float64
	seen          []bool // by point: evaluated in this simulation, or known not to be free
	visited       [][]float64
	best          float64
	bestAt        []float64
	spent         float64
	renewed       int // the next of the nearby points to be replaced
	first         int // the point to begin with; negative: the best one
}

// noRoot lets a simulation begin with the point that it takes for the best.
const noRoot = -1

// walk simulates the rest of the study once and returns the gain after each amount. It begins with one of the roots, if there are any.
func (r *rehearsal) walk(number, root int) []float64 {
	w := &walk{rehearsal: r, rng: rand.New(rand.NewPCG(r.start, uint64(number)+1)),
		values: r.values[number%len(r.values)].Clone(), costs: r.costs.Clone(),
		points: slices.Clone(r.points), seen: make([]bool, len(r.points)), best: r.best, bestAt: r.bestAt, first: noRoot}
	if root != noRoot {
		w.first = r.forced + r.remembered + root
	}
	gains, next := make([]float64, len(r.money)), 0
	for i, ok := w.choose(); ok; i, ok = w.choose() {
		before, at := w.best, w.bestAt
		w.evaluate(i)
		for ; next < len(gains) && w.spent > r.money[next]; next++ {
			gains[next] = before - r.best // what is not paid for does not count
		}
		switch {
		case r.objective.Len() <= exactData:
			w.renew(6)
		case !slices.Equal(at, w.bestAt): // with many data a new point takes long
			w.renew(12)
		}
	}
	for ; next < len(gains); next++ {
		gains[next] = w.best - r.best
	}
	return gains
}

// choose returns the affordable point with the highest log EI per median cost, MATH.md (15).
func (w *walk) choose() (int, bool) {
	left := w.money[len(w.money)-1] - w.spent
	done := len(w.visited)
	switch {
	case w.values.Full(), !(left > 0), w.trials > 0 && float64(done)*w.batch >= float64(w.trials):
		return 0, false
	case done < w.forced:
		return done, true
	case done == w.forced && w.first >= 0:
		return w.first, true
	}
	for lnLeft := math.Log(left); ; {
		top, index := -1, math.Inf(-1)
		for i := w.forced; i < len(w.points); i++ {
			lnCost := w.costUnits.From(w.costs.Mean[i])
			if w.seen[i] && !w.repeats || lnCost > lnLeft {
				continue
			}
			v, _, _ := acq.LogEI(w.values.Mean[i], math.Sqrt(w.values.Var[i]), w.best)
			if v -= lnCost; v > index {
				top, index = i, v
			}
		}
		if top < 0 || w.repeats || w.isNew(w.points[top]) {
			return top, top >= 0
		}
		w.seen[top] = true
	}
}

// isNew reports whether a point is free and was not evaluated in this simulation.
func (w *walk) isNew(x []float64) bool {
	return w.isFree(x) && maximise.FarFrom(w.visited, x, sameDistance)
}

// evaluate draws the outcome of a point, learns from it and pays for it. If evaluations are not noisy, the noise of the model of
// the values stands for what the model cannot follow, which is not to be gained by trying often.
func (w *walk) evaluate(i int) {
	noise := 0.0
	if w.repeats {
		noise = w.objective.Hyper().Noise
	}
	y, z := w.draw(w.values, i, noise), w.draw(w.costs, i, w.lnCost.Hyper().Noise)
	w.values.Observe(i, y)
	w.costs.Observe(i, z)
	w.visited, w.seen[i] = append(w.visited, w.points[i]), true
	w.spent += w.batch * math.Exp(w.costUnits.From(z))
	if !w.repeats {
		if y > w.best {
			w.best, w.bestAt = y, w.points[i]
		}
		return
	}
	w.best = math.Inf(-1)
	for i, mean := range w.values.Mean {
		if (w.seen[i] || i >= w.forced && i < w.forced+w.remembered) && mean > w.best {
			w.best, w.bestAt = mean, w.points[i]
		}
	}
}

// draw draws an observation at a point of a pool.
func (w *walk) draw(p *gp.Pool, i int, noise float64) float64 {
	return p.Mean[i] + math.Sqrt(p.Var[i]+noise)*w.rng.NormFloat64()
}

// renew draws some of the nearby points anew, around what is the best point now.
func (w *walk) renew(some int) {
	var places []int
	var points [][]float64
	for range some {
		i := len(w.points) - nearby + w.renewed
		w.renewed = (w.renewed + 1) % nearby
		if w.seen[i] && w.repeats {
			continue // it may be the best
		}
		w.points[i], w.seen[i] = w.near(w.bestAt, w.rng), false
		places, points = append(places, i), append(points, w.points[i])
	}
	w.values.Replace(places, points)
	w.costs.Replace(places, points)
}
