package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// goes tells a direction in words.
var goes = map[insight.Direction]string{
	insight.Rises: "↗ rises", insight.Falls: "↘ falls", insight.Peaks: "∩ highest inside", insight.Dips: "∪ lowest inside",
	insight.Flat: "→ flat", insight.Varies: "∿ up and down",
}

// importanceChart draws a row for each parameter: its shares in value and cost, alone and with others.
func importanceChart(s *study.Study, list []insight.Importance) *canvas {
	const width, row, head = 900, 34, 30
	const name, gap, words = 170, 30, 105
	bars, title := 215.0, 24
	var others []string
	if s.Several() && len(list[0].Also) > 0 {
		for _, o := range s.Objectives[1:] {
			others = append(others, o.Name)
		}
		n := float64(2 + len(others))
		bars, title = (width-name-gap*(n-1))/n-words, 12
	}
	bottom := head + row*float64(len(list))
	c := newCanvas(width, bottom+22, "chart wide", "how much each parameter matters to "+strings.Join(append([]string{s.Objective.Name}, others...), ", to ")+" and to cost")
	type column struct {
		class, title string
		left         float64
		share        func(insight.Importance) insight.Share
	}
	columns := []column{{"value", "on " + say.Short(s.Objective.Name, title), name, func(i insight.Importance) insight.Share { return i.Value }}}
	for k, other := range others {
		left := name + float64(k+1)*(bars+words+gap)
		columns = append(columns, column{"value", "on " + say.Short(other, title), left, func(i insight.Importance) insight.Share { return i.Also[other] }})
	}
	columns = append(columns, column{"cost", "on cost", name + float64(1+len(others))*(bars+words+gap), func(i insight.Importance) insight.Share { return i.Cost }})
	for _, col := range columns {
		c.text("name", col.left, 14, col.title, 40)
		c.open("lines")
		for _, part := range []float64{0, 0.5, 1} {
			x := col.left + bars*part
			c.line("", x, head-6, x, bottom)
			c.text("mid", x, bottom+14, say.Percent(part), 8)
		}
		c.close()
	}
	for k, imp := range list {
		y := head + row*float64(k)
		c.text("label end", name-12, y+16, imp.Parameter, 22)
		for _, col := range columns {
			s := col.share(imp)
			tip := fmt.Sprintf("%s: %s by itself, %s together with others", imp.Parameter, say.Percent(s.First), say.Percent(s.Total))
			c.open(col.class)
			c.rect("total", col.left, y+3, bars*s.Total, 18, tip)
			c.rect("first", col.left, y+3, bars*s.First, 18, tip)
			c.close()
			c.text("faint", col.left+bars+10, y+16, goes[s.Direction], 20)
		}
	}
	return c
}

// curve is one model along a parameter.
type curve struct {
	class string
	bands []band // at each value of the slice
	text  func(float64) string
}

// tip tells the numbers at the k-th value of a slice.
func (v curve) tip(slice insight.Slice, k int) string {
	return slice.Parameter + "=" + say.Value(slice.Values[k]) + ": " + v.bands[k].words(v.text)
}

func curvesOf(s *study.Study, slice insight.Slice) (value, cost curve) {
	value.class, value.text = "value", say.Number
	cost.class, cost.text = "cost", func(v float64) string { return say.Amount(s.Cost, v) }
	for _, p := range slice.Points {
		value.bands = append(value.bands, band{p.ValueLow, p.Value, p.ValueHigh})
		cost.bands = append(cost.bands, band{p.CostLow, p.CostMedian, p.CostHigh})
	}
	return value, cost
}

// sliceScales are shared by all slices, so that a parameter that does little looks like it. They cover what was measured, and the middles. A band that
// the data have not narrowed yet reaches to the sky, and is cut at the frame.
func sliceScales(s *study.Study, r *study.Record, slices []insight.Slice) (value, cost scale) {
	var values, costs []float64
	for t := range r.EachResult() {
		if values = append(values, t.Value); t.Charged > 0 {
			costs = append(costs, t.Charged)
		}
	}
	best, worst := say.Shown(values, s.Objective.Goal)
	values = []float64{best, worst}
	for _, slice := range slices {
		for _, p := range slice.Points {
			values, costs = append(values, p.Value), append(costs, p.CostMedian)
		}
	}
	cost = newScale(costs, wide(costs), sliceMargin)
	cost.clock = s.Measured()
	return newScale(values, false, sliceMargin), cost
}

