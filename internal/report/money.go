package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/eke-bo/eke/study"
)

// step is an ended trial with the money that was spent when it ended.
type step struct {
	study.Trial
	spent  float64
	best   float64 // so far; NaN before there is one
	better bool    // than all before
}

// course returns the ended trials in the order they ended.
func course(s *study.Study, r *study.Record) []step {
	var list []step
	for _, t := range r.Trials {
		if t.State.Ended() {
			list = append(list, step{Trial: t})
		}
	}
	slices.SortStableFunc(list, func(a, b step) int { return a.Finished.Compare(b.Finished) })
	spent, best := 0.0, math.NaN()
	for i := range list {
		t := &list[i]
		spent += t.Charged
		if counts(t.Trial) && (math.IsNaN(best) || s.Objective.Goal.Better(t.Value, best)) {
			best, t.better = t.Value, true
		}
		t.spent, t.best = spent, best
	}
	return list
}

// counts says whether a trial's value does.
func counts(t study.Trial) bool { return t.State == study.Done && !t.Beyond }

// kindOf is how a trial is marked.
func kindOf(t study.Trial) string {
	if t.State == study.Done && t.Beyond {
		return "beyond"
	}
	return string(t.State)
}

// valueRange returns the values to make room for: all, unless a few bad ones would leave no room for the rest.
// Those outside are drawn at the edge.
func valueRange(values []float64, goal study.Goal) []float64 {
	if len(values) < 8 {
		return values
	}
	sorted := slices.Clone(values)
	slices.SortFunc(sorted, func(a, b float64) int {
		if goal == study.Minimize {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(b, a)
	})
	most := sorted[(len(sorted)*9-1)/10]
	if math.Abs(sorted[len(sorted)-1]-sorted[0]) > 6*math.Abs(most-sorted[0]) && most != sorted[0] {
		return []float64{sorted[0], most}
	}
	return sorted
}

// moneyChart draws the best value against the money spent.
func moneyChart(s *study.Study, r *study.Record, steps []step) template.HTML {
	const width, height = 900, 330
	c := newCanvas(width, height)
	var values []float64
	for _, t := range steps {
		if t.State == study.Done {
			values = append(values, t.Value)
		}
	}
	shown := valueRange(values, s.Objective.Goal)
	x := newScale([]float64{0, 1.015 * math.Max(r.Ledger.Total, r.Ledger.Spent)}, false, 0)
	f := newFrame(62, 28, width-12, height-62, x, newScale(shown, false, 0.06))
	if r.Ledger.Overrun() > 0 {
		at := f.x.at(r.Ledger.Total)
		c.rect("past", at, f.top, f.right-at, f.bottom-f.top, "beyond the budget")
	}
	if len(values) > 0 {
		f.yAxis(c, s.Objective.Name, 6)
	}
	lane := f.bottom + 10 // where trials without a value are
	low := f
	low.bottom += 20
	low.xAxis(c, "spent, "+s.Cost.Unit, 8)
	at := f.x.at(r.Ledger.Total)
	c.line("limit", at, f.top-4, at, low.bottom)
	c.text("name end", at-5, f.top-9, "budget "+amount(s.Cost, r.Ledger.Total), 40)
	if len(values) == 0 {
		c.text("empty mid", (f.left+f.right)/2, (f.top+f.bottom)/2, "no trial has returned a value yet", 80)
	}
	r0, class := 3.5, "chart wide"
	if len(steps) > crowd {
		r0, class = 1.8, "chart wide crowd"
	}
	for _, t := range steps {
		tip := trialTip(s, t)
		switch {
		case t.State != study.Done:
			c.mark(kindOf(t.Trial), f.x.at(t.spent), lane, r0, tip)
		case !t.better:
			c.mark(kindOf(t.Trial), f.x.at(t.spent), f.y.at(t.Value), r0, tip)
		}
	}
	c.path("bestline", bestLine(f, steps), false, "")
	for _, t := range steps {
		if t.better {
			c.mark("better", f.x.at(t.spent), f.y.at(t.Value), r0+1, trialTip(s, t))
		}
	}
	return c.svg(class, "the best "+s.Objective.Name+" against the money spent")
}

// crowd is how many marks or lines are so many that they must be drawn finer.
const crowd = 300

func trialTip(s *study.Study, t step) string {
	tip := fmt.Sprintf("trial %d %s: ", t.Number, t.State)
	if t.State == study.Done {
		tip += s.Objective.Name + " " + number(t.Value)
		if t.better {
			tip += ", the best so far,"
		}
		tip += " for "
	} else {
		tip += "cost "
	}
	return tip + amount(s.Cost, t.Charged)
}

// bestLine steps from best to best, and on to all that is spent.
func bestLine(f frame, steps []step) (points []float64) {
	for _, t := range steps {
		if t.better {
			if n := len(points); n > 0 {
				points = append(points, f.x.at(t.spent), points[n-1])
			}
			points = append(points, f.x.at(t.spent), f.y.at(t.best))
		}
	}
	if n := len(points); n > 0 {
		points = append(points, f.x.at(steps[len(steps)-1].spent), points[n-1])
	}
	return points
}
