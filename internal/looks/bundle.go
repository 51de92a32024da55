package looks

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
)

// Several looks together may change which evaluation at the top is best where no single look is likely to. So looks are valued together, as a
// bundle on one level, although each is chosen anew in the light of the results before it (after Jiang, Chai, Gonzalez, Garnett 2020).

// jointOutcomes is the number of outcomes of several looks that their worth is averaged over.
const jointOutcomes = 32

// bundle is a set of looks on one level that are taken together, with the worth of the looks and of the evaluation at the top after them.
type bundle struct {
	first []float64 // the look to begin with
	looks int
	worth float64
	price float64
}

// bestBundle returns the best looks on a level. It begins with the best look alone, and adds the look that raises the worth most until none
// does, or there are as many as the preset allows. Each look moves the means of the tops along a direction of its own, given those
// before it.
func (w *Worth) bestBundle(level float64, points [][]float64, most int) bundle {
	found := bundle{}
	if len(points) == 0 {
		return found
	}
	l := w.newLooking(level, points)
	chosen := l.alone(w)
	paid, moves := spending{}, [][]float64(nil)
	for len(moves) < min(most, len(points)) {
		paid = l.pay(paid, chosen.index)
		moves = append(moves, l.take(chosen.index))
		if chosen.worth > found.worth {
			found = bundle{points[l.taken[0]], len(moves), chosen.worth, paid.price}
		} else if len(moves) > 1 {
			break
		}
		if len(moves) == min(most, mostAhead) {
			break
		}
		if chosen = l.next(w, moves, paid); chosen.index < 0 {
			break
		}
	}
	return found
}

// looking are the looks that may be taken on a level, given the looks already taken.
type looking struct {
	lnCost []float64   // of the expected prices
	works  []float64   // the logarithms of the chances that the looks have values
	top    []int       // the top that goes on from each look, −1 if none does
	cross  [][]float64 // covariances of each look with the tops, for the first objective, then for the next
	own    [][]float64 // and with the other looks
	noise  []float64   // by objective
	taken  []int
	order  []int // the most promising first
}

func (w *Worth) newLooking(level float64, points [][]float64) *looking {
	l := &looking{cross: make([][]float64, len(points)), own: make([][]float64, len(points))}
	for o, m := range w.of {
		at := m.At(level)
		looks := at.NewBatch(len(points), nil)
		looks.Forward(slices.Concat(points...), false)
		cross, own := make([]float64, len(points)*len(w.Tops)), make([]float64, len(points)*len(points))
		looks.CovarianceWith(w.topBatch[o], cross)
		looks.CovarianceWith(looks, own)
		for i := range points {
			l.cross[i], l.own[i] = append(l.cross[i], cross[i*len(w.Tops):(i+1)*len(w.Tops)]...), append(l.own[i], own[i*len(points):(i+1)*len(points)]...)
		}
		l.noise = append(l.noise, at.Hyper().Noise)
	}
	var sd []float64
	l.lnCost, sd = model.Posterior(w.Belief.LnCost.At(level), points)
	lessPaid(w.State, points, l.lnCost)
	charge(w.Belief, points, l.lnCost, sd)
	works := w.Belief.Works()
	for i, x := range points {
		has := works(x)
		l.works = append(l.works, math.Log(has))
		if dearer := w.Belief.Dearer(x, has, l.lnCost[i]); dearer != 1 {
			l.lnCost[i] += math.Log(dearer)
		}
		top := -1
		if w.Resume {
			top = slices.IndexFunc(w.Tops, func(t []float64) bool { return !model.IsNew(x, t) })
		}
		l.top = append(l.top, top)
	}
	return l
}

// pay returns the spending with one more look.
func (l *looking) pay(paid spending, i int) spending {
	return paid.with(l.top[i], math.Exp(l.lnCost[i]), l.works[i])
}

// ranked is a look and the worth with it.
type ranked struct {
	index int
	worth float64
}

// alone returns the best look alone, and notes the order of all.
func (l *looking) alone(w *Worth) ranked {
	worths, rates := make([]float64, len(l.cross)), make([]float64, len(l.cross))
	for i := range l.cross {
		worths[i] = w.after([][]float64{l.direction(i)}, l.pay(spending{}, i), w.one)
		rates[i] = w.gainFor(worths[i], math.Exp(l.lnCost[i]))
	}
	l.order = maximise.Highest(rates, len(rates))
	return ranked{l.order[0], worths[l.order[0]]}
}

// sd is the standard deviation of a look's outcome in an objective.
func (l *looking) sd(i, objective int) float64 {
	return math.Sqrt(math.Max(l.own[i][objective*len(l.own)+i], 0) + l.noise[objective])
}

// direction is how the means of the tops move with a look's outcomes, a standard normal variable for each objective.
func (l *looking) direction(i int) []float64 {
	moves, tops := make([]float64, len(l.cross[i])), len(l.cross[i])/len(l.noise)
	for o := range l.noise {
		sd := l.sd(i, o)
		for j := o * tops; j < (o+1)*tops; j++ {
			moves[j] = l.cross[i][j] / sd
		}
	}
	return moves
}

// take conditions all else on a look, and returns its direction.
func (l *looking) take(i int) []float64 {
	moves, looks, tops := l.direction(i), len(l.own), len(l.cross[i])/len(l.noise)
	for o := range l.noise {
		share, sd := make([]float64, looks), l.sd(i, o)
		for k := range share {
			share[k] = l.own[i][o*looks+k] / sd
		}
		for k := range l.own {
			for j := o * tops; j < (o+1)*tops; j++ {
				l.cross[k][j] -= share[k] * moves[j]
			}
			for j, s := range share {
				l.own[k][o*looks+j] -= share[k] * s
			}
		}
	}
	l.taken = append(l.taken, i)
	return moves
}

// mostAdded is the number of looks that are tried as the next of a bundle.
const mostAdded = 8

// next returns the look that is best to add to the looks with the given moves; its index is −1 if there is none.
func (l *looking) next(w *Worth, moves [][]float64, paid spending) ranked {
	best := ranked{-1, math.Inf(-1)}
	tried := 0
	for _, i := range l.order {
		if slices.Contains(l.taken, i) {
			continue
		}
		if tried++; tried > mostAdded {
			break
		}
		if r := w.after(append(slices.Clip(moves), l.direction(i)), l.pay(paid, i), w.joint); r > best.worth {
			best = ranked{i, r}
		}
	}
	return best
}

// StartTrees returns at most the given number of trees to start a search from, for one objective. Each has a promising look, for each of its outcomes the best
// point at the top after it, and the next best look.
func (w *Worth) StartTrees(level float64, points [][]float64, outcomes []float64, most int) (starts [][]float64) {
	l := w.newLooking(level, points)
	l.alone(w)
	for _, i := range l.order[:min(most, len(l.order))] {
		tree, second := slices.Clone(points[i]), []float64(nil)
		moves, price := l.direction(i), math.Exp(l.lnCost[i])
		for _, o := range outcomes {
			worth := make([]float64, len(w.Tops))
			for j, move := range moves {
				sd := math.Sqrt(math.Max(w.sd[j]*w.sd[j]-move*move, 1e-12))
				worth[j] = w.worthOf(j, []float64{w.mean[j] + move*o}, []float64{sd}, price)
			}
			two := maximise.Highest(worth, 2)
			tree, second = append(tree, w.Tops[two[0]]...), append(second, w.Tops[two[len(two)-1]]...)
		}
		starts = append(starts, append(tree, second...))
	}
	return starts
}
