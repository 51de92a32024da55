// Package compare has policies for comparisons, which a study file may name: successive halving (ASHA, Hyperband), rollout, and trees of
// looks. It also has the rule of path policies, such as 4-bmsei-p, where changes cost something (path.go). All but the trees of
// looks, which take the place of what package choose has chosen, use that package to search and to select.
package compare

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/choose"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/model"
)

// Successive halving (Jamieson, Talwalkar 2016), to compare looks with: new points begin at a low level, and the best third of each
// level goes on to the next. The policies differ in which level is next and in where new points come from: they
// are random, or the points of which the models promise most. Values decide who goes on. Without levels such a policy is its
// source of new points alone.

// halving is η, of which one part goes on to the next level.
const halving = 3

// Ladder says what is next: a point that goes on to a level, or nil for a new one.
type Ladder func(d *model.State) (x []float64, level float64)

// Climb chooses by a ladder. New points come from another rule.
func Climb(next Ladder, fresh choose.Rule) choose.Rule {
	return func(ctx context.Context, d *model.Beliefs) (out model.Suggestion, err error) {
		if d.Levels == nil {
			out, err = fresh(ctx, d)
		} else if x, level := next(d.State); x != nil {
			out = model.Suggestion{X: slices.Clone(x), Level: level}
		} else {
			out, err = begin(ctx, d, fresh)
			out.Level = level
		}
		if err == nil && d.IsKnown() {
			out.Plan = d.NewPlan(out.X)
		}
		return out, err
	}
}

// begin returns a point that was not looked at, if there is one.
func begin(ctx context.Context, d *model.Beliefs, fresh choose.Rule) (model.Suggestion, error) {
	if !d.IsKnown() {
		fresh = choose.Random // there is nothing to model yet
	}
	known := d.Taken
	d.Taken = slices.Concat(known, d.LookedAt(0))
	out, err := fresh(ctx, d)
	if errors.Is(err, choose.ErrExhausted) { // every setting was looked at
		d.Taken = known
		return fresh(ctx, d)
	}
	return out, err
}

// evaluated is a point at a level. It has no value while it is under way, nor if its evaluation failed or was stopped early.
type evaluated struct {
	x         []float64
	y, lnCost float64
	done      bool
}

