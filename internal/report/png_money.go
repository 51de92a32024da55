package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/eke-bo/eke/internal/say"
)

// moneyPicture draws the best value against the money spent.
func moneyPicture(d Data) picture {
	s, r := d.Study, d.Record
	steps := say.Course(s.Objective.Goal, r.Trials)
	x, y := moneyScale(s, r.Ledger).own(), valueScale(s, steps, 0.08).own()
	p := newPlot(say.Short(s.Name, 80), say.Axis("spent", s.Cost), s.Objective.Name, x, y)
	p.Legend.XOffs = -20 // left of the budget's line
	limit := x.at(r.Ledger.Total)
	p.Add(stroke(plotter.XYs{{X: limit, Y: y.lo}, {X: limit, Y: y.hi}}, inkColor, 0.7, 2, 2))

	marks := map[string]plotter.XYs{}
	var line plotter.XYs
	for _, t := range steps {
		kind, at := kindOf(t), plotter.XY{X: x.at(t.Spent), Y: y.lo + (y.hi-y.lo)*0.02}
		if t.Mark.HasValue() {
			at.Y = y.at(t.Value)
		}
		if t.Mark.Improved() {
			if n := len(line); n > 0 {
				line = append(line, plotter.XY{X: at.X, Y: line[n-1].Y})
			}
			line = append(line, at)
		}
		marks[kind] = append(marks[kind], at)
	}
	if n := len(line); n > 0 {
		line = append(line, plotter.XY{X: x.at(steps[len(steps)-1].Spent), Y: line[n-1].Y})
		best := stroke(line, valueInk, 1.6)
		p.Add(best)
		p.Legend.Add("best so far", best)
	}
	for _, k := range []struct {
		kind say.Mark
		dots *plotter.Scatter
	}{
		{"done", dots(marks["done"], doneInk, 2, draw.CircleGlyph{})},
		{"better", dots(marks["better"], valueInk, 2.6, draw.CircleGlyph{})},
		{"beyond", dots(marks["beyond"], costInk, 2.8, draw.SquareGlyph{})},
		{"failed", dots(marks["failed"], badInk, 2.4, draw.CrossGlyph{})},
		{"cut", dots(marks["cut"], badInk, 2.4, draw.TriangleGlyph{})},
		{"abandoned", dots(marks["abandoned"], softColor, 2.2, draw.RingGlyph{})},
	} {
		if len(marks[string(k.kind)]) > 0 {
			p.Add(k.dots)
			if k.kind != say.Better && k.kind != say.Done {
				p.Legend.Add(k.kind.String(), k.dots)
			}
		}
	}
	return picture{"best", 620, 330, [][]*plot.Plot{{p}}}
}
