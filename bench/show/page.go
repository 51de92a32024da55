package show

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Page is a picture that can be drawn on any kind of canvas.
type Page struct {
	Width, Height vg.Length
	Draw          func(draw.Canvas)
}

const (
	DotsPerInch = 130
	pageMargin  = vg.Length(10)
)

// Image returns the page as pixels.
func (p Page) Image(dpi int) image.Image {
	canvas := vgimg.NewWith(vgimg.UseWH(p.Width, p.Height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
	p.Draw(draw.New(canvas))
	return canvas.Image()
}

// Folder is where pictures and tables are written. It remembers their names.
type Folder struct {
	Dir     string
	Written []string // names of the files
}

// Write writes a file.
func (f *Folder) Write(name string, content []byte) error {
	if err := os.WriteFile(filepath.Join(f.Dir, name), content, 0o644); err != nil {
		return err
	}
	f.Written = append(f.Written, name)
	return nil
}

// Has reports whether a file was drawn before.
func (f *Folder) Has(name string) bool {
	_, err := os.Stat(filepath.Join(f.Dir, name))
	return err == nil
}

// PNG writes a picture of pixels.
func (f *Folder) PNG(name string, p Page) error {
	var out bytes.Buffer
	if err := png.Encode(&out, Paletted([]image.Image{p.Image(DotsPerInch)})[0]); err != nil {
		return err
	}
	return f.Write(name, out.Bytes())
}

// SVG writes a picture of lines.
func (f *Folder) SVG(name string, p Page) error {
	content, err := p.SVG()
	if err != nil {
		return err
	}
	return f.Write(name, content)
}

// SVG returns the page as lines and text.
func (p Page) SVG() ([]byte, error) {
	canvas := vgsvg.New(p.Width, p.Height)
	p.Draw(draw.New(canvas))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, err
	}
	// If this font is not installed, a similar one must be used, not the browser's serif.
	return bytes.ReplaceAll(out.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif")), nil
}

// Panels lays out plots in rows, with their axes aligned, below a heading and above a legend. Either may be
// missing. A nil plot leaves its place empty.
type Panels struct {
	Plots         [][]*plot.Plot
	Width, Height vg.Length // of one plot
	Heading       string
	Remarks       []string // below the legend
	Legend        []Entry
}

// Page returns the panels as one picture.
func (p Panels) Page() Page {
	width := p.Width*vg.Length(len(p.Plots[0])) + 2*pageMargin
	rows := legendRows(p.Legend, width-2*pageMargin)
	foot := vg.Length(len(rows))*legendLine + vg.Length(len(p.Remarks))*remarkLine
	if foot > 0 {
		foot += 8
	}
	head := vg.Length(0)
	if p.Heading != "" {
		head = 1.9 * HeaderSize
	}
	height := p.Height*vg.Length(len(p.Plots)) + head + foot + 2*pageMargin
	return Page{width, height, func(c draw.Canvas) {
		if p.Heading != "" {
			style := Words(Bold(HeaderSize), Ink)
			c.FillText(style, vg.Point{X: pageMargin, Y: height - pageMargin - 0.6*HeaderSize}, p.Heading)
		}
		middle := draw.Crop(c, pageMargin, -pageMargin, pageMargin+foot, -pageMargin-head)
		tiles := draw.Tiles{Rows: len(p.Plots), Cols: len(p.Plots[0]), PadX: 12, PadY: 10}
		for i, row := range plot.Align(p.Plots, tiles, middle) {
			for j, canvas := range row {
				if p.Plots[i][j] != nil {
					p.Plots[i][j].Draw(canvas)
				}
			}
		}
		drawLegend(c, rows, pageMargin+vg.Length(len(p.Remarks))*remarkLine)
		for i, remark := range p.Remarks {
			at := vg.Point{X: pageMargin, Y: pageMargin + remarkLine*(vg.Length(len(p.Remarks)-1-i)+0.5)}
			c.FillText(Words(Sans(TickSize), Faint), at, remark)
		}
	}}
}

// ColumnsFor returns the number of columns that looks best for this many panels. The paper's eight are
// four by two.
func ColumnsFor(n int) int {
	if n <= 4 {
		return n
	}
	return min((n+1)/2, 4)
}

// InRows breaks a list of plots into rows, the last filled up with nil.
func InRows(plots []*plot.Plot, columns int) [][]*plot.Plot {
	var rows [][]*plot.Plot
	for len(plots) > 0 {
		row := make([]*plot.Plot, columns)
		plots = plots[copy(row, plots):]
		rows = append(rows, row)
	}
	return rows
}

// LabelOutside keeps axis labels only where no other plot is between them and the margin.
func LabelOutside(rows [][]*plot.Plot) {
	for i, row := range rows {
		for j, p := range row {
			if p == nil {
				continue
			}
			if j > 0 {
				p.Y.Label.Text = ""
			}
			if i+1 < len(rows) && rows[i+1][j] != nil {
				p.X.Label.Text = ""
			}
		}
	}
}
