package view

import (
	"math"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// course is how a study went, ready to be drawn.
type course struct {
	steps []say.Step
	end   float64 // the money axis goes from 0 to here
	used  float64 // what has been spent

	estimate *advisor.Estimate // of the best setting, where evaluations have noise
}

func courseOf(r *study.Record, goal study.Goal, best advisor.Best) course {
	c := course{steps: best.Course(goal, r.Trials), estimate: best.Estimate}
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

// sparkline is a course in one row: the best value so far, over the money spent.
func sparkline(c course, goal study.Goal, width int) string {
	if math.IsNaN(c.best(c.used)) || width < 1 {
		return ""
	}
	bars := []rune("▁▂▃▄▅▆▇█")
	y := c.valueAxis(goal, 2)
	var b strings.Builder
	for i := range width {
		spent := c.end * (float64(i+1) / float64(width))
		value := c.best(spent)
		switch {
		case math.IsNaN(value):
			b.WriteRune(' ')
		case spent-c.end/float64(width) > c.used:
			b.WriteRune('·') // still to be spent
		default:
			b.WriteRune(bars[int(math.Round(y.at(value)*float64(len(bars)-1)))])
		}
	}
	return b.String()
}