// byLevel returns the evaluations on each level, oldest first. A point counts once on a level.
func byLevel(d *model.State) [][]evaluated {
	list := make([][]evaluated, len(d.Levels))
	add := func(k int, e evaluated) {
		if !slices.ContainsFunc(list[k], func(o evaluated) bool { return !model.IsNew(o.x, e.x) }) {
			list[k] = append(list[k], e)
		}
	}
	for _, l := range d.Looks {
		if !l.Step { // nobody sent a point to a level that it passed on its way
			add(nearest(d.Levels, l.Level), evaluated{l.X, l.Y, l.LnCost, true})
		}
	}
	for _, l := range slices.Concat(d.Looking, d.Stopped) { // a point that was stopped is not sent there again
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

// best returns the best of the evaluations that are done and whose points may be tried, at most this many, in the order of their values, and without evaluations that
// went on.
func best(d *model.State, of []evaluated, most int, higher [][]evaluated) (list []evaluated) {
	done := slices.DeleteFunc(slices.Clone(of), func(e evaluated) bool { return !e.done || !d.Allows(e.x) })
	slices.SortStableFunc(done, func(a, b evaluated) int { return maximise.Descending(a.y, b.y) })
	for _, e := range done[:min(max(most, 0), len(done))] {
		if !slices.ContainsFunc(slices.Concat(higher...), func(o evaluated) bool { return !model.IsNew(o.x, e.x) }) {
			list = append(list, e)
		}
	}
	return list
}

// nearest returns the index of the level that is nearest.
func nearest(levels []float64, level float64) (index int) {
	for i, l := range levels {
		if math.Abs(l-level) < math.Abs(levels[index]-level) {
			index = i
		}
	}
	return index
}

// ASHA is asynchronous successive halving (Li, Jamieson, Rostamizadeh, Gonina, Ben-Tzur, Hardt, Recht, Talwalkar 2020, algorithm 2): a point
// goes on as soon as it is among the best third of its level, from the highest level down. Otherwise a new point begins at the lowest level.
func ASHA(d *model.State) ([]float64, float64) {
	levels := byLevel(d)
	for k := len(levels) - 2; k >= 0; k-- {
		done := best(d, levels[k], len(levels[k]), nil)
		if next := best(d, levels[k], len(done)/halving, levels[k+1:]); len(next) > 0 {
			return next[0].x, d.Levels[k+1]
		}
	}
	return nil, d.Levels[0]
}

// Hyperband (Li, Jamieson, DeSalvo, Rostamizadeh, Talwalkar 2018, algorithm 1) is successive halving from several levels in turn, since
// nobody knows how early a bad point can be told. A bracket that begins s levels below the top has ⌈L/(s+1)·ηˢ⌉ points, with L the
// number of levels, and the best third of each level goes on to the next. The brackets begin at the lowest level and end
// with points that are evaluated at the top at once; then they begin again.
//
// The budget is money. A bracket that the money left does not pay for has fewer points, so that its best still reaches the top.

// bracket is a part of a round of successive halving: how many points it has on each level. It has none below its first.
type bracket []int

// newBracket returns the bracket that begins s levels below the top, with a part of its points.
func newBracket(levels, s int, part float64) bracket {
	b := make(bracket, levels)
	n := int(math.Ceil(float64(levels) / float64(s+1) * math.Pow(halving, float64(s))))
	n = max(int(part*float64(n)), 1)
	for k := levels - 1 - s; k < levels; k++ {
		b[k] = max(n, 1)
		n /= halving
	}
	return b
}

// price is what the bracket costs at prices of the levels.
func (b bracket) price(prices []float64) (sum float64) {
	for k, n := range b {
		sum += float64(n) * prices[k]
	}
	return sum
}

// Hyperband walks through the brackets. The evaluations of a level, oldest first, are those of the brackets in turn, so the log says where
// it is. If a bracket waits for evaluations under way, the next one begins.
func Hyperband(d *model.State) ([]float64, float64) {
	levels := byLevel(d)
	left, prices := d.Initial, levelPrices(levels)
	for round := 0; ; round++ {
		s := len(levels) - 1 - round%len(levels)
		b := newBracket(len(levels), s, 1)
		if prices != nil {
			b = newBracket(len(levels), s, math.Min(left/b.price(prices), 1))
		}
		if x, level, ok := b.next(d, levels, len(levels)-1-s); ok {
			return x, level
		}
		for k, n := range b {
			n = min(n, len(levels[k]))
			for _, e := range levels[k][:n] {
				if !math.IsNaN(e.lnCost) {
					left -= math.Exp(e.lnCost)
				}
			}
			levels[k] = levels[k][n:]
		}
	}
}

// next returns what the bracket does next, if there is anything: from its first level up, what is missing on a level.
func (b bracket) next(d *model.State, levels [][]evaluated, first int) (x []float64, level float64, ok bool) {
	for k := first; k < len(b); k++ {
		if len(levels[k]) >= b[k] {
			continue
		}
		if k == first {
			return nil, d.Levels[k], true
		}
		if list := best(d, levels[k-1][:b[k-1]], b[k], levels[k:]); len(list) > 0 {
			return list[0].x, d.Levels[k], true
		}
		return nil, 0, false
	}
	return nil, 0, false
}

// levelPrices returns the mean cost on each level. What is not known yet is a third of the cost of the next level, or three times the cost of the
// last one. It is nil if no cost is known.
func levelPrices(levels [][]evaluated) []float64 {
	prices, known := make([]float64, len(levels)), -1
	for k, list := range levels {
		n := 0.0
		for _, e := range list {
			if !math.IsNaN(e.lnCost) {
				prices[k], n = prices[k]+math.Exp(e.lnCost), n+1
			}
		}
		if n > 0 {
			prices[k] /= n
			known = k
		}
	}
	if known < 0 {
		return nil
	}
	for k := range prices {
		if k > 0 && prices[k] == 0 {
			prices[k] = halving * prices[k-1]
		}
	}
	for k := len(prices) - 2; k >= 0; k-- {
		if prices[k] == 0 {
			prices[k] = prices[k+1] / halving
		}
	}
	return prices
}
