package report

import (
	"fmt"
	"math"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// valueScale makes room for the values of a course, but for a few very bad ones: these are drawn at the edge.
func valueScale(s *study.Study, values []float64, rest *study.Rest) scale {
	best, worst := say.Shown(values, s.Objective.Goal)
	return newScale(withFan(best, worst, rest), false, 0.06)
}

// moneyScale goes from nothing to all that was there or was spent.
func moneyScale(s *study.Study, l study.Ledger) scale {
	x := newScale([]float64{0, 1.015 * math.Max(l.Total, l.Spent)}, false, 0)
	x.clock = s.Measured()
	return x
}

// moneyChart draws the best value against the money spent and, ahead of it, what the rest is expected to buy. Where evaluations have
// noise, it draws what is expected of the best setting: a line from best to best would follow luck.
func moneyChart(s *study.Study, r *study.Record, steps []say.Step, estimate *advisor.Estimate, rest *study.Rest) *canvas {
	const width, height = 900, 330
	c := newCanvas(width, height, "chart wide", "the best "+s.Objective.Name+" against the money spent")
	f := newFrame(62, 28, width-12, height-62, moneyScale(s, r.Ledger), valueScale(s, drawn(steps, estimate), rest))
	empty := len(say.Values(steps)) == 0
	if r.Ledger.Overrun() > 0 {
		at := f.x.at(r.Ledger.Total)
		c.rect("past", at, f.top, f.right-at, f.bottom-f.top, "over budget")
	}
	if !empty {
		f.yAxis(c, s.Objective.Name, 6)
	}
	lane := f.bottom + 10 // where trials without a value are
	low := f
	low.bottom += 20
	low.xAxis(c, say.Axis("spent", s.Cost), 8)
	at := f.x.at(r.Ledger.Total)
	c.line("limit", at, f.top-4, at, low.bottom)
	c.text("name end", at-5, f.top-9, "budget "+say.Amount(s.Cost, r.Ledger.Total), 40)
	if empty {
		c.text("empty mid", (f.left+f.right)/2, (f.top+f.bottom)/2, "no trial has returned a value yet", 80)
	}
	if !empty {
		f.fan(c, s, r.Ledger.Spent, rest)
	}
	r0 := 3.5
	if len(steps) > crowd {
		r0, c.class = 1.8, "chart wide crowd"
	}
	if estimate != nil && !empty {
		drawEstimate(c, f, f.x.at(say.FirstCounting(steps)), f.x.at(r.Ledger.Spent), estimate)
	}
	for _, t := range steps {
		switch {
		case !t.Mark.HasValue():
			c.mark(kindOf(t.Mark), f.x.at(t.Spent), lane, r0, trialTip(s, t))
		case !stands(t.Mark):
			c.mark(kindOf(t.Mark), f.x.at(t.Spent), f.y.at(t.Value), r0, trialTip(s, t))
		}
	}
	c.path("bestline", bestLine(f, steps), false, "")
	for _, t := range steps {
		if stands(t.Mark) {
			c.mark(kindOf(t.Mark), f.x.at(t.Spent), f.y.at(t.Value), r0+1, trialTip(s, t))
		}
	}
	return c
}

// crowd is how many marks or lines are so many that they must be drawn finer.
const crowd = 300

// drawn lists the values that a chart makes room for.
func drawn(steps []say.Step, estimate *advisor.Estimate) []float64 {
	values := say.Values(steps)
	if estimate != nil && len(values) > 0 {
		values = append(values, estimate.Low, estimate.High)
	}
	return values
}

// drawEstimate draws what is expected of the best setting, from the first value that counts up to the money spent: what is thought now.
func drawEstimate(c *canvas, f frame, left, right float64, e *advisor.Estimate) {
	c.open("value")
	c.rect("band", left, math.Min(f.y.at(e.Low), f.y.at(e.High)), right-left, math.Abs(f.y.at(e.Low)-f.y.at(e.High)), "")
	c.close()
	c.line("bestline", left, f.y.at(e.Value), right, f.y.at(e.Value))
}

// stands says whether a mark stands out: it is drawn larger, and over the others.
func stands(m say.Mark) bool { return m.Improved() || m == say.Leading }

// kindOf is how a trial is drawn: the best of all like those that were the best for a while.
func kindOf(m say.Mark) string {
	switch m {
	case say.Best, say.Leading:
		m = say.Better
	case say.Observed:
		m = say.Done
	case say.Early:
		return "early" // a class is one word
	}
	return string(m)
}

func trialTip(s *study.Study, t say.Step) string {
	tip := fmt.Sprintf("trial %d %s: ", t.Number, t.State)
	if t.State == study.Done {
		tip += s.Objective.Name + " " + say.Number(t.Value)
		if t.Mark.Improved() {
			tip += ", the best so far,"
		}
		if t.Mark == say.Leading {
			tip += ", at the best setting,"
		}
		tip += " for "
	} else {
		tip += "cost "
	}
	return tip + say.Amount(s.Cost, t.Charged)
}

// bestLine steps from best to best, and on to all that is spent.
func bestLine(f frame, steps []say.Step) (points []float64) {
	for _, b := range say.BestLine(steps) {
		if n := len(points); n > 0 {
			points = append(points, f.x.at(b.Spent), points[n-1])
		}
		points = append(points, f.x.at(b.Spent), f.y.at(b.Value))
	}
	if n := len(points); n > 0 {
		points = append(points, f.x.at(steps[len(steps)-1].Spent), points[n-1])
	}
	return points
}

// fanRoom is how much of the scale the forecast may add beyond the values seen, as a part of their range. Early forecasts may reach
// far beyond it.
const fanRoom = 0.6

// withFan returns the ends of the values that are shown, with room for a forecast.
func withFan(best, worst float64, rest *study.Rest) []float64 {
	if rest == nil {
		return []float64{best, worst}
	}
	room := fanRoom * math.Abs(best-worst)
	better := math.Max(math.Min(rest.Better, best+room), best-room)
	return []float64{best, worst, better}
}

// fan draws what the rest of the money is expected to buy, ahead of the best value so far: the band that holds it with eight chances
// in ten, and its middle.
func (f frame) fan(c *canvas, s *study.Study, spent float64, rest *study.Rest) {
	if rest == nil {
		return
	}
	inside := func(v float64) float64 { return math.Max(math.Min(f.y.at(v), f.bottom), f.top) }
	x := func(money float64) float64 { return math.Min(f.x.at(spent+money), f.right) }
	middle := []float64{x(0), inside(rest.Best)}
	outline := []float64{x(0), inside(rest.Best)}
	for _, o := range rest.Fan {
		middle = append(middle, x(o.Money), inside(o.Median))
		outline = append(outline, x(o.Money), inside(o.Worse))
	}
	for i := len(rest.Fan) - 1; i >= 0; i-- {
		outline = append(outline, x(rest.Fan[i].Money), inside(rest.Fan[i].Better))
	}
	c.open("value")
	c.path("band", outline, true, restText(s, rest))
	c.close()
	c.path("ahead", middle, false, "")
}

func restText(s *study.Study, r *study.Rest) string {
	return say.Rest(s, r)
}

// part is a stretch of the budget.
type part struct {
	say.Part
	Amount string
}

func budgetParts(s *study.Study, r *study.Record) (list []part) {
	on := r.Spending()
	for _, p := range say.Parts(r.Ledger, &on) {
		list = append(list, part{p, say.Amount(s.Cost, p.Money)})
	}
	return list
}

// gauge draws the parts to scale, side by side.
func gauge(parts []part) *canvas {
	const width, height = 900, 22
	sum := 0.0
	for _, p := range parts {
		sum += p.Money
	}
	c := newCanvas(width, height, "gauge", "how much of the budget is spent")
	x := 0.0
	for _, p := range parts {
		if w := p.Money / sum * width; sum > 0 && w > 0 {
			c.rect(p.Kind, x, 0, w, height, p.Name+": "+p.Amount)
			x += w
		}
	}
	return c
}