const sliceMargin = 0.05

// sliceChart draws both models along one parameter through the best setting.
func sliceChart(s *study.Study, p space.Param, slice insight.Slice, tried []space.Value, value, cost scale) *canvas {
	const width, height = 330, 318
	const right = width - 12
	left := max(52, value.room(), cost.room()) // of both frames
	c := newCanvas(width, height, "chart", s.Objective.Name+" and cost along "+p.Name)
	x := newParamScale(p, left, right)
	v, m := curvesOf(s, slice)
	top := newFrame(left, 26, right, 150, x.scale, value)
	below := newFrame(left, 184, right, 276, x.scale, cost)
	top.yAxis(c, say.Short(s.Objective.Name, 26), 5)
	below.yAxis(c, say.Axis("cost", s.Cost), 4)
	for _, f := range []frame{top, below} {
		if at, ok := x.place(slice.At); ok {
			c.line("at", at, f.top-4, at, f.bottom)
		}
	}
	drawCurve(c, top, x, slice, v)
	drawCurve(c, below, x, slice, m)
	drawStrokes(c, below, x, tried)
	below.xMarks(c, p.Name, x.marks(4), 44/max(len(x.named), 4)+1)
	c.text("here end", right, top.top-9, "best: "+say.Value(slice.At), 18)
	return c
}

// drawStrokes marks the values of trials. Of a name there may be many, so its strokes stand side by side.
func drawStrokes(c *canvas, f frame, x paramScale, tried []space.Value) {
	const gap = 3
	all, seen := map[float64]int{}, map[float64]int{}
	for _, t := range tried {
		at, _ := x.place(t)
		all[at]++
	}
	c.open("rug")
	for _, t := range tried {
		at, ok := x.place(t)
		if !ok {
			continue
		}
		k, n := float64(seen[at]), float64(all[at])
		switch seen[at]++; {
		case x.named != nil:
			room := 0.8 * (f.right - f.left) / float64(len(x.named))
			at += (k - (n-1)/2) * min(gap, room/n)
		case k > 0:
			continue
		}
		c.line("", at, f.bottom, at, f.bottom-5)
	}
	c.close()
}

// drawCurve draws a band and its middle; over values without an order, bars and dots.
func drawCurve(c *canvas, f frame, x paramScale, slice insight.Slice, v curve) {
	var band, back, middle []float64
	c.open(v.class)
	for k, value := range slice.Values {
		at, ok := x.place(value)
		if !ok {
			continue
		}
		low, mid, high := f.y.at(v.bands[k].low), f.y.at(v.bands[k].middle), f.y.at(v.bands[k].high)
		if x.named != nil {
			c.line("whisker", at, low, at, high)
			c.mark("done", at, mid, 4.5, v.tip(slice, k))
			continue
		}
		band, middle = append(band, at, high), append(middle, at, mid)
		back = append([]float64{at, low}, back...)
		if slice.Kind == space.KindInt && len(slice.Values) <= 32 {
			c.mark("done", at, mid, 2.5, v.tip(slice, k))
		}
	}
	c.path("band", append(band, back...), true, "")
	c.path("curve", middle, false, "")
	if x.named == nil {
		hoverStrips(c, f, x, slice, v)
	}
	c.close()
}

// hoverStrips are unseen, and tell the numbers of the curve below the pointer.
func hoverStrips(c *canvas, f frame, x paramScale, slice insight.Slice, v curve) {
	c.open("strips")
	for k, value := range slice.Values {
		at, _ := x.place(value)
		from, to := f.left, f.right
		if k > 0 {
			before, _ := x.place(slice.Values[k-1])
			from = (before + at) / 2
		}
		if k+1 < len(slice.Values) {
			after, _ := x.place(slice.Values[k+1])
			to = (at + after) / 2
		}
		c.rect("", from, f.top, to-from, f.bottom-f.top, v.tip(slice, k))
	}
	c.close()
}

// mostLines is how many trials are drawn; of more, the best half and evenly many of the others.
const mostLines = 600

