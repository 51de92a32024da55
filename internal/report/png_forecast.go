package report

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// forecastPictures draw what was foreseen against what came.
func forecastPictures(d Data) (list []picture) {
	if guesses := valueGuesses(d.Insight.Forecasts); len(guesses) > 0 {
		list = append(list, forecastPicture("forecast-value", d.Study.Objective.Name, guesses, false, valueInk))
	}
	if guesses := costGuesses(d.Study.Cost, d.Insight.Forecasts); len(guesses) > 0 {
		list = append(list, forecastPicture("forecast-cost", "cost, "+d.Study.Cost.Unit, guesses, true, costInk))
	}
	return list
}

func forecastPicture(file, name string, list []guess, mayLog bool, ink color.NRGBA) picture {
	s := guessScale(list, mayLog).own()
	p := newPlot(calibration(list), name+", as foreseen", name+", as it came", s, s)
	p.Title.TextStyle.Font.Size = 9
	p.Add(stroke(plotter.XYs{{X: s.lo, Y: s.lo}, {X: s.hi, Y: s.hi}}, axisColor, 0.8, 4, 3))
	var at plotter.XYs
	for _, g := range thinned(list) {
		y := s.at(g.actual)
		at = append(at, plotter.XY{X: s.at(g.middle), Y: y})
		p.Add(stroke(plotter.XYs{{X: s.at(g.low), Y: y}, {X: s.at(g.high), Y: y}}, faded(ink, 90), 0.8))
	}
	p.Add(dots(at, ink, 2, draw.CircleGlyph{}))
	return picture{file, 340, 330, [][]*plot.Plot{{p}}}
}
