package report

import (
	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

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

// sliceScales are shared by all slices, so that a parameter that does little looks like it.
func sliceScales(s *study.Study, slices []insight.Slice) (value, cost scale) {
	var values, costs, medians []float64
	for _, slice := range slices {
		v, c := curvesOf(s, slice)
		for k, cost := range c.bands {
			values = append(values, v.bands[k].low, v.bands[k].high)
			costs, medians = append(costs, cost.low, cost.high), append(medians, cost.middle)
		}
	}
	// A band that the data have not narrowed yet reaches to the sky: the medians say where to look.
	cost = newScale(costs, wide(costs), 0.04)
	if seen := newScale(medians, true, 0.5); cost.log && cost.hi-cost.lo > 3*(seen.hi-seen.lo) {
		cost = seen
	}
	cost.clock = s.Measured()
	return newScale(values, false, 0.04), cost
}

// sliceChart draws both models along one parameter through the best setting.
func sliceChart(s *study.Study, p space.Param, slice insight.Slice, tried []space.Value, value, cost scale) *canvas {
	const width, height = 330, 318
	const left, right = 52, width - 12
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
	c.open("rug")
	for _, t := range tried {
		if at, ok := x.place(t); ok {
			c.line("", at, below.bottom, at, below.bottom-5)
		}
	}
	c.close()
	below.xMarks(c, p.Name, x.marks(4), 44/max(len(x.named), 4)+1)
	c.text("here end", right, top.top-9, "best: "+say.Value(slice.At), 18)
	return c
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