// shades is the number of colours from the worst trials to the best.
const shades = 7

// upright is one axis of the parallel coordinates.
type upright struct {
	name  string
	place func(study.Trial) (y float64, ok bool)
	marks []tick
	maybe bool // not every trial has it
}

// parallelChart draws every trial as a line through all its parameters, its cost and its value.
func parallelChart(s *study.Study, trials []study.Trial, best advisor.Best) *canvas {
	const top, bottom, absent = 34, 300, 326 // absent is where parameters are that do not exist
	ups := uprights(s, trials, top, bottom)
	width, gap := 900.0, 0.0
	const left, right = 70, 90
	if len(ups) > 1 {
		width = max(width, left+right+110*float64(len(ups)-1))
		gap = (width - left - right) / float64(len(ups)-1)
	}
	height := bottom + 14.0
	if slices.ContainsFunc(ups, func(u upright) bool { return u.maybe }) {
		height = absent + 24
	}
	c := newCanvas(width, height, "chart wide", "every trial as a line through its parameters, cost and value")
	order := drawingOrder(trials, s.Objective.Goal)
	for rank, t := range order {
		class := "q0"
		switch {
		case best.Has(t):
			class = "qbest"
		case len(order) > 1:
			class = fmt.Sprintf("q%d", rank*shades/len(order))
		}
		var points []float64
		for i, u := range ups {
			y, ok := u.place(t)
			if !ok {
				y = absent
			}
			points = append(points, left+gap*float64(i), y)
		}
		c.path("ray "+class, points, false, fmt.Sprintf("trial %d: %s %s for %s", t.Number, s.Objective.Name, say.Number(t.Value), say.Amount(s.Cost, t.Charged)))
	}
	for i, u := range ups {
		x := left + gap*float64(i)
		c.open("pillar")
		c.line("base", x, top, x, bottom)
		c.text("name mid", x, top-14, u.name, int(max(gap, 110)/7))
		for _, m := range u.marks {
			c.line("base", x-4, m.at, x, m.at)
			c.text("end halo", x-7, m.at+3.5, m.label, 11)
		}
		if u.maybe {
			c.text("faint mid halo", x, absent+16, "not used", 12)
		}
		c.close()
	}
	if len(order) > crowd {
		c.class += " crowd"
	}
	return c
}

func uprights(s *study.Study, trials []study.Trial, top, bottom float64) (list []upright) {
	for _, p := range s.Parameters {
		if p.Kind == space.KindFixed {
			continue
		}
		scale := newParamScale(p, bottom, top)
		list = append(list, upright{p.Name, func(t study.Trial) (float64, bool) { return scale.place(t.Setting[p.Name]) }, scale.marks(5), len(p.When) > 0})
	}
	var costs, values []float64
	for _, t := range trials {
		costs, values = append(costs, t.Charged), append(values, t.Value)
	}
	cost := newScale(costs, wide(costs), 0).between(bottom, top)
	cost.clock = s.Measured()
	best, worst := say.Shown(values, s.Objective.Goal)
	value := newScale([]float64{best, worst}, false, 0).between(bottom, top)
	return append(list,
		upright{"cost", func(t study.Trial) (float64, bool) { return cost.at(t.Charged), true }, cost.ticks(5), false},
		upright{s.Objective.Name, func(t study.Trial) (float64, bool) { return value.at(t.Value), true }, value.ticks(5), false})
}

// counting returns the trials whose values count.
func counting(r *study.Record) []study.Trial {
	return slices.DeleteFunc(slices.Clone(r.Trials), func(t study.Trial) bool { return !t.Counts() })
}

// drawingOrder puts the best last, on top, and leaves out some where there are too many.
func drawingOrder(trials []study.Trial, goal study.Goal) []study.Trial {
	list := slices.Clone(trials)
	slices.SortStableFunc(list, func(a, b study.Trial) int {
		if goal == study.Minimize {
			return cmp.Compare(b.Value, a.Value)
		}
		return cmp.Compare(a.Value, b.Value)
	})
	if len(list) <= mostLines {
		return list
	}
	split := len(list) - mostLines/2
	return append(evenly(list[:split], mostLines/2), list[split:]...)
}
