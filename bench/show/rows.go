package show

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Rows is a plot with a label for every row and marks beside it; the first label is on top.
type Rows struct {
	*plot.Plot
	count int
}

// NewRows returns rows without marks.
func NewRows(title, x string, labels []string) *Rows {
	r := &Rows{NewPlot(title, x, ""), len(labels)}
	var ticks []plot.Tick
	for i, label := range labels {
		ticks = append(ticks, plot.Tick{Value: r.at(i), Label: label})
	}
	r.Y.Tick.Marker = plot.ConstantTicks(ticks)
	r.Y.Tick.Length = 0
	r.Y.Padding = 16 // a browser without the font takes a wider one
	r.X.Padding = 6
	r.Y.Min, r.Y.Max = 0.4, float64(len(labels))+0.6
	return r
}

// Height is how high a plot of this many rows should be.
func (r *Rows) Height() vg.Length { return 62 + 15*vg.Length(r.count) }

// at is the height of a row.
func (r *Rows) at(row int) float64 { return float64(r.count - row) }

// Interval draws a dot between whiskers beside a row; whiskers that are NaN are left out.
func (r *Rows) Interval(row int, mean, low, high float64, c color.Color) error {
	y := r.at(row)
	if math.IsNaN(low) || math.IsNaN(high) {
		low, high = mean, mean
	}
	whiskers, err := Line([]float64{low, high}, []float64{y, y}, draw.LineStyle{Color: c, Width: 1.4})
	if err != nil {
		return err
	}
	dot, err := Dots([]float64{mean}, []float64{y}, c, 3)
	if err != nil {
		return err
	}
	r.Add(whiskers, dot)
	return nil
}

// Arrow draws a line beside a row that leads out of the picture, to the right. Its head is as long as is said.
func (r *Rows) Arrow(row int, from, to, head float64, c color.Color) error {
	y := r.at(row)
	line, err := Line([]float64{from, to}, []float64{y, y}, draw.LineStyle{Color: c, Width: 1.4})
	if err != nil {
		return err
	}
	tip, err := Line([]float64{to - head, to, to - head}, []float64{y + 0.2, y, y - 0.2}, draw.LineStyle{Color: c, Width: 1.4})
	if err != nil {
		return err
	}
	r.Add(line, tip)
	return nil
}

// Points draws small dots beside a row.
func (r *Rows) Points(row int, x []float64, c color.Color) error {
	y := make([]float64, len(x))
	for i := range y {
		y[i] = r.at(row)
	}
	dots, err := Dots(x, y, c, 2)
	if err != nil {
		return err
	}
	r.Add(dots)
	return nil
}

// Upright draws a dashed line at x, below the marks that follow.
func (r *Rows) Upright(x float64) error {
	l, err := plotter.NewLine(plotter.XYs{{X: x, Y: 0.4}, {X: x, Y: float64(r.count) + 0.6}})
	if err != nil {
		return err
	}
	l.LineStyle = draw.LineStyle{Color: Faint, Width: 0.9, Dashes: []vg.Length{3, 2}}
	r.Add(l)
	return nil
}
