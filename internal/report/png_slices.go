package report

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
)

// slicesAcross is how many slices stand side by side.
const slicesAcross = 4

// slicesPicture draws all slices: a row of values above a row of costs, and again.
func slicesPicture(d Data) picture {
	slices := d.Insight.Slices
	value, cost := sliceScales(d.Study, slices)
	value, cost = value.own(), cost.own()
	across := min(len(slices), slicesAcross)
	rows := 2 * ((len(slices) + across - 1) / across)
	plots := make([][]*plot.Plot, rows)
	for r := range plots {
		plots[r] = make([]*plot.Plot, across)
	}
	params := map[string]space.Param{}
	for _, p := range d.Study.Parameters {
		params[p.Name] = p
	}
	for k, slice := range slices {
		v, c := curvesOf(d.Study, slice)
		r, at := 2*(k/across), k%across
		plots[r][at] = slicePlot(params[slice.Parameter], slice, v, value, d.Study.Objective.Name, valueInk)
		plots[r+1][at] = slicePlot(params[slice.Parameter], slice, c, cost, "cost", costInk)
	}
	return picture{"slices", 60 + 190*float64(across), 150 * float64(rows), plots}
}

func slicePlot(param space.Param, slice insight.Slice, v curve, y scale, name string, ink color.NRGBA) *plot.Plot {
	x := newParamScale(param, 0, 1)
	p := newPlot("", say.Short(param.Name, 26), say.Short(name, 22), scale{from: 0, to: 1}, y)
	p.X.Tick.Marker, p.Y.Tick.Marker = marker(x.marks(3)), marker(y.ticks(4))
	p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = 7, 7
	if at, ok := x.place(slice.At); ok {
		p.Add(stroke(plotter.XYs{{X: at, Y: y.lo}, {X: at, Y: y.hi}}, bestInk, 0.9, 3, 2))
	}
	var band, back, middle plotter.XYs
	for k, value := range slice.Values {
		at, _ := x.place(value)
		low, high := plotter.XY{X: at, Y: y.at(v.low[k])}, plotter.XY{X: at, Y: y.at(v.high[k])}
		if x.named != nil {
			p.Add(stroke(plotter.XYs{low, high}, faded(ink, 90), 3))
		}
		middle = append(middle, plotter.XY{X: at, Y: y.at(v.middle[k])})
		band, back = append(band, high), append(plotter.XYs{low}, back...)
	}
	if x.named != nil {
		p.Add(dots(middle, ink, 2.4, draw.CircleGlyph{}))
		return p
	}
	p.Add(&plotter.Polygon{XYs: []plotter.XYs{append(band, back...)}, Color: faded(ink, 50)}, stroke(middle, ink, 1.4))
	return p
}
