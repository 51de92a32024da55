package paper

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/eke-bo/eke/bench/show"
)

// sightPlot is a plot over the line, with its limits.
type sightPlot struct {
	*plot.Plot
	color     color.RGBA
	low, high float64
}

// frame sets limits and ticks; only the lowest plot of a column has numbers below.
func (p sightPlot) frame(lowest bool) {
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, p.low, p.high
	p.Title.TextStyle.Font, p.Title.Padding = show.Bold(show.LabelSize), 4
	p.Y.Tick.Marker = show.RoundTicks{Most: 3}
	if !lowest {
		p.X.Tick.Marker = show.Unlabelled{Ticker: show.RoundTicks{Most: 5}}
	}
}

// believed draws the truth and a posterior: mean or median, and the 95 % band, as far as it fits.
func (p sightPlot) believed(at func(x, z float64) float64, truth func(float64) float64) error {
	var mean, low, high, real []float64
	within := func(v float64) float64 { return min(max(v, p.low), p.high) }
	for _, x := range gridOfLine {
		mean, real = append(mean, at(x, 0)), append(real, truth(x))
		low, high = append(low, within(at(x, -1.96))), append(high, within(at(x, 1.96)))
	}
	shade, err := show.Band(gridOfLine, low, high, p.color, 0.18)
	if err != nil {
		return err
	}
	middle, err := show.Line(gridOfLine, mean, draw.LineStyle{Color: p.color, Width: 1.6})
	if err != nil {
		return err
	}
	dashed, err := show.Line(gridOfLine, real, boundStyle())
	if err != nil {
		return err
	}
	p.Add(shade, dashed, middle)
	return nil
}

func (p sightPlot) evaluated(x, y []float64) error {
	data, err := show.Dots(x, y, show.Ink, 2.6)
	if err == nil {
		p.Add(data)
	}
	return err
}

// maximised draws the acquisition, scaled to 1 at its highest, and the plan's next points.
func (p sightPlot) maximised(s sight) error {
	if s.over {
		_, cost := hills(s.chosen)
		return p.say(fmt.Sprintf("wants x = %.2f, but that costs %.1f", s.chosen, cost), fmt.Sprintf("and only %.1f is left", hillBudget-s.spent))
	}
	x, y := slices.Clone(gridOfLine), slices.Clone(s.acquisition)
	at, _ := slices.BinarySearch(x, s.chosen)
	x, y = slices.Insert(x, at, s.chosen), slices.Insert(y, at, s.highest) // a peak may be thinner than the grid
	for i := range y {
		y[i] /= s.highest
	}
	shade, err := show.Band(x, make([]float64, len(x)), y, p.color, 0.18)
	if err != nil {
		return err
	}
	curve, err := show.Line(x, y, draw.LineStyle{Color: p.color, Width: 1.6})
	if err != nil {
		return err
	}
	p.Add(shade, curve)
	if len(s.plan) == 0 {
		return nil
	}
	later, err := show.Dots(s.plan, slices.Repeat([]float64{0.07}, len(s.plan)), chosenColor, 3)
	if err != nil {
		return err
	}
	later.Shape = draw.PyramidGlyph{}
	p.Add(later)
	return nil
}

// say writes lines into the middle of an empty plot.
func (p sightPlot) say(lines ...string) error {
	labels := plotter.XYLabels{Labels: lines}
	for i := range lines {
		labels.XYs = append(labels.XYs, plotter.XY{X: 0.5, Y: 0.62 - 0.2*float64(i)})
	}
	l, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	for i := range l.TextStyle {
		l.TextStyle[i] = show.Words(show.Sans(show.LabelSize), show.Faint)
		l.TextStyle[i].XAlign = draw.XCenter
	}
	p.Add(l)
	return nil
}

// next marks the chosen point.
func (p sightPlot) next(x, y float64, marked bool) error {
	upright, err := show.Line([]float64{x, x}, []float64{p.low, p.high}, draw.LineStyle{Color: chosenColor, Width: 1.2, Dashes: []vg.Length{2, 2}})
	if err != nil {
		return err
	}
	p.Add(upright)
	if !marked {
		return nil
	}
	mark, err := plotter.NewScatter(plotter.XYs{{X: x, Y: y}})
	if err != nil {
		return err
	}
	mark.GlyphStyle = draw.GlyphStyle{Color: chosenColor, Radius: 3.6, Shape: draw.CircleGlyph{}}
	p.Add(mark)
	return nil
}
