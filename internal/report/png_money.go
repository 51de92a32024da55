package report

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/eke-bo/eke/study"
)

// moneyPicture draws the best value against the money spent.
func moneyPicture(d Data) picture {
	s, r := d.Study, d.Record
	steps := course(s, r)
	var values []float64
	for _, t := range steps {
		if t.State == study.Done {
			values = append(values, t.Value)
		}
	}
	x := newScale([]float64{0, 1.015 * math.Max(r.Ledger.Total, r.Ledger.Spent)}, false, 0).own()
	y := newScale(valueRange(values, s.Objective.Goal), false, 0.08).own()
	p := newPlot(short(s.Name, 80), "spent, "+s.Cost.Unit, s.Objective.Name, x, y)
	p.Legend.XOffs = -20 // left of the budget's line
	limit := x.at(r.Ledger.Total)
	p.Add(stroke(plotter.XYs{{X: limit, Y: y.lo}, {X: limit, Y: y.hi}}, inkColor, 0.7, 2, 2))

	marks := map[string]plotter.XYs{}
	var line plotter.XYs
	for _, t := range steps {
		kind, at := kindOf(t.Trial), plotter.XY{X: x.at(t.spent), Y: y.lo + (y.hi-y.lo)*0.02}
		if t.State == study.Done {
			at.Y = y.at(t.Value)
		}
		if t.better {
			if n := len(line); n > 0 {
				line = append(line, plotter.XY{X: at.X, Y: line[n-1].Y})
			}
			kind, line = "better", append(line, at)
		}
		marks[kind] = append(marks[kind], at)
	}
	if n := len(line); n > 0 {
		line = append(line, plotter.XY{X: x.at(steps[len(steps)-1].spent), Y: line[n-1].Y})
		best := stroke(line, valueInk, 1.6)
		p.Add(best)
		p.Legend.Add("best so far", best)
	}
	for _, k := range []struct {
		kind string
		dots *plotter.Scatter
	}{
		{"done", dots(marks["done"], doneInk, 2, draw.CircleGlyph{})},
		{"better", dots(marks["better"], valueInk, 2.6, draw.CircleGlyph{})},
		{"beyond", dots(marks["beyond"], costInk, 2.8, draw.SquareGlyph{})},
		{"failed", dots(marks["failed"], badInk, 2.4, draw.CrossGlyph{})},
		{"cut", dots(marks["cut"], badInk, 2.4, draw.TriangleGlyph{})},
		{"abandoned", dots(marks["abandoned"], softColor, 2.2, draw.RingGlyph{})},
	} {
		if len(marks[k.kind]) > 0 {
			p.Add(k.dots)
			if k.kind != "better" && k.kind != "done" {
				p.Legend.Add(k.kind, k.dots)
			}
		}
	}
	return picture{"best", 620, 330, [][]*plot.Plot{{p}}}
}
