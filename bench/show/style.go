package show

import (
	"image/color"
	"math"
	"strconv"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// What all pictures have in common: fonts, inks, axes, bands.

// Inks that stand for no policy.
var (
	Ink   = color.RGBA{0x22, 0x26, 0x2b, 0xff} // text, data
	Faint = color.RGBA{0x6b, 0x72, 0x7a, 0xff} // axes, remarks
	Hair  = color.RGBA{0xe4, 0xe7, 0xea, 0xff} // grid lines
)

// Sizes of type, in points.
const (
	TitleSize  = vg.Length(12)
	LabelSize  = vg.Length(10)
	TickSize   = vg.Length(9)
	HeaderSize = vg.Length(14)
)

// Sans is the font of all text.
func Sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// Bold is the font of titles.
func Bold(size vg.Length) font.Font {
	f := Sans(size)
	f.Weight = xfont.WeightBold
	return f
}

// Words returns a style of text that is placed by its left end and middle height.
func Words(f font.Font, c color.Color) text.Style {
	return text.Style{Color: c, Font: f, XAlign: text.XLeft, YAlign: text.YCenter, Handler: plot.DefaultTextHandler}
}

// NewPlot returns an empty plot in the house style.
func NewPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font, p.Title.TextStyle.Color = Bold(TitleSize), Ink
	p.Title.Padding = 5
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font, axis.Label.TextStyle.Color = Sans(LabelSize), Faint
		axis.Label.Padding = 3
		axis.Tick.Label.Font, axis.Tick.Label.Color = Sans(TickSize), Faint
		axis.Tick.Length, axis.Tick.LineStyle.Color = 3, Faint
		axis.Tick.LineStyle.Width, axis.LineStyle.Width = 0.6, 0.6
		axis.LineStyle.Color = Faint
		axis.Padding = 2
		axis.Tick.Marker = RoundTicks{5}
	}
	grid := plotter.NewGrid()
	for _, lines := range []*draw.LineStyle{&grid.Horizontal, &grid.Vertical} {
		lines.Color, lines.Width = Hair, 0.6
	}
	p.Add(grid)
	return p
}

// RoundTicks puts at most this many ticks, or one more, at multiples of 1, 2 or 5 times a power of ten.
type RoundTicks struct{ Most int }

// Ticks implements plot.Ticker.
func (t RoundTicks) Ticks(low, high float64) []plot.Tick {
	step := roundStep((high - low) / float64(t.Most))
	first := math.Ceil(low/step - 1e-9)
	if !(step > 0) || math.IsInf(step, 0) || first+1 == first { // the range is too narrow for numbers to count it
		return []plot.Tick{{Value: low, Label: Number(low)}}
	}
	var ticks []plot.Tick
	for k := first; k*step <= high+1e-9*step && len(ticks) <= t.Most; k++ {
		v := k * step
		ticks = append(ticks, plot.Tick{Value: v, Label: Number(math.Round(v*1e9) / 1e9)})
	}
	return ticks
}

// Unlabelled has ticks without numbers.
type Unlabelled struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (t Unlabelled) Ticks(low, high float64) []plot.Tick {
	ticks := t.Ticker.Ticks(low, high)
	for i := range ticks {
		ticks[i].Label = " " // an empty one would make it a minor tick
	}
	return ticks
}

// roundStep returns the smallest of …, 0.1, 0.2, 0.5, 1, 2, 5, 10, … that is not below v.
func roundStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= v*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// Number writes v as short as possible, with a proper minus sign.
func Number(v float64) string {
	if v == 0 {
		return "0" // not −0
	}
	return ProperMinus(strconv.FormatFloat(v, 'g', 6, 64))
}

// Band returns the region between two curves, in a transparent colour.
func Band(x, low, high []float64, c color.RGBA, alpha float64) (*plotter.Polygon, error) {
	var edge plotter.XYs
	for i := range x {
		edge = append(edge, plotter.XY{X: x[i], Y: low[i]})
	}
	for i := len(x) - 1; i >= 0; i-- {
		edge = append(edge, plotter.XY{X: x[i], Y: high[i]})
	}
	p, err := plotter.NewPolygon(edge)
	if err != nil {
		return nil, err
	}
	p.Color, p.LineStyle.Width = Transparent(c, alpha), 0
	return p, nil
}

// Transparent returns a colour that lets what is below show through.
func Transparent(c color.RGBA, alpha float64) color.Color {
	return color.NRGBA{c.R, c.G, c.B, uint8(255*alpha + 0.5)}
}

// Line returns a curve.
func Line(x, y []float64, style draw.LineStyle) (*plotter.Line, error) {
	points := make(plotter.XYs, len(x))
	for i := range x {
		points[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	l, err := plotter.NewLine(points)
	if err != nil {
		return nil, err
	}
	l.LineStyle = style
	return l, nil
}

// Dots returns round markers.
func Dots(x, y []float64, c color.Color, radius vg.Length) (*plotter.Scatter, error) {
	points := make(plotter.XYs, len(x))
	for i := range x {
		points[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	s, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	s.GlyphStyle = draw.GlyphStyle{Color: c, Radius: radius, Shape: draw.CircleGlyph{}}
	return s, nil
}
