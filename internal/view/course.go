package view

import (
	"math"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// course is how a study went, ready to be drawn.
type course struct {
	steps []say.Step
	end   float64 // the money axis goes from 0 to here
	used  float64 // what has been spent
}

func courseOf(r *study.Record, goal study.Goal) course {
	c := course{steps: say.Course(goal, r.Trials)}
	if n := len(c.steps); n > 0 {
		c.used = c.steps[n-1].Spent
	}
	c.end = math.Max(math.Min(r.Ledger.Total, math.MaxFloat64), c.used)
	if !(c.end > 0) {
		c.end = 1
	}
	return c
}

// best returns the best value by the time that so much was spent; NaN if there was none.
func (c course) best(spent float64) float64 {
	best := math.NaN()
	for _, t := range c.steps {
		if t.Spent > spent {
			break
		}
		best = t.Best
	}
	return best
}
