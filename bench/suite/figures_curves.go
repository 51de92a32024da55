package suite

import (
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/eke-bo/eke/bench/show"
)

// curveFigure shows regret against money, a panel for each problem.
func (g *grid) curveFigure() (show.Page, error) {
	var plots []*plot.Plot
	for _, r := range g.rows {
		p := show.NewPlot(r.Name, "part of the budget spent", "log10 regret")
		for _, policy := range g.policies {
			numbers := r.numbers(policy)
			if len(numbers) == 0 {
				continue
			}
			var x, y []float64
			for i := range curvePoints {
				var at []float64
				for _, n := range numbers {
					at = append(at, r.runs[policy][n].Curve[i])
				}
				x, y = append(x, float64(i+1)/curvePoints), append(y, stat.Mean(at, nil))
			}
			l, err := show.Line(x, y, g.style(policy))
			if err != nil {
				return show.Page{}, err
			}
			p.Add(l)
		}
		p.X.Min, p.X.Max = 0, 1
		plots = append(plots, p)
	}
	rows := show.InRows(plots, min(len(plots), 4))
	show.LabelOutside(rows)
	return show.Panels{Plots: rows, Width: 228, Height: 190, Legend: g.legend()}.Page(), nil
}

// calibrationFigure shows how often results fell into the central bands of forecasts, against how often
// they should.
func (g *grid) calibrationFigure() (show.Page, error) {
	titles := [4]string{"values, early", "values, late", "costs, early", "costs, late"}
	plots := make([]*plot.Plot, 4)
	nominal := []float64{0.5, 0.8, 0.95}
	for i := range plots {
		p := show.NewPlot(titles[i], "band", "part that it held")
		fair, err := show.Line([]float64{0.45, 1}, []float64{0.45, 1}, draw.LineStyle{Color: show.Faint, Width: 0.9, Dashes: []vg.Length{3, 2}})
		if err != nil {
			return show.Page{}, err
		}
		p.Add(fair)
		for _, policy := range g.policies {
			values, costs := g.forecasts(policy)
			b := [4]Bands{values[0], values[1], costs[0], costs[1]}[i]
			if b.N() == 0 {
				continue
			}
			h := b.Held()
			l, err := show.Line(nominal, h[:], g.style(policy))
			if err != nil {
				return show.Page{}, err
			}
			dots, err := show.Dots(nominal, h[:], g.color(policy), 2.4)
			if err != nil {
				return show.Page{}, err
			}
			p.Add(l, dots)
		}
		p.X.Min, p.X.Max = 0.45, 1
		p.Y.Max = 1
		plots[i] = p
	}
	rows := show.InRows(plots, 4)
	show.LabelOutside(rows)
	return show.Panels{Plots: rows, Width: 228, Height: 220, Legend: g.legend()}.Page(), nil
}
