package report

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/eke-bo/eke/internal/say"
)

// forecastPictures draw results against forecasts.
func forecastPictures(d Data) (list []picture) {
	if guesses := valueGuesses(d.Insight.Forecasts); len(guesses) > 0 {
		list = append(list, forecastPicture("forecast-value", d.Study.Objective.Name, guesses, false, false, valueInk))
	}
	if guesses := costGuesses(d.Study.Cost, d.Insight.Forecasts); len(guesses) > 0 {
		list = append(list, forecastPicture("forecast-cost", say.Axis("cost", d.Study.Cost), guesses, true, d.Study.Measured(), costInk))
	}
	return list
}

func forecastPicture(file, name string, list []guess, mayLog, clock bool, ink color.NRGBA) picture {
	s := guessScale(list, mayLog, clock).own()
	p := newPlot(calibration(list), name+", forecast", name+", result", s, s)
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
