package view

import (
	"cmp"
	"math"
	"slices"

	"github.com/eke-bo/eke/study"
)

// course is how a study went: a dot for each trial that ended, in the order they did.
type course struct {
	dots []dot
	end  float64 // the money axis goes from 0 to here
	used float64 // what has been spent
	best int     // which dot is the best, or -1
}

type dot struct {
	spent float64 // by all trials together, when this one ended
	value float64
	kind  mark
}

// mark is what became of a trial. Later ones are drawn over earlier ones.
type mark int

const (
	valueless mark = iota // failed, cut or abandoned
	ignored               // returned a value, but past the budget
	tried                 // returned a value
	improved              // a better one than all before
	winner                // the best of all
)

func courseOf(r *study.Record, goal study.Goal) course {
	var ended []study.Trial
	for _, t := range r.Trials {
		if t.State.Ended() {
			ended = append(ended, t)
		}
	}
	slices.SortStableFunc(ended, func(a, b study.Trial) int {
		return cmp.Or(a.Finished.Compare(b.Finished), cmp.Compare(a.Number, b.Number))
	})
	c := course{best: -1}
	for _, t := range ended {
		c.used = math.Min(c.used+t.Charged, math.MaxFloat64)
		d := dot{spent: c.used, value: t.Value, kind: valueless}
		switch {
		case t.State != study.Done || math.IsNaN(t.Value) || math.IsInf(t.Value, 0):
		case t.Beyond:
			d.kind = ignored
		case c.best < 0 || goal.Better(t.Value, c.dots[c.best].value):
			d.kind, c.best = improved, len(c.dots)
		default:
			d.kind = tried
		}
		c.dots = append(c.dots, d)
	}
	if c.best >= 0 {
		c.dots[c.best].kind = winner
	}
	c.end = math.Max(math.Min(r.Ledger.Total, math.MaxFloat64), c.used)
	if !(c.end > 0) {
		c.end = 1
	}
	return c
}

// values are those to be drawn.
func (c course) values() (list []float64) {
	for _, d := range c.dots {
		if d.kind != valueless {
			list = append(list, d.value)
		}
	}
	return list
}

// sofar returns the best value by the time that so much was spent.
func (c course) sofar(spent float64) (value float64, ok bool) {
	for _, d := range c.dots {
		if d.spent > spent {
			break
		}
		if d.kind >= improved {
			value, ok = d.value, true
		}
	}
	return value, ok
}

// clipped is the range of values to draw. One that is far worse than most would press all others into one line, so
// it is shown at the edge instead.
func (c course) clipped(goal study.Goal) (lo, hi float64) {
	const far = 10 // times as far from the best as three quarters of all
	values := c.values()
	slices.Sort(values)
	n := len(values)
	lo, hi = values[0], values[n-1]
	if n < 5 {
		return lo, hi
	}
	if middle := values[n*3/4]; goal == study.Minimize && hi/2-lo/2 > far*(middle/2-lo/2) && middle > lo {
		hi = lo + 1.5*(middle-lo)
	} else if middle := values[n/4]; goal == study.Maximize && hi/2-lo/2 > far*(hi/2-middle/2) && middle < hi {
		lo = hi - 1.5*(hi-middle)
	}
	return lo, hi
}
