package report

import (
	"image/color"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/eke-bo/eke/insight"
)

// The colours of the page's light style.
var (
	paper     = color.White
	inkColor  = color.NRGBA{0x1c, 0x21, 0x26, 255}
	softColor = color.NRGBA{0x59, 0x63, 0x6d, 255}
	ruleColor = color.NRGBA{0xe2, 0xe3, 0xdf, 255}
	axisColor = color.NRGBA{0x9a, 0xa2, 0xa9, 255}
	valueInk  = color.NRGBA{0x00, 0x72, 0xb2, 255}
	costInk   = color.NRGBA{0xc2, 0x57, 0x0c, 255}
	bestInk   = color.NRGBA{0xe0, 0x7b, 0x00, 255}
	badInk    = color.NRGBA{0xa3, 0x24, 0x5f, 255}
	doneInk   = color.NRGBA{0x57, 0x98, 0xc5, 255}
)

// picture is a file of one or several plots.
type picture struct {
	name   string
	width  float64 // of all, in points
	height float64
	plots  [][]*plot.Plot // by rows
}

// PNGs writes the main charts into a folder and returns the files' paths: those for which there is something to
// draw.
func PNGs(dir string, d Data) ([]string, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	list := []picture{moneyPicture(d)}
	if in := d.Insight; in != nil {
		list = append(list, forecastPictures(d)...)
		if in.State == insight.Ready {
			if len(in.Importance) > 0 {
				list = append(list, importancePicture(d))
			}
			list = append(list, slicesPicture(d))
		}
	}
	var paths []string
	for _, p := range list {
		path := filepath.Join(dir, p.name+".png")
		if err := p.write(path); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func (p picture) write(path string) (err error) {
	const dpi = 160
	img := vgimg.NewWith(vgimg.UseWH(vg.Length(p.width), vg.Length(p.height)), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(paper))
	tiles := draw.Tiles{Rows: len(p.plots), Cols: len(p.plots[0]), PadX: 12, PadY: 10, PadTop: 8, PadBottom: 6, PadLeft: 6, PadRight: 10}
	for r, row := range plot.Align(p.plots, tiles, draw.New(img)) {
		for c, canvas := range row {
			if q := p.plots[r][c]; q != nil {
				q.Draw(canvas)
			}
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	_, err = vgimg.PngCanvas{Canvas: img}.WriteTo(f)
	return err
}

// newPlot returns an empty plot over two scales. Plots are drawn in places, not in data: a scale that goes from
// its lower to its upper bound does the rest, logarithms included.
func newPlot(title, x, y string, xs, ys scale) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = paper
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font.Size, p.Title.Padding, p.Title.TextStyle.Color = 11, 6, inkColor
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font.Variant = "Sans"
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = 9, 8
		a.Label.TextStyle.Color, a.Tick.Label.Color = inkColor, softColor
		a.Color, a.Tick.Color, a.Tick.Length = axisColor, axisColor, 3
		a.Padding = 0
	}
	p.Legend.TextStyle.Font.Size, p.Legend.Top, p.Legend.Padding = 8, true, 3
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = xs.from, xs.to, ys.from, ys.to
	p.X.Tick.Marker, p.Y.Tick.Marker = marker(xs.ticks(7)), marker(ys.ticks(6))
	grid := plotter.NewGrid()
	grid.Vertical.Width, grid.Horizontal.Color = 0, ruleColor
	grid.Vertical.Color = color.Transparent
	p.Add(grid)
	return p
}

// own lets a scale go from its lower bound to its upper.
func (s scale) own() scale { return s.between(s.lo, s.hi) }

func marker(list []tick) plot.ConstantTicks {
	marks := make(plot.ConstantTicks, len(list))
	for i, t := range list {
		marks[i] = plot.Tick{Value: t.at, Label: t.label}
	}
	return marks
}

// dots draws marks of one shape.
func dots(at plotter.XYs, c color.Color, r float64, shape draw.GlyphDrawer) *plotter.Scatter {
	return &plotter.Scatter{XYs: at, GlyphStyle: draw.GlyphStyle{Color: c, Radius: vg.Length(r), Shape: shape}}
}

// stroke draws a line through places.
func stroke(at plotter.XYs, c color.Color, width float64, dashes ...vg.Length) *plotter.Line {
	return &plotter.Line{XYs: at, LineStyle: draw.LineStyle{Color: c, Width: vg.Length(width), Dashes: dashes}}
}

// faded returns a colour that lets through what is below.
func faded(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}
