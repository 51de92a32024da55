package report

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/say"
)

// importancePicture draws two plots of bars, a parameter each.
func importancePicture(d Data) picture {
	list := d.Insight.Importance
	value := importancePlot("on "+d.Study.Objective.Name, list, valueInk, func(i insight.Importance) insight.Share { return i.Value })
	cost := importancePlot("on cost", list, costInk, func(i insight.Importance) insight.Share { return i.Cost })
	return picture{"importance", 620, 70 + 24*float64(len(list)), [][]*plot.Plot{{value, cost}}}
}

func importancePlot(title string, list []insight.Importance, ink color.NRGBA, share func(insight.Importance) insight.Share) *plot.Plot {
	x, n := scale{hi: 1}.own(), float64(len(list))
	p := newPlot(say.Short(title, 40), "", "", x, scale{from: 0, to: n})
	p.X.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0%"}, {Value: 0.5, Label: "50%"}, {Value: 1, Label: "100%"}}
	var names []tick
	for k, imp := range list {
		top := n - float64(k) // the first parameter above
		names = append(names, tick{top - 0.5, say.Short(imp.Parameter, 22)})
		s := share(imp)
		p.Add(bar(s.Total, top, faded(ink, 90)), bar(s.First, top, ink))
	}
	p.Y.Tick.Marker, p.Y.Tick.Length = marker(names), 0
	return p
}

func bar(to, top float64, c color.Color) *plotter.Polygon {
	return &plotter.Polygon{Color: c, XYs: []plotter.XYs{{{X: 0, Y: top - 0.2}, {X: to, Y: top - 0.2}, {X: to, Y: top - 0.8}, {X: 0, Y: top - 0.8}}}}
}
