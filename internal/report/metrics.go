package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// mostPlotted is how many metrics are drawn. Those with limits come first.
const mostPlotted = 8

// metricCharts draws the value of every trial against each other number that trials reported, with its limits.
func metricCharts(s *study.Study, r *study.Record) (list []*canvas) {
	results := slices.Collect(r.EachMeasured())
	names := s.Limits.Names()
	for _, name := range study.MetricNames(results) {
		isObjective := slices.ContainsFunc(s.Objectives, func(o study.Aim) bool { return o.Name == name })
		if !slices.Contains(names, name) && !isObjective { // the front has those
			names = append(names, name)
		}
	}
	for _, name := range names {
		if c := metricChart(s, results, name); c != nil && len(list) < mostPlotted {
			list = append(list, c)
		}
	}
	return list
}

// metricChart is nil if fewer than two trials have the number, or if it is always the same.
func metricChart(s *study.Study, results []study.Trial, name string) *canvas {
	var shown []study.Trial
	var xs, ys []float64
	for _, t := range results {
		if x, known := t.Metrics[name]; known {
			shown, xs, ys = append(shown, t), append(xs, x), append(ys, t.Value)
		}
	}
	if len(xs) < 2 || slices.Min(xs) == slices.Max(xs) {
		return nil
	}
	const width, height = 440, 260
	limit, all := s.Limits[name], slices.Clone(xs)
	for _, x := range []*float64{limit.Min, limit.Max} {
		switch {
		case x == nil:
		case math.Abs(*x) < 1e-300: // as of "> 0"; on a logarithmic scale, it would be far from all others
			all = append(all, 0)
		default:
			all = append(all, *x)
		}
	}
	title := say.Clean(name)
	if limit.Unit != "" {
		title += ", " + say.Clean(limit.Unit)
	}
	c := newCanvas(width, height, "chart", s.Objective.Name+" against "+name)
	f := newFrame(62, 28, width-12, height-42, newScale(all, wide(all), 0.03), newScale(ys, wide(ys), 0.06))
	f.yAxis(c, s.Objective.Name, 5)
	f.xAxis(c, title, 5)
	for _, x := range []*float64{limit.Min, limit.Max} {
		if x != nil {
			c.line("limit", f.x.at(*x), 28, f.x.at(*x), height-42)
		}
	}
	for i, t := range shown {
		kind := "better"
		if !t.Counts() {
			kind = "beaten"
		}
		tip := fmt.Sprintf("%s: %s, %s %s", t.Title(), say.Outcome(s, t), title, say.Number(xs[i]))
		c.mark(kind, f.x.at(xs[i]), f.y.at(ys[i]), 3, tip)
	}
	return c
}
