package policy

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/maximise"
)

// Successive halving (Jamieson, Talwalkar 2016), to compare looks with: new points begin at a low level, and the best third of each
// level goes on to the next. The policies differ in which level is next (asha.go, hyperband.go) and in where new points come from: they
// are random, or those that the models promise most of. Values decide who goes on. Without levels such a policy is its
// source of new points alone.

// halving is η, of which one part goes on to the next level.
const halving = 3

// ladder says what is next: a point that goes on to a level, or nil for a new one.
type ladder func(d *decision) (x []float64, level float64)

// climb chooses by a ladder.
func (p *policy) climb(next ladder, fresh chooser) chooser {
	return func(ctx context.Context, d *decision) (Suggestion, error) {
		if d.Levels == nil {
			out, err := fresh(ctx, d)
			if err != nil {
				return out, err
			}
			return p.atLevel(d, out), nil
		}
		x, level := next(d)
		if x != nil {
			return p.atLevel(d, Suggestion{X: slices.Clone(x), Level: level}), nil
		}
		begin := fresh
		if d.objective == nil {
			begin = p.random // there is nothing to model yet
		}
		known := d.taken
		for _, l := range slices.Concat(d.Looks, d.Looking) {
			d.taken = append(slices.Clip(d.taken), l.X)
		}
		out, err := begin(ctx, d)
		if errors.Is(err, ErrExhausted) { // every setting was looked at
			d.taken = known
			out, err = begin(ctx, d)
		}
		out.Level = level
		if err != nil {
			return out, err
		}
		return p.atLevel(d, out), nil
	}
}

// halves says whether the levels are climbed by successive halving.
func (p *policy) halves(s *State) bool { return p.ladder && s.Levels != nil }

// atLevel adds to a suggestion what the next one continues from, if there are models.
func (p *policy) atLevel(d *decision, out Suggestion) Suggestion {
	if d.objective != nil {
		out.Plan = p.newPlan(d, out.X)
	}
	return out
}

// evaluated is a point at a level. It has no value while it is under way, nor if its evaluation failed or was stopped early.
type evaluated struct {
	x         []float64
	y, lnCost float64
	done      bool
}

// byLevel returns the evaluations on each level, oldest first. A point counts once on a level.
func (d *decision) byLevel() [][]evaluated {
	list := make([][]evaluated, len(d.Levels))
	add := func(k int, e evaluated) {
		if !slices.ContainsFunc(list[k], func(o evaluated) bool { return near(o.x, e.x) }) {
			list[k] = append(list[k], e)
		}
	}
	for _, l := range d.Looks {
		if !l.Step { // nobody sent a point to a level that it passed on its way
			add(nearest(d.Levels, l.Level), evaluated{l.X, l.Y, l.LnCost, true})
		}
	}
	for _, l := range d.Looking {
		add(nearest(d.Levels, l.Level), evaluated{x: l.X, lnCost: math.NaN()})
	}
	for _, l := range d.Stopped { // such a point is not sent there again
		add(nearest(d.Levels, l.Level), evaluated{x: l.X, lnCost: math.NaN()})
	}
	top := len(d.Levels) - 1
	for i, x := range d.X {
		add(top, evaluated{x, d.Y[i], d.LnCost[i], true})
	}
	for _, f := range d.Failed {
		add(top, evaluated{x: f.X, lnCost: f.LnCost})
	}
	for _, x := range slices.Concat(d.Pending, d.Tried) {
		add(top, evaluated{x: x, lnCost: math.NaN()})
	}
	return list
}

// best returns the best of the evaluations that are done, at most so many, in the order of their values, and without those that went on.
func best(of []evaluated, most int, higher [][]evaluated) (list []evaluated) {
	done := slices.DeleteFunc(slices.Clone(of), func(e evaluated) bool { return !e.done })
	slices.SortStableFunc(done, func(a, b evaluated) int { return maximise.Descending(a.y, b.y) })
	for _, e := range done[:min(max(most, 0), len(done))] {
		if !slices.ContainsFunc(slices.Concat(higher...), func(o evaluated) bool { return near(o.x, e.x) }) {
			list = append(list, e)
		}
	}
	return list
}

func near(a, b []float64) bool { return !maximise.FarFrom([][]float64{a}, b, sameDistance) }

// nearest returns the index of the level that is nearest.
func nearest(levels []float64, level float64) (index int) {
	for i, l := range levels {
		if math.Abs(l-level) < math.Abs(levels[index]-level) {
			index = i
		}
	}
	return index
}
